use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use alloy_primitives::{Address as EvmAddress, B256, U256};
use causeway_catalog::Catalog;
use causeway_domain::ports::{
    ChainCursor, ChainStore as _, Creation, FinalityTier, ForwardingSigner, GasFeed, OrderExecutor,
    OrderStore as _, PriceFeed, TxSender,
};
use causeway_domain::{
    Address, ChainId, DepositMethod, EventKind, Fact, FactKind, FactPlace, IntentTerms, Order, OrderEvent,
    OrderId, OrderStatus, RawAmount, RefundCause, RowKeys, TokenId,
};
use causeway_engine::{ChainCursors, ExecutorRegistry, WorkOrders, WorkParts};
use causeway_store::{Location, Store};
use causeway_testing::FakeForwardingSigner;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::fake_chain::FakeWatch;
use crate::fakes::{DearGas, FakeAttesters, FakeExecutor, FakeTxSender, NoPrices};
use crate::sample::order;

pub(crate) const ORIGIN: u64 = 8453;
pub(crate) const DESTINATION: u64 = 1;
/// Times of the chains.
pub(crate) const OPEN_UNTIL: u64 = 1_000;
pub(crate) const FILL_UNTIL: u64 = 2_000;
pub(crate) const REFUND_AFTER: u64 = 3_000;
pub(crate) const AMOUNT_IN: u64 = 1_000;

/// Read once: it is the slowest part of a test.
static CATALOG: LazyLock<Arc<Catalog>> = LazyLock::new(|| Arc::new(Catalog::bundled().unwrap()));

pub(crate) fn chain(id: u64) -> ChainId {
    ChainId::new(id).unwrap()
}

pub(crate) fn raw(units: u64) -> RawAmount {
    RawAmount::new(U256::from(units))
}

pub(crate) fn address(byte: u8) -> Address {
    Address::Evm(EvmAddress::repeat_byte(byte))
}

pub(crate) fn token(on: u64, byte: u8) -> TokenId {
    TokenId::from_address(chain(on), address(byte)).unwrap()
}

pub(crate) fn input() -> TokenId {
    token(ORIGIN, 5)
}

pub(crate) fn cursor(number: u64, time: u64) -> ChainCursor {
    ChainCursor { number, hash: B256::with_last_byte(1), time }
}

/// Later than any lease and any due time.
pub(crate) fn later() -> Timestamp {
    Timestamp::now() + SignedDuration::from_hours(1)
}

/// A real store with one order, and everything outside of the process faked.
pub(crate) struct Scene {
    pub(crate) store: Arc<Store>,
    pub(crate) executor: Arc<FakeExecutor>,
    pub(crate) relayer: Arc<FakeTxSender>,
    pub(crate) cursors: Arc<ChainCursors>,
    pub(crate) attesters: FakeAttesters,
    pub(crate) row_keys: Arc<RowKeys>,
    /// Whether gas has a price, and tokens have none.
    pub(crate) is_gas_dear: bool,
    /// Balances that can be read, by chain.
    pub(crate) watches: HashMap<ChainId, Arc<FakeWatch>>,
    pub(crate) id: OrderId,
    pub(crate) terms: IntentTerms,
    _folder: TempDir,
}

