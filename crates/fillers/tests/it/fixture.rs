use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{
    FillerAsk, GasFeed, Offer, PriceFeed, Refusal, TokenPolicy, VaultRate, VaultRates,
};
use causeway_domain::{
    Address, Ask, ChainId, DepositMethod, Family, Parties, RawAmount, SOLANA_CHAIN_ID, Token, TokenId,
    TradeType, UsdPrice,
};
use causeway_fillers::inventory::{
    Accounts, Book, Breakers, ChainTerms, FillerDependencies, InventoryConfig, InventoryFiller, ServedToken,
    Unclaimed,
};
use jiff::Timestamp;
use tokio::time::Instant;

pub(crate) const ETHEREUM: u64 = 1;
pub(crate) const BASE: u64 = 8453;

pub(crate) fn chain(id: u64) -> ChainId {
    ChainId::new(id).unwrap()
}

pub(crate) fn raw(units: u64) -> RawAmount {
    RawAmount::new(U256::from(units))
}

pub(crate) fn decimal(text: &str, decimals: u8) -> RawAmount {
    RawAmount::from_decimal(text, decimals).unwrap()
}

fn token(id: TokenId, symbol: &str, decimals: u8) -> Token {
    Token { id, symbol: symbol.to_owned(), name: symbol.to_owned(), decimals, logo: None }
}

fn erc20(on: u64, byte: u8, symbol: &str, decimals: u8) -> Token {
    let address = Address::Evm(alloy_primitives::Address::repeat_byte(byte));
    token(TokenId::new(chain(on), &address.to_string()).unwrap(), symbol, decimals)
}

pub(crate) fn usdc(on: u64) -> Token {
    erc20(on, 0xc0, "USDC", 6)
}

pub(crate) fn dai(on: u64) -> Token {
    erc20(on, 0xda, "DAI", 18)
}

pub(crate) fn weth(on: u64) -> Token {
    erc20(on, 0xe1, "WETH", 18)
}

/// Shares of a vault of USDC.
pub(crate) fn shares(on: u64) -> Token {
    erc20(on, 0x5a, "vUSDC", 18)
}

pub(crate) fn eth(on: u64) -> Token {
    token(TokenId::native(chain(on)), "ETH", 18)
}

pub(crate) fn sol() -> Token {
    token(TokenId::native(SOLANA_CHAIN_ID), "SOL", 9)
}

/// USDC on Solana.
pub(crate) fn spl() -> Token {
    let mint = Address::Solana([0xc0; 32]);
    token(TokenId::from_address(SOLANA_CHAIN_ID, mint).unwrap(), "USDC", 6)
}

pub(crate) fn served_token(token: &Token) -> ServedToken {
    let (asset, stable) = match token.symbol.as_str() {
        "USDC" => ("usd-coin", true),
        "DAI" => ("dai", true),
        "ETH" | "WETH" => ("ethereum", false),
        other => (other, false),
    };
    ServedToken { id: token.id, decimals: token.decimals, asset: asset.to_owned(), stable }
}

pub(crate) fn parties(family: Family) -> Parties {
    match family {
        Family::Evm => Parties {
            filler: Address::Evm(alloy_primitives::Address::repeat_byte(0xf1)),
            payee: Address::Evm(alloy_primitives::Address::repeat_byte(0xf2)),
        },
        Family::Solana => Parties { filler: Address::Solana([0xf1; 32]), payee: Address::Solana([0xf2; 32]) },
        Family::Bitcoin | Family::Tron => panic!("no market maker holds anything there"),
    }
}

pub(crate) fn accounts() -> Accounts {
    Accounts { evm: Some(parties(Family::Evm)), solana: Some(parties(Family::Solana)) }
}

/// Fake feeds; a test may change their values.
#[derive(Debug, Default)]
pub(crate) struct FakeFeeds {
    pub(crate) prices: Mutex<HashMap<TokenId, UsdPrice>>,
    /// Why a token has no price.
    pub(crate) unpriced: Mutex<HashMap<TokenId, String>>,
    pub(crate) gas: Mutex<HashMap<ChainId, RawAmount>>,
    pub(crate) vaults: Mutex<HashMap<TokenId, Option<VaultRate>>>,
    pub(crate) untradable: Mutex<HashMap<TokenId, Refusal>>,
}

impl PriceFeed for FakeFeeds {
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
        self.prices.lock().unwrap().get(token).copied()
    }

    fn unpriced(&self, token: &TokenId) -> Option<String> {
        self.unpriced.lock().unwrap().get(token).cloned()
    }
}

impl GasFeed for FakeFeeds {
    fn price(&self, chain: ChainId) -> Option<RawAmount> {
        self.gas.lock().unwrap().get(&chain).copied()
    }
}

impl VaultRates for FakeFeeds {
    fn rate(&self, share: &TokenId) -> Option<VaultRate> {
        self.vaults.lock().unwrap().get(share).copied().flatten()
    }

