//! What Coinbase sells, takes and where, as its lists tell it, in our words.

use std::collections::HashMap;
use std::fmt;

use causeway_domain::fiat::{FiatAmount, FiatCurrency, PaymentMethod};
use causeway_domain::ports::{RampError, RampRefusal};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID, Token, TokenId};

use super::wire::{BuyConfig, BuyOptions, MethodLimits, Network};

/// Where a payer is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) country: String,
    pub(super) subdivision: Option<String>,
}

impl Place {
    /// Reads `DE` or `US-CA`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (country, subdivision) =
            text.split_once('-').map_or((text, None), |(country, part)| (country, Some(part)));
        let letters = |part: &str, most: usize| {
            (1..=most).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let good =
            country.len() == 2 && letters(country, 2) && subdivision.is_none_or(|part| letters(part, 3));
        good.then(|| Self {
            country: country.to_ascii_uppercase(),
            subdivision: subdivision.map(str::to_ascii_uppercase),
        })
    }

    /// Coinbase wants to know the state of somebody in the United States.
    pub(super) fn check(self) -> Result<Self, RampRefusal> {
        if self.country == "US" && self.subdivision.is_none() {
            let words = "it sells by state in the United States: name the state too, for instance US-CA";
            return Err(RampRefusal::Other(words.to_owned()));
        }
        Ok(self)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.country)?;
        self.subdivision.as_ref().map_or(Ok(()), |part| write!(f, "-{part}"))
    }
}

/// What Coinbase calls a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sold {
    pub(super) currency: String,
    pub(super) symbol: String,
    pub(super) network: String,
}

/// A way of paying, with what may be paid by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// As Coinbase names it.
    pub(super) id: String,
    pub(super) method: PaymentMethod,
    pub(super) least: FiatAmount,
    pub(super) most: FiatAmount,
}

impl Way {
    pub(super) const fn takes(&self, amount: FiatAmount) -> bool {
        self.least.minor <= amount.minor && amount.minor <= self.most.minor
    }
}

/// What can be bought in one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) sold: HashMap<TokenId, Sold>,
    pub(super) currencies: Vec<(FiatCurrency, Vec<Way>)>,
}

impl Options {
    /// Tokens and currencies that are not known here are left out; an amount that is none is Coinbase's fault.
    pub(super) fn read(lists: BuyOptions, assets: &HashMap<TokenId, Token>) -> Result<Self, RampError> {
        let mut options = Self::default();
        for currency in lists.purchase_currencies {
            for network in &currency.networks {
                let Some(id) = token(network, &currency.symbol, assets) else { continue };
                let (currency, symbol) = (currency.id.clone(), currency.symbol.clone());
                options.sold.insert(id, Sold { currency, symbol, network: network.name.clone() });
            }
        }
        for listed in lists.payment_currencies {
            let Ok(currency) = listed.id.parse() else { continue };
            let ways: Vec<_> =
                listed.limits.iter().filter_map(|limits| way(limits, currency)).collect::<Result<_, _>>()?;
            if !ways.is_empty() {
                options.currencies.push((currency, ways));
            }
        }
        Ok(options)
    }

    pub(super) fn ways(&self, currency: FiatCurrency) -> Option<&[Way]> {
        let found = self.currencies.iter().find(|(listed, _)| *listed == currency);
        found.map(|(_, ways)| ways.as_slice())
    }
}

/// What may be paid by any of the ways.
pub(super) fn span(ways: &[Way]) -> Option<(FiatAmount, FiatAmount)> {
    let least = ways.iter().map(|way| way.least).min_by_key(|amount| amount.minor)?;
    let most = ways.iter().map(|way| way.most).max_by_key(|amount| amount.minor)?;
    Some((least, most))
}

/// Where it sells: countries, and parts of those that are served in parts.
pub(super) fn places(config: &BuyConfig) -> Vec<String> {
    let listed = config.countries.iter().filter(|country| country.id.len() == 2);
    let places = listed.flat_map(|country| {
        let parts = country.subdivisions.iter().map(|part| format!("{}-{part}", country.id));
        let whole = country.subdivisions.is_empty().then(|| country.id.clone());
        parts.chain(whole).collect::<Vec<_>>()
    });
    places.collect()
}

fn way(limits: &MethodLimits, currency: FiatCurrency) -> Option<Result<Way, RampError>> {
    let method = method(&limits.id)?;
    let read = || {
        let (least, most) = (limits.min.fiat_up(currency)?, limits.max.fiat_down(currency)?);
        Ok(Way { id: limits.id.clone(), method, least, most })
    };
    let way: Result<Way, RampError> = read();
    // A way by which nothing can be paid is none.
    way.map(|way| (way.least.minor < way.most.minor && way.most.minor > 0).then_some(way)).transpose()
}

