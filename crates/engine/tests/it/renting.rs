use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    Carrier, ChainError, Deed, DeedError, OrderStore as _, Progress, Rent, RentReader, RentState, RentStore,
    StoreError,
};
use causeway_domain::{
    Address, ChainId, Order, OrderId, OrderStatus, RentedAccount, SOLANA_CHAIN_ID, Shown, Terms, TokenId,
};
use causeway_engine::{RentParts, return_rent};
use causeway_store::Store;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::followed::until;
use crate::scene::{OPEN_UNTIL, ORIGIN, REFUND_AFTER, Scene, add_order, chain, mark, raw};

const PAYER: Address = Address::Solana([1; 32]);
const FILLER: Address = Address::Solana([2; 32]);
const RELAYER: Address = Address::Solana([3; 32]);

/// What is waited after the program would allow it.
const MARGIN: u64 = 60;

/// Accounts as the test puts them; none is there before.
#[derive(Default)]
struct FakeAccounts {
    states: Mutex<HashMap<(B256, RentedAccount), RentState>>,
    asked: Mutex<Vec<usize>>,
    is_away: Mutex<bool>,
}

#[async_trait]
impl RentReader for FakeAccounts {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn rents(&self, asked: &[(Terms, RentedAccount)], _: u64) -> Result<Vec<RentState>, ChainError> {
        if *self.is_away.lock().unwrap() {
            return Err(ChainError::Unavailable(SOLANA_CHAIN_ID));
        }
        self.asked.lock().unwrap().push(asked.len());
        let states = self.states.lock().unwrap();
        let state = |(terms, account): &(Terms, RentedAccount)| states.get(&(terms.id(), *account)).copied();
        Ok(asked.iter().map(|one| state(one).unwrap_or(RentState::Gone)).collect())
    }
}

/// A key whose closings are on their way until the test ends them.
struct Closer {
    account: Address,
    carried: Mutex<Vec<(String, Deed)>>,
    ended: Mutex<HashMap<String, Progress>>,
    refused: Mutex<HashSet<B256>>,
}

impl Closer {
    fn new(account: Address) -> Arc<Self> {
        let (carried, ended, refused) = Default::default();
        Arc::new(Self { account, carried, ended, refused })
    }

    fn purposes(&self) -> Vec<String> {
        self.carried.lock().unwrap().iter().map(|(purpose, _)| purpose.clone()).collect()
    }
}

#[async_trait]
impl Carrier for Closer {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    fn account(&self) -> Address {
        self.account
    }

    async fn carry(&self, purpose: &str, deed: &Deed, _: Timestamp) -> Result<Progress, DeedError> {
        let (Deed::CloseOrder { terms, .. } | Deed::CloseFill { terms, .. }) = deed else {
            panic!("{deed:?}")
        };
        self.carried.lock().unwrap().push((purpose.to_owned(), deed.clone()));
        if self.refused.lock().unwrap().contains(&terms.id()) {
            return Err(DeedError::WouldFail("the vault is not empty".to_owned()));
        }
        let ended = self.ended.lock().unwrap().get(purpose).cloned();
        Ok(ended.unwrap_or_else(|| Progress::OnItsWay("sent".to_owned())))
    }

    async fn progress(&self, _: &str) -> Result<Option<Progress>, DeedError> {
        Ok(None)
    }

    async fn tend(&self, _: Timestamp) -> Result<(), DeedError> {
        Ok(())
    }
}

/// The store, which counts the turns of whoever returns rent.
struct Counted {
    store: Arc<Store>,
    turns: AtomicUsize,
}

#[async_trait]
impl RentStore for Counted {
    async fn claim_rents(
        &self,
        chain: ChainId,
        time: u64,
        again: u64,
        limit: u32,
    ) -> Result<Vec<Rent>, StoreError> {
        self.turns.fetch_add(1, Ordering::SeqCst);
        self.store.claim_rents(chain, time, again, limit).await
    }

