mod deposit_builder;
mod executor;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use alloy_primitives::{Address as EvmAddress, U256};
use causeway_catalog::Catalog;
use causeway_domain::ports::{
    DepositBuilder, ForwardingSigner, Offer, OrderExecutor, OrderStore as _, TxSender,
};
use causeway_domain::{
    Address, Ask, ChainId, DepositMethod, Order, Parties, Quote, QuoteId, QuoteKey, QuoteKeys, RawAmount,
    Route, RouteId, RouteSeal, RowKeys, SOLANA_CHAIN_ID, TokenId, TradeType,
};
use causeway_store::{Location, Store};
use causeway_testing::FakeForwardingSigner;
use jiff::Timestamp;
use tempfile::TempDir;

pub(crate) use deposit_builder::{FakeDepositBuilder, permit_over, signature_of, signed_by_payer};
pub(crate) use executor::{FakeExecutor, FakePrices, FakeTxSender};

use super::{BuildDeposit, BuildError, BuildParts, BuildRequest, Built, OrderTiming};
use crate::liquidity::Liquidity;
use crate::pauses::Pauses;
use crate::screening::Screening;
use crate::submit_deposit::{SubmitDeposit, SubmitParts};

pub(crate) const BASE: u64 = 8453;
pub(crate) const ARBITRUM: u64 = 42161;

/// Read once: it is the slowest part of a test.
pub(crate) static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(|| Arc::new(Catalog::bundled().unwrap()));

pub(crate) fn chain(id: u64) -> ChainId {
    ChainId::new(id).unwrap()
}

pub(crate) fn evm(byte: u8) -> Address {
    Address::Evm(EvmAddress::repeat_byte(byte))
}

pub(crate) fn usdc() -> TokenId {
    TokenId::new(chain(BASE), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap()
}

/// The default time of builds; the routes are valid for half a minute more.
pub(crate) fn now() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

pub(crate) fn valid_before() -> Timestamp {
    "2026-11-15T12:00:30Z".parse().unwrap()
}

pub(crate) fn quote_keys() -> QuoteKeys {
    QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() }
}

/// 25 USDC on Base for at least 0.0098 ETH on Arbitrum.
pub(crate) fn quote() -> Quote {
    let ask = Ask {
        trade_type: TradeType::ExactInput,
        from: usdc(),
        to: TokenId::native(chain(ARBITRUM)),
        amount: RawAmount::new(U256::from(25_000_000)),
        from_address: evm(0xa1),
        recipient: evm(0xb2),
        refund_to: evm(0xc3),
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
        deposit_window: None,
    };
    let offer = Offer {
        exact_out: None,
        deposit_methods: vec![DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer],
        amount_in: ask.amount,
        amount_out: RawAmount::from_decimal("0.01", 18).unwrap(),
        min_amount_out: RawAmount::from_decimal("0.0098", 18).unwrap(),
        expected_duration_seconds: 12,
        valid_before: valid_before(),
        price_holds_until: None,
        estimated_gas: None,
        fees: Vec::new(),
        parties: Some(Parties { filler: evm(0xf1), payee: evm(0xf2) }),
        filler_quote: None,
        gas_charge: None,
        provider: None,
    };
    let route = Route::new("house".parse().unwrap(), "house", "native-filler", offer);
    Quote { id: QuoteId::random().unwrap(), ask, integrator: None, routes: vec![route] }
}

/// The route's id, with everything that an order is built from.
pub(crate) fn seal(quote: &Quote, route: &Route) -> RouteId {
    let route = route.clone();
    let offer = Offer {
        exact_out: route.exact_out,
        deposit_methods: route.deposit_methods,
        amount_in: route.amount_in,
        amount_out: route.amount_out,
        min_amount_out: route.min_amount_out,
        expected_duration_seconds: route.expected_duration_seconds,
        valid_before: route.valid_before,
        price_holds_until: route.price_holds_until,
        estimated_gas: route.estimated_gas,
        fees: route.fees,
        parties: route.parties,
        filler_quote: route.filler_quote,
        gas_charge: route.gas_charge,
        provider: route.provider,
    };
    RouteSeal::new(&quote_keys()).seal(quote, &route.filler, &route.kind, &offer).unwrap()
}