/// A way of paying in our words; `None` for what is no payment with the money of a state.
pub(super) fn method(id: &str) -> Option<PaymentMethod> {
    let (id, name) = match id {
        "CARD" => ("card", "Card"),
        "ACH_BANK_ACCOUNT" => ("bank_transfer", "US bank account (ACH)"),
        "APPLE_PAY" => ("apple_pay", "Apple Pay"),
        "GOOGLE_PAY" => ("google_pay", "Google Pay"),
        "FIAT_WALLET" => ("coinbase_balance", "Coinbase balance"),
        "PAYPAL" => ("paypal", "PayPal"),
        "RTP" => ("rtp", "Instant US bank transfer"),
        "CRYPTO_ACCOUNT" | "CRYPTO_WALLET" | "UNSPECIFIED" | "" => return None,
        other => {
            let id = other.to_ascii_lowercase();
            return Some(PaymentMethod { name: id.replace('_', " "), id });
        }
    };
    Some(PaymentMethod { id: id.to_owned(), name: name.to_owned() })
}

/// The newer interface has names of its own for some ways of paying, and does not take all of them.
pub(super) fn session_method(id: &str) -> Option<&'static str> {
    match id {
        "CARD" => Some("CARD"),
        "ACH_BANK_ACCOUNT" => Some("ACH"),
        "APPLE_PAY" => Some("APPLE_PAY"),
        "FIAT_WALLET" => Some("FIAT_WALLET"),
        "PAYPAL" => Some("PAYPAL"),
        _ => None,
    }
}

fn token(network: &Network, symbol: &str, assets: &HashMap<TokenId, Token>) -> Option<TokenId> {
    let listed = network.chain_id.parse().ok().and_then(ChainId::new);
    let chain = chain(&network.name).or(listed)?;
    token_at(chain, &network.contract_address, symbol, assets)
}

/// A token that is known here, by its contract. Without one it is the chain's own coin, if it has that coin's name: a token whose
/// contract was left out must not be taken for the coin.
pub(super) fn token_at(
    chain: ChainId,
    contract: &str,
    symbol: &str,
    assets: &HashMap<TokenId, Token>,
) -> Option<TokenId> {
    if !contract.is_empty() {
        return TokenId::new(chain, contract).ok().filter(|id| assets.contains_key(id));
    }
    let coin = assets.get(&TokenId::native(chain))?;
    coin.symbol.eq_ignore_ascii_case(symbol).then_some(coin.id)
}

/// The chains that Coinbase names without a number, or in its purchases with a name alone.
pub(super) fn chain(network: &str) -> Option<ChainId> {
    let id = match network {
        "ethereum" => 1,
        "optimism" => 10,
        "bnb" | "bsc" | "bnb-chain" => 56,
        "polygon" => 137,
        "base" => 8_453,
        "arbitrum" => 42_161,
        "avalanche" | "avacchain" | "avalanche-c-chain" => 43_114,
        "solana" => return Some(SOLANA_CHAIN_ID),
        _ => return None,
    };
    ChainId::new(id)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{self, assets, base, usdc};
    use super::*;

    fn options() -> Options {
        Options::read(fixture::read("buy_options"), &assets()).unwrap()
    }

    #[test]
    fn what_is_sold_is_known_by_chain_and_contract_only() {
        let options = options();
        let sold = &options.sold[&usdc().id];
        assert_eq!((sold.symbol.as_str(), sold.network.as_str()), ("USDC", "base"));
        assert_eq!(options.sold[&TokenId::native(base())].symbol, "ETH");
        assert!(
            options.sold.keys().all(|id| assets().contains_key(id)),
            "what nobody here knows is left out"
        );
        let nameless =
            Network { name: "base".to_owned(), chain_id: String::new(), contract_address: String::new() };
        assert_eq!(token(&nameless, "USDC", &assets()), None, "a token without its contract is not the coin");
    }

    #[test]
    fn limits_are_read_by_currency_and_way() {
        let options = options();
        let usd: FiatCurrency = "USD".parse().unwrap();
        let ways = options.ways(usd).unwrap();
        let shown: Vec<_> =
            ways.iter().map(|way| (way.method.id.as_str(), way.least.minor, way.most.minor)).collect();
        assert_eq!(
            shown,
            [("card", 500, 750_000), ("bank_transfer", 1_000, 2_500_000), ("apple_pay", 500, 50_000)]
        );
        let (least, most) = span(ways).unwrap();
        assert_eq!((least.minor, most.minor), (500, 2_500_000));
        assert!(options.ways("GBP".parse().unwrap()).is_none());
    }

    #[test]
    fn countries_served_in_parts_stand_as_their_parts() {
        assert_eq!(places(&fixture::read("buy_config")), ["US-CA", "US-TX", "US-WA", "DE", "GB"]);
    }

    #[test]
    fn a_place_is_a_country_or_a_part_of_one() {
        let place = Place::parse("us-ca").unwrap();
        assert_eq!(place.to_string(), "US-CA");
        assert_eq!(place.clone().check(), Ok(place));
        assert!(Place::parse("US").unwrap().check().is_err());
        assert!(Place::parse("DE").unwrap().check().is_ok());
        for text in ["", "D", "DEU", "US-", "US-CALIF", "Uä", "DE&x=1"] {
            assert_eq!(Place::parse(text), None, "{text}");
        }
    }
}
