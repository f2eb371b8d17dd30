//! The assets, currencies and countries that a provider offers, cached and refreshed periodically.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use causeway_domain::fiat::{FiatAmount, FiatCurrency, PaymentMethod, WantedAmount};
use causeway_domain::ports::{RampAsk, RampProfile, RampRefusal};
use causeway_domain::{ChainId, SOLANA_CHAIN_ID, TokenId};
use parking_lot::RwLock;

/// A token by the provider's code and network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    pub code: String,
    pub network: String,
    /// Absent where the provider does not say.
    pub decimals: Option<u8>,
}

impl Asset {
    fn matches(&self, code: &str, network: Option<&str>) -> bool {
        self.code.eq_ignore_ascii_case(code)
            && network.is_none_or(|network| self.network.eq_ignore_ascii_case(network))
    }
}

/// A payment method in one currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentOption {
    /// Our id and name of the method.
    pub method: PaymentMethod,
    /// The provider's code of the method.
    pub code: String,
    pub limits: Option<(FiatAmount, FiatAmount)>,
}

/// Everything that a provider offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offering {
    pub assets: HashMap<TokenId, Asset>,
    /// Tokens that it no longer sells: open purchases of them are still tracked.
    pub delisted: HashMap<TokenId, Asset>,
    pub currencies: BTreeMap<FiatCurrency, Vec<PaymentOption>>,
    /// As in [`RampProfile::countries`].
    pub countries: Vec<String>,
}

impl Offering {
    pub fn asset(&self, token: &TokenId) -> Result<&Asset, RampRefusal> {
        self.assets.get(token).ok_or(RampRefusal::Asset)
    }

    /// The payment option by our id or the provider's code; the first of the currency when none is named.
    pub fn payment_option(
        &self,
        currency: FiatCurrency,
        name: Option<&str>,
    ) -> Result<&PaymentOption, RampRefusal> {
        let payment_options = self.currencies.get(&currency).ok_or(RampRefusal::Currency(currency))?;
        match name {
            None => payment_options.first().ok_or(RampRefusal::Currency(currency)),
            Some(wanted) => {
                let found = payment_options.iter().find(|payment_option| {
                    payment_option.code == wanted || payment_option.method.id == wanted
                });
                found.ok_or(RampRefusal::Method)
            }
        }
    }

    /// The asset and payment option of an ask, if both are offered there.
    pub fn find(
        &self,
        ask: &RampAsk,
        profile: &RampProfile,
    ) -> Result<(&Asset, &PaymentOption), RampRefusal> {
        let asset = self.asset(&ask.asset.id)?;
        let payment_option = self.payment_option(ask.currency, ask.method.as_deref())?;
        if ask.country.as_deref().is_some_and(|place| !profile.serves(place)) {
            return Err(RampRefusal::Country);
        }
        if let WantedAmount::Pay(amount) = ask.amount {
            in_range(amount, payment_option.limits)?;
        }
        Ok((asset, payment_option))
    }

    /// The token of a provider's code and network; without a network the code alone must be unambiguous.
    pub fn token(&self, code: &str, network: Option<&str>) -> Option<TokenId> {
        // An ambiguous code matches nothing.
        let single = |assets: &HashMap<TokenId, Asset>| {
            let mut found = assets.iter().filter(|(_, asset)| asset.matches(code, network));
            found.next().filter(|_| found.next().is_none()).map(|(token, _)| *token)
        };
        let is_sold = self.assets.values().any(|asset| asset.matches(code, network));
        single(if is_sold { &self.assets } else { &self.delisted })
    }

    /// An asset that is or was sold.
    pub fn find_asset(&self, token: &TokenId) -> Option<&Asset> {
        self.assets.get(token).or_else(|| self.delisted.get(token))
    }

    /// Whether the code and network name another token than this one.
    pub fn is_other_token(&self, token: &TokenId, code: &str, network: Option<&str>) -> bool {
        self.find_asset(token).is_some_and(|asset| !asset.matches(code, network))
    }

