use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    ChainError, ChainHistory, ChainStore as _, ChainUpdate, FinalityTier, OpenedBy, OrderStore as _,
};
use causeway_domain::{
    Address, ChainId, Decision, DepositMethod, Fact, FactKind, IntentTerms, Order, OrderStatus, QuoteKey,
    QuoteKeys,
};
use causeway_engine::{
    Adopt, AdoptParts, Adopted, FollowParts, KnownFiller, RecoverChain, RecoverError, RecoverParts,
    Recovered, follow_chain, recover,
};
use causeway_store::{Location, Store};
use jiff::Timestamp;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::chain_feed::until;
use crate::fake_chain::{FakeFollow, FlakyChainStore};
use crate::scene::{AMOUNT_IN, DESTINATION, ORIGIN, Scene, address, chain, cursor, raw};

/// A chain without pending transactions after a few polls.
struct FakeRecord {
    chain: ChainId,
    pending_polls: AtomicUsize,
    opened_by: OpenedBy,
    /// How often reading the deposit method fails.
    failures: AtomicUsize,
}

#[async_trait]
impl ChainHistory for FakeRecord {
    fn chain(&self) -> ChainId {
        self.chain
    }

    async fn newest(&self) -> Result<u64, ChainError> {
        assert_eq!(self.pending_polls.load(Ordering::SeqCst), 0, "the chain is read once nothing is pending");
        Ok(50)
    }

    fn address_for(&self, id: B256) -> Address {
        address(id[0])
    }

    async fn opened_by(&self, _: &str, _: &IntentTerms) -> Result<OpenedBy, ChainError> {
        let left = self.failures.load(Ordering::SeqCst);
        self.failures.store(left.saturating_sub(1), Ordering::SeqCst);
        if left > 0 { Err(ChainError::Unavailable(self.chain)) } else { Ok(self.opened_by.clone()) }
    }

    async fn moment(&self) -> Result<u64, ChainError> {
        Ok(7)
    }

    async fn is_settled_since(&self, accounts: &[Address], since: u64) -> Result<bool, ChainError> {
        assert_eq!((accounts, since), (&[address(8)][..], 7));
        let left = self.pending_polls.load(Ordering::SeqCst);
        self.pending_polls.store(left.saturating_sub(1), Ordering::SeqCst);
        Ok(left == 0)
    }
}

/// A lost order with sealed terms, and an empty store.
struct Lost {
    scene: Scene,
    keys: QuoteKeys,
    store: Arc<Store>,
    opened_by: OpenedBy,
    adopt_unsealed: bool,
    /// How often the chains report pending transactions.
    pending_polls: usize,
    failures: usize,
    _folder: TempDir,
}

impl Lost {
    async fn new() -> Self {
        let keys = QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() };
        let mut scene = Scene::new().await;
        scene.terms = keys.current.seal(scene.terms).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::Sqlite(folder.path().join("new.db"))).await.unwrap();
        let (store, opened_by) = (Arc::new(store), OpenedBy::Permit);
        Self {
            scene,
            keys,
            store,
            opened_by,
            adopt_unsealed: true,
            pending_polls: 0,
            failures: 0,
            _folder: folder,
        }
    }

    fn record(&self, on: u64) -> Arc<FakeRecord> {
        let opened_by = self.opened_by.clone();
        let (pending_polls, failures) =
            (AtomicUsize::new(self.pending_polls), AtomicUsize::new(self.failures));
        Arc::new(FakeRecord { chain: chain(on), pending_polls, opened_by, failures })
    }

    fn adopt(&self) -> Adopt {
        let filler =
            KnownFiller { name: "house".to_owned(), kind: "kind".to_owned(), accounts: vec![address(8)] };
        Adopt::new(AdoptParts {
            orders: self.store.clone(),
            facts: self.store.clone(),
            chains: HashMap::from([(chain(ORIGIN), self.record(ORIGIN) as Arc<dyn ChainHistory>)]),
            fillers: vec![filler],
            quote_keys: self.keys.clone(),
            row_keys: Arc::clone(&self.scene.row_keys),
            open_slack: 600,
            adopt_unsealed: self.adopt_unsealed,
        })
    }

    /// Recovers from chains with these facts.
    async fn recover(&self, facts: &[Fact]) -> Result<Recovered, RecoverError> {
        let chains = [ORIGIN, DESTINATION].map(|on| {
            let (sender, updates) = mpsc::unbounded_channel();
            let here: Vec<Fact> =
                facts.iter().filter(|fact| fact.place.chain == chain(on)).cloned().collect();
            // The first span ends before the last block to read.
            for (number, facts) in [(45, here), (60, Vec::new())] {
                sender
                    .send(Ok(ChainUpdate::Final {
                        tier: FinalityTier::Large,
                        cursor: cursor(number, number),
                        facts,
                    }))
                    .unwrap();
            }
            let follower = Box::new(FakeFollow { chain: chain(on), updates, asked: Arc::default() });
            RecoverChain { record: self.record(on), follower }
        });
        let parts = RecoverParts {
            orders: self.store.clone(),
            facts: self.store.clone(),
            adopt: self.adopt(),
            accounts: vec![address(8)],
        };
        recover(&parts, chains.into(), &|_| {}).await
    }

    async fn order(&self) -> Option<Order> {
        self.store.order_of_intent(self.scene.terms.id()).await.unwrap()
    }
}