/// Building and submitting over a real store, with everything outside of the process faked.
pub(crate) struct Scene {
    pub(crate) store: Arc<Store>,
    pub(crate) origin: Arc<FakeDepositBuilder>,
    pub(crate) solana: Arc<FakeDepositBuilder>,
    pub(crate) executor: Arc<FakeExecutor>,
    pub(crate) sender: Arc<FakeTxSender>,
    pub(crate) prices: Arc<FakePrices>,
    pub(crate) build: BuildDeposit,
    pub(crate) submit: SubmitDeposit,
    pub(crate) pauses: Arc<Pauses>,
    _folder: TempDir,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::Sqlite(folder.path().join("orders.db"))).await.unwrap();
        let store = Arc::new(store);
        let origin = FakeDepositBuilder::new(chain(BASE), 0xe1, 0xe2);
        let destination = FakeDepositBuilder::new(chain(ARBITRUM), 0xd1, 0xd2);
        let solana = FakeDepositBuilder::new(SOLANA_CHAIN_ID, 0x51, 0x52);
        let (executor, prices) = (Arc::<FakeExecutor>::default(), Arc::<FakePrices>::default());
        let sender = FakeTxSender::new(chain(BASE));
        let deposit_builders: HashMap<ChainId, Arc<dyn DepositBuilder>> = HashMap::from([
            (chain(BASE), origin.clone() as Arc<dyn DepositBuilder>),
            (chain(ARBITRUM), destination as Arc<dyn DepositBuilder>),
            (SOLANA_CHAIN_ID, solana.clone() as Arc<dyn DepositBuilder>),
        ]);
        let row_keys = Arc::new(RowKeys::new(0));
        let build = BuildDeposit::new(BuildParts {
            catalog: Arc::clone(&CATALOG),
            seal: Arc::new(RouteSeal::new(&quote_keys())),
            orders: store.clone(),
            deposit_builders: deposit_builders.clone(),
            executors: HashMap::from([("house".to_owned(), executor.clone() as Arc<dyn OrderExecutor>)])
                .into(),
            prices: prices.clone(),
            row_keys: Arc::clone(&row_keys),
            quote_keys: quote_keys(),
            timing: OrderTiming::default(),
        });
        let pauses = Arc::<Pauses>::default();
        let build = build.with_pauses(Arc::clone(&pauses));
        let submit = SubmitDeposit::new(SubmitParts {
            seal: Arc::new(RouteSeal::new(&quote_keys())),
            orders: store.clone(),
            deposit_builders,
            relayers: HashMap::from([(chain(BASE), sender.clone() as Arc<dyn TxSender>)]),
            row_keys: Arc::clone(&row_keys),
        });
        Self { store, origin, solana, executor, sender, prices, build, submit, pauses, _folder: folder }
    }

    pub(crate) fn with_liquidity(self, liquidity: Liquidity) -> Self {
        Self { build: self.build.with_liquidity(liquidity), ..self }
    }

    /// Forwarding addresses on Base.
    pub(crate) fn with_forwarding(self) -> Self {
        let signer: Arc<dyn ForwardingSigner> = Arc::new(FakeForwardingSigner(chain(BASE)));
        Self { build: self.build.with_forwarding_signers(HashMap::from([(chain(BASE), signer)])), ..self }
    }

    pub(crate) fn with_screening(self, screening: Arc<Screening>) -> Self {
        Self { build: self.build.with_screening(Some(screening)), ..self }
    }

    /// A quote, changed as the test needs it, with a sealed route.
    #[expect(clippy::unused_self, reason = "reads like the other steps of a scene")]
    pub(crate) fn quote(&self, change: impl FnOnce(&mut Quote)) -> Quote {
        let mut quote = quote();
        change(&mut quote);
        quote.routes[0].id = seal(&quote, &quote.routes[0]);
        quote
    }

    pub(crate) async fn take(&self, request: BuildRequest) -> Result<Built, BuildError> {
        self.build.build_at(request, now()).await
    }

    /// A new order by that method.
    pub(crate) async fn order(&self, method: DepositMethod) -> Order {
        let quote = self.quote(|_| {});
        self.take(BuildRequest { method: Some(method), ..request(&quote) }).await.unwrap().order
    }

    /// A quote from SOL on Solana to the same destination.
    pub(crate) fn solana_quote(&self) -> Quote {
        let wallet = |byte: u8| Address::Solana([byte; 32]);
        let change = |quote: &mut Quote| {
            quote.ask.from = TokenId::native(SOLANA_CHAIN_ID);
            (quote.ask.from_address, quote.ask.refund_to) = (wallet(0xa1), wallet(0xc3));
            quote.routes[0].parties = Some(Parties { filler: wallet(0xf1), payee: wallet(0xf2) });
            quote.routes[0].deposit_methods = vec![DepositMethod::ContractCall, DepositMethod::Transfer];
        };
        self.quote(change)
    }

    /// The order as it is stored.
    pub(crate) async fn stored(&self, order: &Order) -> Order {
        self.store.order(&order.id).await.unwrap().unwrap()
    }

    /// Whether the quote's first route was taken.
    pub(crate) async fn is_taken(&self, quote: &Quote) -> bool {
        self.store.order_of_route(&quote.id, &quote.routes[0].id).await.unwrap().is_some()
    }
}

pub(crate) fn request(quote: &Quote) -> BuildRequest {
    BuildRequest {
        quote: quote.id.clone(),
        route: quote.routes[0].id.clone(),
        from: quote.ask.from_address,
        recipient: None,
        refund_to: None,
        method: Some(DepositMethod::ContractCall),
        client: None,
    }
}