    fn is_share(&self, token: &TokenId) -> bool {
        self.vaults.lock().unwrap().contains_key(token)
    }
}

impl TokenPolicy for FakeFeeds {
    fn refusal(&self, token: &TokenId) -> Option<Refusal> {
        self.untradable.lock().unwrap().get(token).cloned()
    }
}

impl FakeFeeds {
    pub(crate) fn set_price(&self, token: &Token, price: &str) {
        self.prices.lock().unwrap().insert(token.id, price.parse().unwrap());
    }
}

/// A filler with its dependencies: USDC, DAI, ETH and WETH on two chains, SOL and USDC on Solana, and a vault of USDC on Base.
pub(crate) struct FillerFixture {
    pub(crate) feeds: Arc<FakeFeeds>,
    pub(crate) book: Arc<Book>,
    pub(crate) unclaimed: Arc<Unclaimed>,
    pub(crate) filler: Arc<InventoryFiller>,
}

pub(crate) fn tokens() -> Vec<Token> {
    let on = |id| [usdc(id), dai(id), weth(id), eth(id)];
    [ETHEREUM, BASE].into_iter().flat_map(on).chain([sol(), spl()]).collect()
}

impl FillerFixture {
    pub(crate) fn new() -> Self {
        Self::with_config(InventoryConfig::default(), &tokens())
    }

    /// A filler that holds a million of each of these tokens.
    pub(crate) fn with_config(config: InventoryConfig, tokens: &[Token]) -> Self {
        let feeds = Arc::new(FakeFeeds::default());
        for token in tokens.iter().chain(&[eth(ETHEREUM), eth(BASE), sol()]) {
            let price = match token.symbol.as_str() {
                "ETH" | "WETH" => "3500",
                "SOL" => "160",
                _ => "1",
            };
            feeds.set_price(token, price);
        }
        let gas = [
            (chain(ETHEREUM), raw(1_000_000_000)),
            (chain(BASE), raw(10_000_000)),
            (SOLANA_CHAIN_ID, raw(5_000)),
        ];
        feeds.gas.lock().unwrap().extend(gas);
        let rate = VaultRate { asset: usdc(BASE).id, assets: raw(1_050_000), shares: decimal("1", 18) };
        feeds.vaults.lock().unwrap().insert(shares(BASE).id, Some(rate));

        let book = Arc::new(Book::new(Duration::from_hours(1)));
        book.set_reserved(Instant::now(), []);
        for id in [chain(ETHEREUM), chain(BASE), SOLANA_CHAIN_ID] {
            let here = tokens.iter().filter(|token| token.id.chain() == id);
            let million = |token: &Token| (token.id, decimal("1000000", token.decimals));
            book.set_held(id, Instant::now(), here.map(million));
        }

        let methods = [DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer];
        let terms = |id, seconds| (id, ChainTerms::new(id, seconds, methods.to_vec()));
        let unclaimed = Arc::new(Unclaimed::default());
        let deps = FillerDependencies {
            chains: [terms(chain(ETHEREUM), 48), terms(chain(BASE), 20), terms(SOLANA_CHAIN_ID, 13)].into(),
            tokens: tokens.iter().map(served_token).collect(),
            accounts: accounts(),
            prices: feeds.clone(),
            gas: feeds.clone(),
            vaults: feeds.clone(),
            token_policy: feeds.clone(),
            book: Arc::clone(&book),
            unclaimed: Arc::clone(&unclaimed),
            breakers: Breakers::default(),
            claim_sizes: Arc::default(),
        };
        let filler = Arc::new(InventoryFiller::new(config, deps).unwrap());
        Self { feeds, book, unclaimed, filler }
    }

    /// The offer for the first group of the wanted deposit methods.
    pub(crate) fn offer(&self, ask: &FillerAsk, now: Timestamp) -> Result<Offer, Refusal> {
        self.filler.offers(ask, now).map(|offers| offers.into_iter().next().unwrap())
    }
}

pub(crate) fn ask(trade_type: TradeType, from: &Token, to: &Token, amount: RawAmount) -> FillerAsk {
    let from_address = parties(from.id.chain().family()).payee;
    let ask = Ask {
        trade_type,
        from: from.id,
        to: to.id,
        amount,
        from_address,
        recipient: parties(to.id.chain().family()).payee,
        refund_to: from_address,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
        deposit_window: None,
    };
    FillerAsk { ask, from: from.clone().into(), to: to.clone().into() }
}

pub(crate) fn sell(from: &Token, to: &Token, amount: &str) -> FillerAsk {
    ask(TradeType::ExactInput, from, to, decimal(amount, from.decimals))
}

pub(crate) fn buy(from: &Token, to: &Token, amount: &str) -> FillerAsk {
    ask(TradeType::ExactOutput, from, to, decimal(amount, to.decimals))
}