#[tokio::test]
async fn order_is_recovered_with_its_status_and_id() {
    let lost = Lost { pending_polls: 1, ..Lost::new().await };
    let scene = &lost.scene;
    let recovered = lost.recover(&[scene.opened(10), scene.filled(), scene.claimed()]).await.unwrap();
    assert_eq!(recovered.orders, [(OrderStatus::Filled, 1)]);
    let order = lost.order().await.unwrap();
    assert_eq!(Some(&order.id), lost.keys.order_id(&scene.terms).as_ref());
    assert_eq!((order.filler.as_str(), order.kind.as_str()), ("house", "kind"));
    assert_eq!((order.method, order.deposit_address), (DepositMethod::Permit2, None));
    assert_eq!((order.decision, order.announced), (Some(Decision::Fill), true));
    assert_eq!((order.terms, order.author, order.refund_to), (scene.terms, address(3), address(7)));
    let evidence = &order.evidence;
    assert!(evidence.deposit.is_some() && evidence.fill.is_some() && evidence.claim.is_some());
    assert_eq!(order.created_at, Timestamp::from_second(10).unwrap());
    let events = lost.store.order_events(&order.id).await.unwrap();
    let at: Vec<i64> = events.iter().map(|event| event.at.as_second()).collect();
    assert_eq!(at, [10, 10, 20, 20], "each event has the chain's time");
    assert_eq!((order.src_amount, order.dest_amount), (raw(AMOUNT_IN), raw(990)));
    assert_eq!(lost.store.cursor(chain(ORIGIN), FinalityTier::Large).await.unwrap().unwrap().number, 60);
}

#[tokio::test]
async fn recovery_is_idempotent_and_rejects_a_store_with_other_orders() {
    let lost = Lost::new().await;
    let facts = [lost.scene.opened(10)];
    lost.recover(&facts).await.unwrap();
    let before = lost.order().await;
    let again = lost.recover(&facts).await.unwrap();
    assert_eq!((again.known, again.orders), (1, Vec::new()));
    assert_eq!(lost.order().await, before);
    let refused = Lost { store: lost.scene.store.clone(), ..lost }.recover(&facts).await.unwrap_err();
    assert!(refused.to_string().contains("recovery fills empty stores only"), "{refused}");
}

#[tokio::test]
async fn rule_2_foreign_orders_are_ignored_and_unsealed_ones_that_name_us_are_refunded() {
    let mut lost = Lost::new().await;
    lost.scene.terms.nonce = B256::repeat_byte(9);
    let facts = [lost.scene.opened(10)];
    lost.adopt_unsealed = false;
    let recovered = lost.recover(&facts).await.unwrap();
    assert_eq!((recovered.foreign, lost.order().await), (1, None));
    lost.adopt_unsealed = true;
    let recovered = lost.recover(&facts).await.unwrap();
    assert_eq!((recovered.unsealed, &recovered.orders[..]), (1, &[(OrderStatus::Deposited, 1)][..]));

    let mut stranger = Lost::new().await;
    stranger.scene.terms.nonce = B256::repeat_byte(9);
    stranger.scene.terms.filler = address(0x55).to_word();
    let recovered = stranger.recover(&[stranger.scene.opened(10)]).await.unwrap();
    assert_eq!((recovered.foreign, stranger.order().await), (1, None));
}

#[tokio::test]
async fn deposit_address_of_a_transfer_is_recovered() {
    let mut lost = Lost::new().await;
    lost.opened_by = OpenedBy::Transfer;
    lost.recover(&[lost.scene.opened(10), lost.scene.refunded()]).await.unwrap();
    let order = lost.order().await.unwrap();
    assert_eq!((order.method, order.status), (DepositMethod::Transfer, OrderStatus::Refunded));
    assert_eq!(order.deposit_address, Some(address(order.intent_id[0])));
    assert_eq!(order.decision, Some(Decision::Waive), "as it must have been");
}