    async fn put_off_rent(
        &self,
        order: &OrderId,
        account: RentedAccount,
        until: u64,
    ) -> Result<(), StoreError> {
        self.store.put_off_rent(order, account, until).await
    }

    async fn forget_rent(&self, order: &OrderId, account: RentedAccount) -> Result<(), StoreError> {
        self.store.forget_rent(order, account).await
    }
}

struct Renting {
    scene: Scene,
    counted: Arc<Counted>,
    accounts: Arc<FakeAccounts>,
    relayer: Arc<Closer>,
    filler: Arc<Closer>,
    stop: CancellationToken,
}

impl Renting {
    async fn of(change: impl FnOnce(&mut Order)) -> Self {
        let scene = Scene::with(change).await;
        let counted = Counted { store: scene.store.clone(), turns: AtomicUsize::new(0) };
        Self {
            scene,
            counted: Arc::new(counted),
            accounts: Arc::default(),
            relayer: Closer::new(RELAYER),
            filler: Closer::new(FILLER),
            stop: CancellationToken::new(),
        }
    }

    /// As a process would begin it at its start; it dies with what is returned.
    fn begin(&self) -> CancellationToken {
        let parts = RentParts {
            rents: self.counted.clone(),
            reader: self.accounts.clone(),
            relayer: self.relayer.clone(),
            fillers: vec![self.filler.clone()],
            marks: Arc::clone(&self.scene.marks),
        };
        let stop = self.stop.child_token();
        tokio::spawn(return_rent(parts, Duration::from_millis(5), stop.clone()));
        stop
    }

    fn put(&self, terms: &Terms, account: RentedAccount, state: RentState) {
        self.accounts.states.lock().unwrap().insert((terms.id(), account), state);
    }

    /// The chain's own time moves on, and whoever returns rent has looked: the second turn from now begins after it, and has
    /// ended when the third begins.
    async fn pass(&self, time: u64) {
        self.scene.marks.set(SOLANA_CHAIN_ID, mark(time, time));
        let third = self.counted.turns.load(Ordering::SeqCst) + 3;
        until(async || self.counted.turns.load(Ordering::SeqCst) >= third).await;
    }

    /// How many accounts are not done with; whoever asks has taken them all.
    async fn left(&self) -> usize {
        self.scene.store.claim_rents(SOLANA_CHAIN_ID, u64::MAX, u64::MAX, 1_000).await.unwrap().len()
    }
}

