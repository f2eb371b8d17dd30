//! Coinbase's assets, currencies and places, mapped to the domain.

use std::collections::HashMap;
use std::fmt;

use causeway_domain::fiat::{FiatAmount, FiatCurrency, PaymentMethod};
use causeway_domain::ports::{RampError, RampRefusal};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID, Token, TokenId};

use super::wire::{BuyConfig, BuyOptions, MethodLimits, Network};

/// The location of a payer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) country: String,
    pub(super) subdivision: Option<String>,
}

impl Place {
    /// Parses `DE` or `US-CA`.
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

    /// Coinbase requires the state of a payer in the United States.
    pub(super) fn check(self) -> Result<Self, RampRefusal> {
        if self.country == "US" && self.subdivision.is_none() {
            let message = "it sells by state in the United States: name the state too, for instance US-CA";
            return Err(RampRefusal::Other(message.to_owned()));
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

/// Coinbase's names of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedAsset {
    pub(super) currency: String,
    pub(super) symbol: String,
    pub(super) network: String,
}

/// A payment method with its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PaymentOption {
    /// Coinbase's id.
    pub(super) id: String,
    pub(super) method: PaymentMethod,
    pub(super) least: FiatAmount,
    pub(super) most: FiatAmount,
}

impl PaymentOption {
    pub(super) const fn takes(&self, amount: FiatAmount) -> bool {
        self.least.minor <= amount.minor && amount.minor <= self.most.minor
    }
}

/// What can be bought in one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) sold: HashMap<TokenId, ListedAsset>,
    pub(super) currencies: Vec<(FiatCurrency, Vec<PaymentOption>)>,
}

impl Options {
    /// Unknown tokens and currencies are skipped; a malformed amount is Coinbase's fault.
    pub(super) fn read(lists: BuyOptions, assets: &HashMap<TokenId, Token>) -> Result<Self, RampError> {
        let mut options = Self::default();
        for currency in lists.purchase_currencies {
            for network in &currency.networks {
                let Some(id) = token(network, &currency.symbol, assets) else { continue };
                let (currency, symbol) = (currency.id.clone(), currency.symbol.clone());
                options.sold.insert(id, ListedAsset { currency, symbol, network: network.name.clone() });
            }
        }
        for listed in lists.payment_currencies {
            let Ok(currency) = listed.id.parse() else { continue };
            let payment_options: Vec<_> = listed
                .limits
                .iter()
                .filter_map(|limits| payment_option(limits, currency))
                .collect::<Result<_, _>>()?;
            if !payment_options.is_empty() {
                options.currencies.push((currency, payment_options));
            }
        }
        Ok(options)
    }

    pub(super) fn payment_options(&self, currency: FiatCurrency) -> Option<&[PaymentOption]> {
        let found = self.currencies.iter().find(|(listed, _)| *listed == currency);
        found.map(|(_, payment_options)| payment_options.as_slice())
    }
}

/// The limits over all payment options.
pub(super) fn overall_limits(payment_options: &[PaymentOption]) -> Option<(FiatAmount, FiatAmount)> {
    let least = payment_options
        .iter()
        .map(|payment_option| payment_option.least)
        .min_by_key(|amount| amount.minor)?;
    let most =
        payment_options.iter().map(|payment_option| payment_option.most).max_by_key(|amount| amount.minor)?;
    Some((least, most))
}

/// Served places: countries, and subdivisions of partly served ones.
pub(super) fn places(config: &BuyConfig) -> Vec<String> {
    let listed = config.countries.iter().filter(|country| country.id.len() == 2);
    let places = listed.flat_map(|country| {
        let parts = country.subdivisions.iter().map(|part| format!("{}-{part}", country.id));
        let whole = country.subdivisions.is_empty().then(|| country.id.clone());
        parts.chain(whole).collect::<Vec<_>>()
    });
    places.collect()
}

fn payment_option(limits: &MethodLimits, currency: FiatCurrency) -> Option<Result<PaymentOption, RampError>> {
    let method = method(&limits.id)?;
    let read = || {
        let (least, most) = (limits.min.fiat_up(currency)?, limits.max.fiat_down(currency)?);
        Ok(PaymentOption { id: limits.id.clone(), method, least, most })
    };
    let payment_option: Result<PaymentOption, RampError> = read();
    // An option with an empty range is skipped.
    payment_option
        .map(|payment_option| {
            (payment_option.least.minor < payment_option.most.minor && payment_option.most.minor > 0)
                .then_some(payment_option)
        })
        .transpose()
}

/// Our payment method; `None` for methods that are not fiat payments.
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

/// The newer API has its own ids for some methods, and does not support all of them.
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

/// A known token by its contract. Without a contract it is the native coin, if the symbol matches: a token whose
/// contract is missing must not be mistaken for the coin.
pub(super) fn token_at(
    chain: ChainId,
    contract: &str,
    symbol: &str,
    assets: &HashMap<TokenId, Token>,
) -> Option<TokenId> {
    if !contract.is_empty() {
        return TokenId::of_any_case(chain, contract).ok().filter(|id| assets.contains_key(id));
    }
    let coin = assets.get(&TokenId::native(chain))?;
    coin.symbol.eq_ignore_ascii_case(symbol).then_some(coin.id)
}

/// Chains by Coinbase's network names.
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
    fn tokens_are_identified_by_chain_and_contract_only() {
        let options = options();
        let sold = &options.sold[&usdc().id];
        assert_eq!((sold.symbol.as_str(), sold.network.as_str()), ("USDC", "base"));
        assert_eq!(options.sold[&TokenId::native(base())].symbol, "ETH");
        assert!(options.sold.keys().all(|id| assets().contains_key(id)), "unknown tokens are skipped");
        let nameless =
            Network { name: "base".to_owned(), chain_id: String::new(), contract_address: String::new() };
        assert_eq!(token(&nameless, "USDC", &assets()), None, "a token without its contract is not the coin");
    }

    #[test]
    fn limits_are_read_by_currency_and_method() {
        let options = options();
        let usd: FiatCurrency = "USD".parse().unwrap();
        let payment_options = options.payment_options(usd).unwrap();
        let shown: Vec<_> = payment_options
            .iter()
            .map(|payment_option| {
                (payment_option.method.id.as_str(), payment_option.least.minor, payment_option.most.minor)
            })
            .collect();
        assert_eq!(
            shown,
            [("card", 500, 750_000), ("bank_transfer", 1_000, 2_500_000), ("apple_pay", 500, 50_000)]
        );
        let (least, most) = overall_limits(payment_options).unwrap();
        assert_eq!((least.minor, most.minor), (500, 2_500_000));
        assert!(options.payment_options("GBP".parse().unwrap()).is_none());
    }

    #[test]
    fn partly_served_countries_are_listed_by_subdivision() {
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
