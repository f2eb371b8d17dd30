use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    Care, ChainError, ChainRecord, FactStore as _, News, OpenedBy, OrderStore as _, QuoteStore as _,
};
use causeway_domain::{
    Address, ChainId, Decision, DepositMethod, Fact, FactKind, Order, OrderStatus, QuoteKey, QuoteKeys, Terms,
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

use crate::fake_chain::{FakeFollow, Shaky};
use crate::followed::until;
use crate::scene::{DESTINATION, ORIGIN, Scene, address, chain, mark};

/// A chain that is quiet after a few looks.
struct FakeRecord {
    chain: ChainId,
    noisy: AtomicUsize,
    opened_by: OpenedBy,
    /// How often it does not answer by which way.
    silent: AtomicUsize,
}

#[async_trait]
impl ChainRecord for FakeRecord {
    fn chain(&self) -> ChainId {
        self.chain
    }

    async fn newest(&self) -> Result<u64, ChainError> {
        assert_eq!(self.noisy.load(Ordering::SeqCst), 0, "the chain is read once nothing can come any more");
        Ok(50)
    }

    fn address_for(&self, id: B256) -> Address {
        address(id[0])
    }

    async fn opened_by(&self, _: &str, _: &Terms) -> Result<OpenedBy, ChainError> {
        let left = self.silent.load(Ordering::SeqCst);
        self.silent.store(left.saturating_sub(1), Ordering::SeqCst);
        if left > 0 { Err(ChainError::Unavailable(self.chain)) } else { Ok(self.opened_by.clone()) }
    }

    async fn moment(&self) -> Result<u64, ChainError> {
        Ok(7)
    }

    async fn is_quiet(&self, accounts: &[Address], since: u64) -> Result<bool, ChainError> {
        assert_eq!((accounts, since), (&[address(8)][..], 7));
        let left = self.noisy.load(Ordering::SeqCst);
        self.noisy.store(left.saturating_sub(1), Ordering::SeqCst);
        Ok(left == 0)
    }
}

/// The order that was lost, sealed as one of ours, and an empty store.
struct Lost {
    scene: Scene,
    keys: QuoteKeys,
    store: Arc<Store>,
    opened_by: OpenedBy,
    take_unsealed: bool,
    /// How often the chains say that something may still come.
    noisy: usize,
    silent: usize,
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
        Self { scene, keys, store, opened_by, take_unsealed: true, noisy: 0, silent: 0, _folder: folder }
    }

    fn record(&self, on: u64) -> Arc<FakeRecord> {
        let opened_by = self.opened_by.clone();
        let (noisy, silent) = (AtomicUsize::new(self.noisy), AtomicUsize::new(self.silent));
        Arc::new(FakeRecord { chain: chain(on), noisy, opened_by, silent })
    }

    fn adopt(&self) -> Adopt {
        let filler =
            KnownFiller { name: "house".to_owned(), kind: "kind".to_owned(), accounts: vec![address(8)] };
        Adopt::new(AdoptParts {
            orders: self.store.clone(),
            quotes: self.store.clone(),
            facts: self.store.clone(),
            chains: HashMap::from([(chain(ORIGIN), self.record(ORIGIN) as Arc<dyn ChainRecord>)]),
            fillers: vec![filler],
            quote_keys: self.keys.clone(),
            row_keys: Arc::clone(&self.scene.row_keys),
            open_slack: 600,
            take_unsealed: self.take_unsealed,
        })
    }

    /// Recovers from chains that tell these facts.
    async fn recover(&self, facts: &[Fact]) -> Result<Recovered, RecoverError> {
        let chains = [ORIGIN, DESTINATION].map(|on| {
            let (tell, news) = mpsc::unbounded_channel();
            let here: Vec<Fact> =
                facts.iter().filter(|fact| fact.place.chain == chain(on)).cloned().collect();
            // The first span stands short of what must be read.
            for (number, facts) in [(45, here), (60, Vec::new())] {
                tell.send(Ok(News::Stands { care: Care::Large, mark: mark(number, number), facts })).unwrap();
            }
            let follower = Box::new(FakeFollow { chain: chain(on), news, asked: Arc::default() });
            RecoverChain { record: self.record(on), follower }
        });
        let parts = RecoverParts {
            store: self.store.clone(),
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
async fn an_order_comes_back_as_far_as_the_chains_carry_it_and_under_its_name() {
    let lost = Lost { noisy: 1, ..Lost::new().await };
    let scene = &lost.scene;
    let recovered = lost.recover(&[scene.opened(10), scene.filled(), scene.claimed()]).await.unwrap();
    assert_eq!(recovered.orders, [(OrderStatus::Filled, 1)]);
    let order = lost.order().await.unwrap();
    assert_eq!(Some(&order.id), lost.keys.name(&scene.terms).as_ref());
    assert_eq!((order.filler.as_str(), order.kind.as_str()), ("house", "kind"));
    assert_eq!((order.method, order.deposit_address), (DepositMethod::Permit2, None));
    assert_eq!((order.decision, order.announced), (Some(Decision::Fill), true));
    assert_eq!((order.terms, order.author, order.refund_to), (scene.terms, address(3), address(7)));
    let evidence = &order.evidence;
    assert!(evidence.deposit.is_some() && evidence.fill.is_some() && evidence.claim.is_some());
    assert_eq!(order.created_at, Timestamp::from_second(10).unwrap());
    let story = lost.store.story(&order.id).await.unwrap();
    let at: Vec<i64> = story.iter().map(|line| line.at.as_second()).collect();
    assert_eq!(at, [10, 10, 20, 20], "each line bears the chain's own time");
    let quote = lost.store.quote(&order.quote).await.unwrap().unwrap();
    assert_eq!(quote.routes[0].min_amount_out, order.dest_amount);
    assert_eq!(lost.store.mark(chain(ORIGIN), Care::Large).await.unwrap().unwrap().number, 60);
}

#[tokio::test]
async fn the_second_time_nothing_changes_and_a_store_with_other_orders_is_refused() {
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
async fn rule_2_strangers_orders_stay_out_and_unsealed_ones_that_name_us_come_in_to_go_back() {
    let mut lost = Lost::new().await;
    lost.scene.terms.nonce = B256::repeat_byte(9);
    let facts = [lost.scene.opened(10)];
    lost.take_unsealed = false;
    let recovered = lost.recover(&facts).await.unwrap();
    assert_eq!((recovered.strangers, lost.order().await), (1, None));
    lost.take_unsealed = true;
    let recovered = lost.recover(&facts).await.unwrap();
    assert_eq!((recovered.unsealed, &recovered.orders[..]), (1, &[(OrderStatus::Deposited, 1)][..]));

    let mut stranger = Lost::new().await;
    stranger.scene.terms.nonce = B256::repeat_byte(9);
    stranger.scene.terms.filler = address(0x55).to_word();
    let recovered = stranger.recover(&[stranger.scene.opened(10)]).await.unwrap();
    assert_eq!((recovered.strangers, stranger.order().await), (1, None));
}

#[tokio::test]
async fn the_deposit_address_of_a_transfer_comes_back_with_it() {
    let mut lost = Lost::new().await;
    lost.opened_by = OpenedBy::Transfer;
    lost.recover(&[lost.scene.opened(10), lost.scene.refunded()]).await.unwrap();
    let order = lost.order().await.unwrap();
    assert_eq!((order.method, order.status), (DepositMethod::Transfer, OrderStatus::Refunded));
    assert_eq!(order.deposit_address, Some(address(order.intent[0])));
    assert_eq!(order.decision, Some(Decision::Waive), "as it must have been");
}

#[tokio::test]
async fn rule_2_a_deposit_that_was_built_before_the_loss_is_adopted_when_it_comes() {
    let lost = Lost::new().await;
    let fact = lost.scene.opened(10);
    assert_eq!(
        lost.adopt().adopt(&fact).await.unwrap(),
        Adopted::Order { status: OrderStatus::Created, sealed: true }
    );
    assert_eq!(lost.adopt().adopt(&fact).await.unwrap(), Adopted::Known);
    let unsealed = Terms { nonce: B256::repeat_byte(9), ..lost.scene.terms };
    let kind = FactKind::Opened(Box::new(unsealed));
    let unsealed = Fact { intent: unsealed.id(), kind, ..fact.clone() };
    assert_eq!(
        lost.adopt().adopt(&unsealed).await.unwrap(),
        Adopted::Stranger,
        "nobody pays to give it back"
    );
    let mut elsewhere = fact;
    elsewhere.place.chain = chain(DESTINATION);
    let other = Lost::new().await;
    assert_eq!(other.adopt().adopt(&elsewhere).await.unwrap(), Adopted::Stranger, "nothing was opened there");
}

#[tokio::test]
async fn a_chain_that_is_away_for_a_moment_does_not_cost_an_adopted_order_its_deposit_address() {
    let lost = Lost { opened_by: OpenedBy::Transfer, silent: 2, ..Lost::new().await };
    lost.adopt().adopt(&lost.scene.opened(10)).await.unwrap();
    let order = lost.order().await.unwrap();
    assert_eq!(
        (order.method, order.deposit_address),
        (DepositMethod::Transfer, Some(address(order.intent[0])))
    );
}

#[tokio::test]
async fn a_deposit_has_its_order_before_its_chain_counts_as_read() {
    let lost = Lost::new().await;
    let (failures, writes) = (Mutex::new(u32::MAX), Mutex::default());
    let away = Arc::new(Shaky { store: lost.store.clone(), failures, writes });
    let (tell, news) = mpsc::unbounded_channel();
    let facts = vec![lost.scene.opened(10)];
    tell.send(Ok(News::Stands { care: Care::Large, mark: mark(10, 10), facts })).unwrap();
    let parts = FollowParts {
        facts: away.clone(),
        orders: lost.store.clone(),
        hands: lost.scene.hands(),
        marks: Arc::default(),
        adopt: Some(lost.adopt()),
    };
    let (stop, asked) = (CancellationToken::new(), Arc::default());
    let follower = Box::new(FakeFollow { chain: chain(ORIGIN), news, asked });
    let following = tokio::spawn(follow_chain(follower, None, parts, stop.clone()));
    until(async || *away.writes.lock().unwrap() > 0).await;
    // Whoever dies here begins before the deposit again, and finds its order.
    stop.cancel();
    following.await.unwrap();
    assert!(lost.order().await.is_some());
    assert_eq!(lost.store.mark(chain(ORIGIN), Care::Large).await.unwrap(), None);
}