impl Scene {
    /// An order that waits for its deposit.
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// The same for a plain transfer to an address.
    pub(crate) async fn transfer() -> Self {
        Self::with(|order| {
            order.method = DepositMethod::Transfer;
            order.deposit_address = Some(address(0xda));
            order.announced = true;
        })
        .await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Order)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::Sqlite(folder.path().join("orders.db"))).await.unwrap();
        let (store, row_keys) = (Arc::new(store), Arc::new(RowKeys::new(0)));
        let order = add_order(&store, &row_keys, change).await;
        Self {
            executor: FakeExecutor::new(store.clone()),
            relayer: FakeTxSender::new(chain(ORIGIN)),
            cursors: Arc::default(),
            attesters: FakeAttesters { filled: false },
            row_keys,
            is_gas_dear: false,
            watches: HashMap::new(),
            id: order.id,
            terms: order.terms,
            store,
            _folder: folder,
        }
    }

    pub(crate) fn executors(&self) -> ExecutorRegistry {
        HashMap::from([("house".to_owned(), self.executor.clone() as Arc<dyn OrderExecutor>)]).into()
    }

    /// A worker of a freshly started process.
    pub(crate) fn worker(&self) -> WorkOrders {
        let (prices, gas): (Arc<dyn PriceFeed>, Arc<dyn GasFeed>) = if self.is_gas_dear {
            (Arc::new(DearGas), Arc::new(DearGas))
        } else {
            (Arc::new(NoPrices), Arc::new(NoPrices))
        };
        let signer = Arc::new(FakeForwardingSigner(chain(ORIGIN)));
        WorkOrders::new(WorkParts {
            orders: self.store.clone(),
            facts: self.store.clone(),
            executors: self.executors(),
            relayers: HashMap::from([(chain(ORIGIN), self.relayer.clone() as Arc<dyn TxSender>)]),
            deposit_builders: HashMap::new(),
            forwarding_signers: HashMap::from([(chain(ORIGIN), signer as Arc<dyn ForwardingSigner>)]),
            attestations: Some(Arc::new(FakeAttesters { filled: self.attesters.filled })),
            prices,
            gas,
            catalog: Arc::clone(&CATALOG),
            row_keys: Arc::clone(&self.row_keys),
            cursors: Arc::clone(&self.cursors),
        })
        .with_watches(self.watches.iter().map(|(on, watch)| (*on, Arc::clone(watch) as _)).collect())
    }

    /// Processes every order that is due within the hour.
    pub(crate) async fn run_once(&self) {
        self.worker().run_once(later()).await.unwrap();
    }

    pub(crate) async fn order(&self) -> Order {
        self.store.order(&self.id).await.unwrap().unwrap()
    }

    pub(crate) async fn status(&self) -> OrderStatus {
        self.order().await.status
    }

    pub(crate) fn fact(&self, kind: FactKind, block: u64) -> Fact {
        let is_fill = matches!(kind, FactKind::Filled(_));
        let on = if is_fill { self.terms.destination_chain_id } else { self.terms.origin_chain_id };
        let tx = format!("0x{block:064x}");
        let place = FactPlace { chain: chain(on), tx, index: 0, block, time: block };
        Fact { intent_id: self.terms.id(), kind, place }
    }

    pub(crate) fn opened(&self, block: u64) -> Fact {
        self.fact(FactKind::Opened(Box::new(self.terms)), block)
    }

    pub(crate) fn filled(&self) -> Fact {
        self.fact(FactKind::Filled(raw(990)), 20)
    }

    pub(crate) fn claimed(&self) -> Fact {
        self.fact(FactKind::Claimed(raw(AMOUNT_IN)), 30)
    }

    pub(crate) fn refunded(&self) -> Fact {
        let cause = RefundCause::Waived;
        self.fact(FactKind::Refunded { to: address(7), amount: raw(AMOUNT_IN), cause }, 40)
    }

    /// Stores a fact as a follower would.
    pub(crate) async fn show(&self, fact: Fact) {
        show(&self.store, fact).await;
    }

    /// Advances the chains' times.
    pub(crate) fn pass(&self, seconds: u64) {
        for id in [ORIGIN, DESTINATION] {
            self.cursors.set(chain(id), cursor(seconds, seconds));
        }
    }
}

pub(crate) async fn show(store: &Store, fact: Fact) {
    let (on, block) = (fact.place.chain, fact.place.block);
    store
        .record_facts(on, FinalityTier::Large, cursor(block, block), &[fact], Timestamp::now())
        .await
        .unwrap();
}

/// Stores a new order, changed as the test needs it.
pub(crate) async fn add_order(store: &Store, row_keys: &RowKeys, change: impl FnOnce(&mut Order)) -> Order {
    let mut order = order(row_keys);
    change(&mut order);
    order.intent_id = order.terms.id();
    let event = OrderEvent {
        key: row_keys.next(order.created_at),
        order: order.id.clone(),
        kind: EventKind::Status(OrderStatus::Created),
        detail: "It was built.".to_owned(),
        at: order.created_at,
    };
    assert_eq!(store.create_order(&order, &event).await.unwrap(), Creation::Created);
    order
}
