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

impl Asset {
    fn is_named(&self, code: &str, network: Option<&str>) -> bool {
        self.code.eq_ignore_ascii_case(code)
            && network.is_none_or(|network| self.network.eq_ignore_ascii_case(network))
    }
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
    /// What it sells no more, or not now: purchases of it may still be open, and are followed on.
    pub closed: HashMap<TokenId, Asset>,
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
        // Two of one name are none.
        let only = |assets: &HashMap<TokenId, Asset>| {
            let mut found = assets.iter().filter(|(_, asset)| asset.is_named(code, network));
            found.next().filter(|_| found.next().is_none()).map(|(token, _)| *token)
        };
        let is_sold = self.assets.values().any(|asset| asset.is_named(code, network));
        only(if is_sold { &self.assets } else { &self.closed })
    }

    /// A token as it is or was called.
    pub fn known(&self, token: &TokenId) -> Option<&Asset> {
        self.assets.get(token).or_else(|| self.closed.get(token))
    }

    /// Whether the provider speaks of another token than this one, which it calls otherwise.
    pub fn is_another(&self, token: &TokenId, code: &str, network: Option<&str>) -> bool {
        self.known(token).is_some_and(|asset| !asset.is_named(code, network))
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

/// The chains' own coins by the symbols that providers give them; the first is the newest.
const OWN_COINS: [(&[u64], &[&str]); 10] = [
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

/// Whether a provider's code names the chain's own coin: `eth`, or with the network behind it, `eth_base`.
fn is_own_coin(chain: ChainId, code: &str) -> bool {
    let symbol = code.split('_').next().unwrap_or(code);
    let own = OWN_COINS.iter().filter(|(chains, _)| chains.contains(&chain.get()));
    own.flat_map(|(_, symbols)| symbols.iter()).any(|own| own.eq_ignore_ascii_case(symbol))
}

/// A token by a provider's own chain number or network name, code and contract. Without a contract only the chain's own coin is meant:
/// of any other token the contract was left out, and nobody can tell which it is.
pub fn token_id(chain: Option<u64>, network: &str, code: &str, contract: Option<&str>) -> Option<TokenId> {
    let chain = match network.to_ascii_lowercase().as_str() {
        "solana" => SOLANA_CHAIN_ID,
        _ => ChainId::new(chain.filter(|id| *id > 0)?)?,
    };
    match contract.map(str::trim).filter(|contract| !contract.is_empty()) {
        None => is_own_coin(chain, code).then(|| TokenId::native(chain)),
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

    /// Keeps what was read anew; what it sold before and lists no more is remembered.
    pub fn keep(&self, mut offering: Offering) -> Arc<Offering> {
        let profile = Arc::new(offering.profile(&self.plain));
        let mut kept = self.kept.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(before) = &kept.1 {
            for (token, asset) in before.assets.iter().chain(&before.closed) {
                if !offering.assets.contains_key(token) {
                    offering.closed.entry(*token).or_insert_with(|| asset.clone());
                }
            }
        }
        let offering = Arc::new(offering);
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
        assert_eq!(token_id(Some(8453), "base", "USDC", Some(usdc)), TokenId::new(base(), usdc).ok());
        assert_eq!(token_id(Some(8453), "base", "ETH", None), Some(TokenId::native(base())));
        let zero = "0x0000000000000000000000000000000000000000";
        assert_eq!(token_id(Some(8453), "base", "eth_base", Some(zero)), Some(TokenId::native(base())));
        let wrapped = "So11111111111111111111111111111111111111112";
        assert_eq!(token_id(None, "solana", "SOL", Some(wrapped)), Some(TokenId::native(SOLANA_CHAIN_ID)));
        assert_eq!(token_id(None, "bitcoin", "BTC", None), None);
        assert_eq!(token_id(Some(0), "mainnet", "ETH", None), None);
        assert_eq!(token_id(Some(8453), "base", "USDC", Some("USDC")), None);
    }

    #[test]
    fn a_token_whose_contract_was_left_out_is_not_the_chains_own_coin() {
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
    fn what_is_sold_no_more_is_known_by_its_name_and_sold_no_more() {
        let asset = Asset { code: "USDC".to_owned(), network: "base".to_owned(), decimals: Some(6) };
        let token = TokenId::new(base(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap();
        let mut before = Offering::default();
        before.assets.insert(token, asset);
        let lists = Lists::new(before.profile(&plain()));
        lists.keep(before);
        for _ in 0..2 {
            let now = lists.keep(Offering::default());
            assert_eq!(now.token("usdc", Some("base")), Some(token));
            assert!(!lists.sells(&token) && now.asset(&token).is_err());
            assert!(now.is_another(&token, "DAI", None) && !now.is_another(&token, "USDC", Some("base")));
        }
    }

    fn plain() -> RampProfile {
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
