//! What a provider says that it sells, takes, and where: read once, kept, and read anew every so often.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, RwLock};

use causeway_domain::fiat::{FiatAmount, FiatCurrency, PaymentMethod, WantedAmount};
use causeway_domain::ports::{RampAsk, RampProfile, RampRefusal};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID, TokenId};

/// A token as the provider calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    pub code: String,
    pub network: String,
    /// Absent where the provider does not say.
    pub decimals: Option<u8>,
}

/// A way of paying in one currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// In our words.
    pub method: PaymentMethod,
    /// In the provider's.
    pub code: String,
    pub limits: Option<(FiatAmount, FiatAmount)>,
}

/// All that a provider offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offering {
    pub assets: HashMap<TokenId, Asset>,
    pub currencies: BTreeMap<FiatCurrency, Vec<Way>>,
    /// As in [`RampProfile::countries`].
    pub countries: Vec<String>,
}

impl Offering {
    pub fn asset(&self, token: &TokenId) -> Result<&Asset, RampRefusal> {
        self.assets.get(token).ok_or(RampRefusal::Asset)
    }

    /// The way that is meant by our name or the provider's; the first of the currency when none is named.
    pub fn way(&self, currency: FiatCurrency, named: Option<&str>) -> Result<&Way, RampRefusal> {
        let ways = self.currencies.get(&currency).ok_or(RampRefusal::Currency(currency))?;
        match named {
            None => ways.first().ok_or(RampRefusal::Currency(currency)),
            Some(name) => {
                let found = ways.iter().find(|way| way.code == name || way.method.id == name);
                found.ok_or(RampRefusal::Method)
            }
        }
    }

    /// What an ask names, if all of it is offered there.
    pub fn find(&self, ask: &RampAsk, profile: &RampProfile) -> Result<(&Asset, &Way), RampRefusal> {
        let asset = self.asset(&ask.asset.id)?;
        let way = self.way(ask.currency, ask.method.as_deref())?;
        if ask.country.as_deref().is_some_and(|place| !profile.serves(place)) {
            return Err(RampRefusal::Country);
        }
        if let WantedAmount::Pay(amount) = ask.amount {
            in_range(amount, way.limits)?;
        }
        Ok((asset, way))
    }

    /// Which token a provider means by its code and network; the network does not matter where the code says it.
    pub fn token(&self, code: &str, network: Option<&str>) -> Option<TokenId> {
        let means = |asset: &Asset| {
            asset.code.eq_ignore_ascii_case(code)
                && network.is_none_or(|network| asset.network.eq_ignore_ascii_case(network))
        };
        let mut found = self.assets.iter().filter(|(_, asset)| means(asset)).map(|(token, _)| *token);
        // Two of one name are none.
        found.next().filter(|_| found.next().is_none())
    }

    /// The provider's profile with what it offers now.
    #[must_use]
    pub fn profile(&self, plain: &RampProfile) -> RampProfile {
        let mut chains: Vec<ChainId> = self.assets.keys().map(TokenId::chain).collect();
        chains.sort_unstable();
        chains.dedup();
        let mut methods: Vec<PaymentMethod> = Vec::new();
        let mut limits = Vec::new();
        for (currency, ways) in &self.currencies {
            for way in ways {
                if !methods.iter().any(|known| known.id == way.method.id) {
                    methods.push(way.method.clone());
                }
            }
            let bounds = || ways.iter().filter_map(|way| way.limits);
            let least = bounds().map(|(least, _)| least.minor).min();
            let most = bounds().map(|(_, most)| most.minor).max();
            limits.extend(
                least.zip(most).map(|(least, most)| {
                    (FiatAmount::new(*currency, least), FiatAmount::new(*currency, most))
                }),
            );
        }
        RampProfile {
            chains,
            currencies: self.currencies.keys().copied().collect(),
            methods,
            countries: self.countries.clone(),
            limits,
            ..plain.clone()
        }
    }
}

/// Whether an amount may be paid.
pub fn in_range(amount: FiatAmount, limits: Option<(FiatAmount, FiatAmount)>) -> Result<(), RampRefusal> {
    let Some((least, most)) = limits else { return Ok(()) };
    let inside = (least.minor..=most.minor).contains(&amount.minor) && least.currency == amount.currency;
    if inside { Ok(()) } else { Err(RampRefusal::Range { least, most }) }
}