impl Drop for Renting {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn paid(on: ChainId) -> Shown {
    Shown { chain: on, tx: "0xab".to_owned(), block: 30, time: 30, amount: raw(990) }
}

/// An order from Solana that was delivered and paid for.
fn from_solana(order: &mut Order) {
    order.from = TokenId::native(SOLANA_CHAIN_ID);
    order.terms.origin_chain_id = SOLANA_CHAIN_ID.get();
    order.status = OrderStatus::Filled;
    order.evidence.claim = Some(paid(SOLANA_CHAIN_ID));
}

/// An order to Solana that was delivered, and is not paid for yet.
fn unpaid_on_solana(order: &mut Order) {
    order.to = TokenId::native(SOLANA_CHAIN_ID);
    order.terms.destination_chain_id = SOLANA_CHAIN_ID.get();
    order.status = OrderStatus::Filled;
}

/// The same, paid for in a block that stands.
async fn paid_on_solana() -> Renting {
    let renting = Renting::of(|order| {
        unpaid_on_solana(order);
        order.evidence.claim = Some(paid(chain(ORIGIN)));
    })
    .await;
    renting.scene.marks.set(chain(ORIGIN), mark(30, 30));
    renting
}

#[tokio::test]
async fn rule_18_the_rent_of_an_order_returns_past_its_open_deadline_by_the_chains_own_time() {
    let renting = Renting::of(from_solana).await;
    let (terms, order) = (renting.scene.terms, renting.scene.order().await);
    renting.put(&terms, RentedAccount::Order, RentState::Over { payer: PAYER });
    renting.begin();
    for too_early in [OPEN_UNTIL, OPEN_UNTIL + 1, OPEN_UNTIL + MARGIN - 1] {
        renting.pass(too_early).await;
        assert_eq!(renting.relayer.purposes(), [""; 0], "at {too_early}");
    }
    renting.pass(OPEN_UNTIL + MARGIN).await;
    let purpose = format!("close-order:{:#x}", terms.id());
    let carried = renting.relayer.carried.lock().unwrap().clone();
    assert_eq!(carried, [(purpose.clone(), Deed::CloseOrder { terms, payer: PAYER })]);

    renting.put(&terms, RentedAccount::Order, RentState::Gone);
    renting.pass(OPEN_UNTIL + 3 * MARGIN).await;
    assert_eq!(renting.relayer.purposes(), [purpose], "what is closed costs nothing more");
    assert_eq!(renting.left().await, 0);
    assert_eq!(renting.scene.order().await, order, "closing its account changes nothing of an order");
}

#[tokio::test]
async fn rule_18_the_record_of_a_fill_stays_past_the_refund_time_and_until_the_delivery_is_paid_for() {
    let renting = Renting::of(unpaid_on_solana).await;
    let terms = renting.scene.terms;
    renting.put(&terms, RentedAccount::Fill, RentState::Over { payer: FILLER });
    renting.begin();
    renting.pass(REFUND_AFTER + MARGIN).await;
    renting.pass(REFUND_AFTER + 10 * MARGIN).await;
    assert_eq!(renting.filler.purposes(), [""; 0], "the record alone proves the delivery");

    let mut order = renting.scene.order().await;
    order.evidence.claim = Some(paid(chain(ORIGIN)));
    assert!(renting.scene.store.update_order(&order, &[]).await.unwrap());
    renting.scene.marks.set(chain(ORIGIN), mark(29, 29));
    renting.pass(REFUND_AFTER + 100 * MARGIN).await;
    assert_eq!(renting.filler.purposes(), [""; 0], "the payment does not stand for any amount yet");
    renting.scene.marks.set(chain(ORIGIN), mark(30, 30));
    renting.pass(REFUND_AFTER + 1_000 * MARGIN).await;
    let carried = renting.filler.carried.lock().unwrap().clone();
    let purpose = format!("close-fill:{:#x}", terms.id());
    assert_eq!(carried, [(purpose, Deed::CloseFill { terms, payer: FILLER })]);
    assert_eq!(renting.relayer.purposes(), [""; 0]);
}

#[tokio::test]
async fn rule_18_a_paid_delivery_keeps_its_record_until_the_refund_time() {
    let renting = paid_on_solana().await;
    renting.put(&renting.scene.terms, RentedAccount::Fill, RentState::Over { payer: FILLER });
    renting.begin();
    renting.pass(REFUND_AFTER + MARGIN - 1).await;
    assert_eq!(renting.filler.purposes(), [""; 0]);
    renting.pass(REFUND_AFTER + MARGIN).await;
    assert_eq!(renting.filler.purposes().len(), 1);
}

#[tokio::test]
async fn a_record_that_another_filler_paid_for_is_left_to_it() {
    let renting = paid_on_solana().await;
    renting.put(&renting.scene.terms, RentedAccount::Fill, RentState::Over { payer: PAYER });
    renting.begin();
    renting.pass(REFUND_AFTER + MARGIN).await;
    assert_eq!((renting.filler.purposes().len(), renting.left().await), (0, 0));
}

#[tokio::test]
async fn an_open_order_is_not_closed_and_one_that_nobody_deposited_for_is_forgotten() {
    let renting = Renting::of(|order| {
        from_solana(order);
        (order.status, order.evidence.claim) = (OrderStatus::Published, None);
    })
    .await;
    let store = &renting.scene.store;
    add_order(store, &renting.scene.row_keys, |order| {
        from_solana(order);
        (order.status, order.evidence.claim) = (OrderStatus::Failed, None);
    })
    .await;
    renting.put(&renting.scene.terms, RentedAccount::Order, RentState::InUse);
    renting.begin();
    renting.pass(OPEN_UNTIL + MARGIN).await;
    assert_eq!((renting.relayer.purposes().len(), renting.left().await), (0, 1));
}

#[tokio::test]
async fn an_account_that_cannot_be_closed_keeps_no_other_from_it() {
    let renting = Renting::of(from_solana).await;
    let stubborn = renting.scene.terms;
    renting.relayer.refused.lock().unwrap().insert(stubborn.id());
    let mut all = vec![stubborn];
    for _ in 0..40 {
        all.push(add_order(&renting.scene.store, &renting.scene.row_keys, from_solana).await.terms);
    }
    for terms in &all {
        renting.put(terms, RentedAccount::Order, RentState::Over { payer: PAYER });
    }
    renting.scene.marks.set(SOLANA_CHAIN_ID, mark(OPEN_UNTIL + MARGIN, OPEN_UNTIL + MARGIN));
    renting.begin();
    until(async || renting.relayer.purposes().len() == all.len()).await;
    let asked = renting.accounts.asked.lock().unwrap().clone();
    assert_eq!(asked, [16, 16, 9], "a few at a time");
    let sent: HashSet<String> = renting.relayer.purposes().into_iter().collect();
    assert_eq!(sent.len(), all.len(), "each once");

    // It is tried ever more seldom.
    for terms in &all[1..] {
        renting.put(terms, RentedAccount::Order, RentState::Gone);
    }
    let begun = OPEN_UNTIL + MARGIN;
    for minute in 1..=60 {
        renting.pass(begun + minute * 60).await;
    }
    let tries = renting.relayer.purposes().len() - all.len();
    assert!((5..=20).contains(&tries), "{tries} tries in an hour");
    assert_eq!(renting.left().await, 1);
}

#[tokio::test]
async fn what_failed_on_the_chain_is_tried_under_another_name_a_few_times() {
    let renting = Renting::of(from_solana).await;
    let terms = renting.scene.terms;
    renting.put(&terms, RentedAccount::Order, RentState::Over { payer: PAYER });
    let first = format!("close-order:{:#x}", terms.id());
    let reverted = Progress::Reverted("sent".to_owned());
    renting.relayer.ended.lock().unwrap().insert(first.clone(), reverted);
    renting.begin();
    renting.pass(OPEN_UNTIL + MARGIN).await;
    assert_eq!(renting.relayer.purposes(), [first.clone(), format!("{first}:2")]);
}

#[tokio::test]
async fn what_was_taken_up_before_a_crash_is_taken_up_again() {
    let renting = Renting::of(from_solana).await;
    renting.put(&renting.scene.terms, RentedAccount::Order, RentState::Over { payer: PAYER });
    *renting.accounts.is_away.lock().unwrap() = true;
    let process = renting.begin();
    renting.pass(OPEN_UNTIL + MARGIN).await;
    process.cancel();
    *renting.accounts.is_away.lock().unwrap() = false;
    renting.begin();
    renting.pass(OPEN_UNTIL + 2 * MARGIN).await;
    assert_eq!(renting.relayer.purposes().len(), 1);
}

#[tokio::test]
async fn nothing_is_closed_for_an_order_whose_chain_is_halted() {
    let renting = paid_on_solana().await;
    renting.put(&renting.scene.terms, RentedAccount::Fill, RentState::Over { payer: FILLER });
    renting.scene.marks.halt(chain(ORIGIN));
    renting.begin();
    renting.pass(REFUND_AFTER + MARGIN).await;
    assert_eq!((renting.filler.purposes().len(), renting.left().await), (0, 1));
}