    /// The provider's profile with its current offering.
    #[must_use]
    pub fn profile(&self, base: &RampProfile) -> RampProfile {
        let mut chains: Vec<ChainId> = self.assets.keys().map(TokenId::chain).collect();
        chains.sort_unstable();
        chains.dedup();
        let mut methods: Vec<PaymentMethod> = Vec::new();
        let mut limits = Vec::new();
        for (currency, payment_options) in &self.currencies {
            for payment_option in payment_options {
                if !methods.iter().any(|existing| existing.id == payment_option.method.id) {
                    methods.push(payment_option.method.clone());
                }
            }
            let bounds = || payment_options.iter().filter_map(|payment_option| payment_option.limits);
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
            ..base.clone()
        }
    }
}

/// Checks an amount against the limits.
pub fn in_range(amount: FiatAmount, limits: Option<(FiatAmount, FiatAmount)>) -> Result<(), RampRefusal> {
    let Some((least, most)) = limits else { return Ok(()) };
    let inside = (least.minor..=most.minor).contains(&amount.minor) && least.currency == amount.currency;
    if inside { Ok(()) } else { Err(RampRefusal::Range { least, most }) }
}

/// Symbols of native coins by chain; the first is the current one.
const NATIVE_COINS: [(&[u64], &[&str]); 10] = [
    (&[1, 10, 130, 324, 2741, 8453, 42161, 59144, 747_474, 5_734_951], &["ETH"]),
    (&[56], &["BNB"]),
    (&[137], &["POL", "MATIC"]),
    (&[143], &["MON"]),
    (&[5000], &["MNT"]),
    (&[16661], &["0G", "A0GI"]),
    (&[43114], &["AVAX"]),
    (&[4_278_608], &["AIP"]),
    (&[80094], &["BERA"]),
    (&[SOLANA_CHAIN_ID.get()], &["SOL"]),
];

/// Whether a provider's code names the chain's native coin: `eth`, or with a network suffix, `eth_base`.
fn is_native_coin(chain: ChainId, code: &str) -> bool {
    let symbol = code.split('_').next().unwrap_or(code);
    let native = NATIVE_COINS.iter().filter(|(chains, _)| chains.contains(&chain.get()));
    native.flat_map(|(_, symbols)| symbols.iter()).any(|native| native.eq_ignore_ascii_case(symbol))
}

/// A token by a provider's chain id or network name, code and contract. Without a contract only the native coin is accepted:
/// for any other token the contract is missing, and the token is ambiguous.
pub fn token_id(chain: Option<u64>, network: &str, code: &str, contract: Option<&str>) -> Option<TokenId> {
    let chain = match network.to_ascii_lowercase().as_str() {
        "solana" => SOLANA_CHAIN_ID,
        _ => ChainId::new(chain.filter(|id| *id > 0)?)?,
    };
    match contract.map(str::trim).filter(|contract| !contract.is_empty()) {
        None => is_native_coin(chain, code).then(|| TokenId::native(chain)),
        // Providers use the wrapped SOL mint for the native coin.
        Some("So11111111111111111111111111111111111111112") if chain == SOLANA_CHAIN_ID => {
            Some(TokenId::native(chain))
        }
        Some(contract) => TokenId::of_any_case(chain, contract).ok(),
    }
}

/// Our id of a provider's payment method, the same for all providers.
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

/// The last profile and offering that were read.
pub struct OfferingCache {
    base: RampProfile,
    cached: RwLock<(Arc<RampProfile>, Option<Arc<Offering>>)>,
}

impl OfferingCache {
    /// Starts with the static part of the profile.
    pub fn new(base: RampProfile) -> Self {
        let cached = RwLock::new((Arc::new(base.clone()), None));
        Self { base, cached }
    }

    pub fn profile(&self) -> Arc<RampProfile> {
        let cached = self.cached.read();
        Arc::clone(&cached.0)
    }

    /// The last offering, if one was read.
    pub fn offering(&self) -> Option<Arc<Offering>> {
        let cached = self.cached.read();
        cached.1.clone()
    }

    /// Stores a new offering; tokens that are no longer listed are kept as delisted.
    pub fn store(&self, mut offering: Offering) -> Arc<Offering> {
        let profile = Arc::new(offering.profile(&self.base));
        let mut cached = self.cached.write();
        if let Some(before) = &cached.1 {
            for (token, asset) in before.assets.iter().chain(&before.delisted) {
                if !offering.assets.contains_key(token) {
                    offering.delisted.entry(*token).or_insert_with(|| asset.clone());
                }
            }
        }
        let offering = Arc::new(offering);
        *cached = (profile, Some(Arc::clone(&offering)));
        offering
    }