#[tokio::test]
async fn rule_14_a_recovered_deposit_of_a_wallet_counts_as_late_because_its_price_may_have_ended() {
    // The payer had a day for the deposit, and made it when the price had been over for ten hours.
    const OPEN_DEADLINE: u64 = 1_800_086_400;
    for opened_by in [OpenedBy::Call, OpenedBy::Permit, OpenedBy::Authorization, OpenedBy::TokenPermit] {
        let order = recovered_at(opened_by, OPEN_DEADLINE, 1_800_036_000).await;
        assert_eq!(order.valid_before.as_second(), 1_800_000_000, "as early as it can have been");
        assert!(order.is_deposit_late());
    }
    // Nobody can ask for more time for a transfer.
    let order = recovered_at(OpenedBy::Transfer, OPEN_DEADLINE, 1_800_036_000).await;
    assert_eq!(order.valid_before.as_second(), 1_800_085_800);
    assert!(!order.is_deposit_late());
}

/// An order with this open deadline whose deposit was made then, after a recovery.
async fn recovered_at(opened_by: OpenedBy, open_deadline: u64, deposited: u64) -> Order {
    let mut lost = Lost::new().await;
    lost.opened_by = opened_by;
    let terms = IntentTerms {
        open_deadline,
        fill_deadline: open_deadline + 900,
        refund_at: open_deadline + 9_000,
        ..lost.scene.terms
    };
    lost.scene.terms = lost.keys.current.seal(terms).unwrap();
    let mut opened = lost.scene.opened(10);
    opened.place.time = deposited;
    lost.recover(&[opened]).await.unwrap();
    lost.order().await.unwrap()
}

#[tokio::test]
async fn rule_2_deposit_built_before_the_loss_is_adopted_on_arrival() {
    let lost = Lost::new().await;
    let fact = lost.scene.opened(10);
    assert_eq!(
        lost.adopt().adopt(&fact).await.unwrap(),
        Adopted::Order { status: OrderStatus::Created, sealed: true }
    );
    assert_eq!(lost.adopt().adopt(&fact).await.unwrap(), Adopted::Known);
    let unsealed = IntentTerms { nonce: B256::repeat_byte(9), ..lost.scene.terms };
    let kind = FactKind::Opened(Box::new(unsealed));
    let unsealed = Fact { intent_id: unsealed.id(), kind, ..fact.clone() };
    assert_eq!(lost.adopt().adopt(&unsealed).await.unwrap(), Adopted::Foreign, "nobody pays for its refund");
    let mut elsewhere = fact;
    elsewhere.place.chain = chain(DESTINATION);
    let other = Lost::new().await;
    assert_eq!(other.adopt().adopt(&elsewhere).await.unwrap(), Adopted::Foreign, "nothing was opened there");
}

#[tokio::test]
async fn adoption_retries_until_the_deposit_address_is_known() {
    let lost = Lost { opened_by: OpenedBy::Transfer, failures: 2, ..Lost::new().await };
    lost.adopt().adopt(&lost.scene.opened(10)).await.unwrap();
    let order = lost.order().await.unwrap();
    assert_eq!(
        (order.method, order.deposit_address),
        (DepositMethod::Transfer, Some(address(order.intent_id[0])))
    );
}

#[tokio::test]
async fn order_is_adopted_before_the_cursor_moves() {
    let lost = Lost::new().await;
    let away = FlakyChainStore::new(&lost.store, u32::MAX);
    let (sender, updates) = mpsc::unbounded_channel();
    let facts = vec![lost.scene.opened(10)];
    sender.send(Ok(ChainUpdate::Final { tier: FinalityTier::Large, cursor: cursor(10, 10), facts })).unwrap();
    let parts = FollowParts {
        facts: away.clone(),
        orders: lost.store.clone(),
        executors: lost.scene.executors(),
        cursors: Arc::default(),
        adopt: Some(lost.adopt()),
    };
    let (stop, asked) = (CancellationToken::new(), Arc::default());
    let follower = Box::new(FakeFollow { chain: chain(ORIGIN), updates, asked });
    let following = tokio::spawn(follow_chain(follower, None, parts, stop.clone()));
    until(async || away.writes() > 0).await;
    // After a crash here the deposit is read again, and its order exists.
    stop.cancel();
    following.await.unwrap();
    assert!(lost.order().await.is_some());
    assert_eq!(lost.store.cursor(chain(ORIGIN), FinalityTier::Large).await.unwrap(), None);
}