/// A token by a provider's own chain number or network name and contract; a chain's own coin where there is no contract.
pub fn token_id(chain: Option<u64>, network: &str, contract: Option<&str>) -> Option<TokenId> {
    let chain = match network.to_ascii_lowercase().as_str() {
        "solana" => SOLANA_CHAIN_ID,
        _ => ChainId::new(chain.filter(|id| *id > 0)?)?,
    };
    match contract.map(str::trim).filter(|contract| !contract.is_empty()) {
        None => Some(TokenId::native(chain)),
        // The contract by which Solana's own coin goes when it is wrapped is named for the coin itself.
        Some("So11111111111111111111111111111111111111112") if chain == SOLANA_CHAIN_ID => {
            Some(TokenId::native(chain))
        }
        Some(contract) => TokenId::new(chain, contract).ok(),
    }
}

/// Our word for a provider's way of paying, so that people can ask all providers for the same one.
pub fn method_id(code: &str) -> &str {
    match code {
        "credit_debit_card" | "card" | "debit_card" | "credit_card" => "card",
        "sepa_bank_transfer"
        | "gbp_bank_transfer"
        | "ach_bank_transfer"
        | "inr_bank_transfer"
        | "pm_us_wire_bank_transfer"
        | "bank_transfer" => "bank_transfer",
        other => other,
    }
}

/// A profile and the lists behind it, as they were last read.
pub struct Lists {
    plain: RampProfile,
    kept: RwLock<(Arc<RampProfile>, Option<Arc<Offering>>)>,
}

impl Lists {
    /// Nothing is known yet but what never changes.
    pub fn new(plain: RampProfile) -> Self {
        let kept = RwLock::new((Arc::new(plain.clone()), None));
        Self { plain, kept }
    }

    pub fn profile(&self) -> Arc<RampProfile> {
        let kept = self.kept.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(&kept.0)
    }

    /// What was last read, if anything was.
    pub fn offering(&self) -> Option<Arc<Offering>> {
        let kept = self.kept.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        kept.1.clone()
    }

    pub fn keep(&self, offering: Offering) -> Arc<Offering> {
        let profile = Arc::new(offering.profile(&self.plain));
        let offering = Arc::new(offering);
        let mut kept = self.kept.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        *kept = (profile, Some(Arc::clone(&offering)));
        offering
    }

    /// Whether it sells the token; true while nobody knows.
    pub fn sells(&self, token: &TokenId) -> bool {
        self.offering().is_none_or(|offering| offering.assets.contains_key(token))
    }
}

impl fmt::Debug for Lists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lists({})", self.plain.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> ChainId {
        ChainId::new(8453).unwrap()
    }

    #[test]
    fn tokens_are_known_by_chain_and_contract() {
        let usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
        assert_eq!(token_id(Some(8453), "base", Some(usdc)), TokenId::new(base(), usdc).ok());
        assert_eq!(token_id(Some(8453), "base", None), Some(TokenId::native(base())));
        let zero = "0x0000000000000000000000000000000000000000";
        assert_eq!(token_id(Some(8453), "base", Some(zero)), Some(TokenId::native(base())));
        let wrapped = "So11111111111111111111111111111111111111112";
        assert_eq!(token_id(None, "solana", Some(wrapped)), Some(TokenId::native(SOLANA_CHAIN_ID)));
        assert_eq!(token_id(None, "bitcoin", None), None);
        assert_eq!(token_id(Some(0), "mainnet", None), None);
        assert_eq!(token_id(Some(8453), "base", Some("USDC")), None);
    }

    #[test]
    fn a_name_that_two_tokens_have_means_neither() {
        let mut offering = Offering::default();
        let asset =
            |network: &str| Asset { code: "ETH".to_owned(), network: network.to_owned(), decimals: Some(18) };
        offering.assets.insert(TokenId::native(base()), asset("base"));
        assert_eq!(offering.token("eth", None), Some(TokenId::native(base())));
        offering.assets.insert(TokenId::native(ChainId::new(1).unwrap()), asset("ethereum"));
        assert_eq!(offering.token("eth", None), None);
        assert_eq!(offering.token("eth", Some("base")), Some(TokenId::native(base())));
    }
}