    /// Whether it sells the token; true until an offering was read.
    pub fn sells(&self, token: &TokenId) -> bool {
        self.offering().is_none_or(|offering| offering.assets.contains_key(token))
    }
}

impl fmt::Debug for OfferingCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OfferingCache({})", self.base.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base_chain() -> ChainId {
        ChainId::new(8453).unwrap()
    }

    #[test]
    fn tokens_are_identified_by_chain_and_contract() {
        let usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
        assert_eq!(token_id(Some(8453), "base", "USDC", Some(usdc)), TokenId::new(base_chain(), usdc).ok());
        assert_eq!(token_id(Some(8453), "base", "ETH", None), Some(TokenId::native(base_chain())));
        let zero = "0x0000000000000000000000000000000000000000";
        assert_eq!(token_id(Some(8453), "base", "eth_base", Some(zero)), Some(TokenId::native(base_chain())));
        let wrapped = "So11111111111111111111111111111111111111112";
        assert_eq!(token_id(None, "solana", "SOL", Some(wrapped)), Some(TokenId::native(SOLANA_CHAIN_ID)));
        assert_eq!(token_id(None, "bitcoin", "BTC", None), None);
        assert_eq!(token_id(Some(0), "mainnet", "ETH", None), None);
        assert_eq!(token_id(Some(8453), "base", "USDC", Some("USDC")), None);
    }

    #[test]
    fn token_without_contract_is_not_the_native_coin() {
        for (chain, code) in [(8453, "USDC"), (1, "WETH"), (137, "ETH"), (56, "usdt_bsc"), (999_999, "ETH")] {
            for contract in [None, Some(""), Some(" ")] {
                assert_eq!(token_id(Some(chain), "network", code, contract), None, "{code} on {chain}");
            }
        }
        for (chain, code) in
            [(8453, "eth_base"), (137, "POL"), (137, "matic_polygon"), (43114, "avax_cchain")]
        {
            let native = TokenId::native(ChainId::new(chain).unwrap());
            assert_eq!(token_id(Some(chain), "network", code, None), Some(native), "{code}");
        }
        assert_eq!(token_id(None, "solana", "sol", None), Some(TokenId::native(SOLANA_CHAIN_ID)));
        assert_eq!(token_id(None, "solana", "BONK", None), None);
    }

    #[test]
    fn delisted_token_is_recognized_but_not_sold() {
        let asset = Asset { code: "USDC".to_owned(), network: "base".to_owned(), decimals: Some(6) };
        let token = TokenId::new(base_chain(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap();
        let mut before = Offering::default();
        before.assets.insert(token, asset);
        let offering_cache = OfferingCache::new(before.profile(&base_profile()));
        offering_cache.store(before);
        for _ in 0..2 {
            let now = offering_cache.store(Offering::default());
            assert_eq!(now.token("usdc", Some("base")), Some(token));
            assert!(!offering_cache.sells(&token) && now.asset(&token).is_err());
            assert!(
                now.is_other_token(&token, "DAI", None) && !now.is_other_token(&token, "USDC", Some("base"))
            );
        }
    }

    fn base_profile() -> RampProfile {
        RampProfile {
            id: "p".to_owned(),
            name: "P".to_owned(),
            logo_url: None,
            chains: Vec::new(),
            currencies: Vec::new(),
            methods: Vec::new(),
            countries: Vec::new(),
            limits: Vec::new(),
            firmness: causeway_domain::fiat::QuoteFirmness::Firm,
            webhooks: true,
            polling: true,
            origins: Vec::new(),
            permissions: Vec::new(),
            session_for: None,
        }
    }

    #[test]
    fn ambiguous_code_matches_no_token() {
        let mut offering = Offering::default();
        let asset =
            |network: &str| Asset { code: "ETH".to_owned(), network: network.to_owned(), decimals: Some(18) };
        offering.assets.insert(TokenId::native(base_chain()), asset("base"));
        assert_eq!(offering.token("eth", None), Some(TokenId::native(base_chain())));
        offering.assets.insert(TokenId::native(ChainId::new(1).unwrap()), asset("ethereum"));
        assert_eq!(offering.token("eth", None), None);
        assert_eq!(offering.token("eth", Some("base")), Some(TokenId::native(base_chain())));
    }
}
