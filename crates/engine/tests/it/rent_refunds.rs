use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, ChainAction, ChainError, ChainStore as _, OrderStore as _, Progress, RentReader, RentState,
    TxSender,
};
use causeway_domain::{
    Address, ChainId, ConfirmedTx, IntentTerms, Order, OrderStatus, RentedAccount, SOLANA_CHAIN_ID, TokenId,
};
use causeway_engine::{RentParts, return_rent};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::chain_feed::until;
use crate::fake_chain::FlakyChainStore;
use crate::scene::{OPEN_UNTIL, ORIGIN, REFUND_AFTER, Scene, add_order, chain, cursor, raw};

const PAYER: Address = Address::Solana([1; 32]);
const FILLER: Address = Address::Solana([2; 32]);
const RELAYER: Address = Address::Solana([3; 32]);

/// How long after the program allows it accounts are closed.
const MARGIN: u64 = 60;

/// Accounts with states that the test sets; none exists at first.
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

    async fn rents(
        &self,
        asked: &[(IntentTerms, RentedAccount)],
        _: u64,
    ) -> Result<Vec<RentState>, ChainError> {
        if *self.is_away.lock().unwrap() {
            return Err(ChainError::Unavailable(SOLANA_CHAIN_ID));
        }
        self.asked.lock().unwrap().push(asked.len());
        let states = self.states.lock().unwrap();
        let state =
            |(terms, account): &(IntentTerms, RentedAccount)| states.get(&(terms.id(), *account)).copied();
        Ok(asked.iter().map(|one| state(one).unwrap_or(RentState::Closed)).collect())
    }
}

/// A sender whose transactions stay pending until the test ends them.
struct FakeSender {
    account: Address,
    sent_actions: Mutex<Vec<(String, ChainAction)>>,
    ended: Mutex<HashMap<String, Progress>>,
    refused: Mutex<HashSet<B256>>,
}

impl FakeSender {
    fn new(account: Address) -> Arc<Self> {
        let (sent_actions, ended, refused) = Default::default();
        Arc::new(Self { account, sent_actions, ended, refused })
    }

    fn purposes(&self) -> Vec<String> {
        self.sent_actions.lock().unwrap().iter().map(|(purpose, _)| purpose.clone()).collect()
    }
}

#[async_trait]
impl TxSender for FakeSender {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    fn account(&self) -> Address {
        self.account
    }

    async fn send(&self, purpose: &str, action: &ChainAction, _: Timestamp) -> Result<Progress, ActionError> {
        let (ChainAction::CloseOrder { terms, .. } | ChainAction::CloseFill { terms, .. }) = action else {
            panic!("{action:?}")
        };
        self.sent_actions.lock().unwrap().push((purpose.to_owned(), action.clone()));
        if self.refused.lock().unwrap().contains(&terms.id()) {
            return Err(ActionError::WouldFail("the vault is not empty".to_owned()));
        }
        let ended = self.ended.lock().unwrap().get(purpose).cloned();
        Ok(ended.unwrap_or_else(|| Progress::Sent("sent".to_owned())))
    }

    async fn progress(&self, _: &str) -> Result<Option<Progress>, ActionError> {
        Ok(None)
    }

    async fn poll_pending(&self, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }
}

struct RentFixture {
    scene: Scene,
    counting: Arc<FlakyChainStore>,
    accounts: Arc<FakeAccounts>,
    relayer: Arc<FakeSender>,
    filler: Arc<FakeSender>,
    stop: CancellationToken,
}

impl RentFixture {
    async fn of(change: impl FnOnce(&mut Order)) -> Self {
        let scene = Scene::with(change).await;
        let counting = FlakyChainStore::new(&scene.store, 0);
        Self {
            scene,
            counting,
            accounts: Arc::default(),
            relayer: FakeSender::new(RELAYER),
            filler: FakeSender::new(FILLER),
            stop: CancellationToken::new(),
        }
    }

    /// Starts the task as a process would; cancelling the token kills it.
    fn start(&self) -> CancellationToken {
        let parts = RentParts {
            rents: self.counting.clone(),
            reader: self.accounts.clone(),
            relayer: self.relayer.clone(),
            fillers: vec![self.filler.clone()],
            cursors: Arc::clone(&self.scene.cursors),
        };
        let stop = self.stop.child_token();
        tokio::spawn(return_rent(parts, Duration::from_millis(5), stop.clone()));
        stop
    }

    fn put(&self, terms: &IntentTerms, account: RentedAccount, state: RentState) {
        self.accounts.states.lock().unwrap().insert((terms.id(), account), state);
    }

    /// Advances the chain's time and waits for a full round: the second round from now starts after the change and has ended
    /// when the third starts.
    async fn advance_to(&self, time: u64) {
        self.scene.cursors.set(SOLANA_CHAIN_ID, cursor(time, time));
        let third = self.counting.rounds() + 3;
        until(async || self.counting.rounds() >= third).await;
    }

    /// How many accounts are left; claims them all.
    async fn left(&self) -> usize {
        self.scene.store.claim_rents(SOLANA_CHAIN_ID, u64::MAX, u64::MAX, 1_000).await.unwrap().len()
    }
}

impl Drop for RentFixture {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn claim_tx(on: ChainId) -> ConfirmedTx {
    ConfirmedTx { chain: on, tx: "0xab".to_owned(), block: 30, time: 30, amount: raw(990) }
}

/// An order from Solana that was filled and claimed.
fn from_solana(order: &mut Order) {
    order.from = TokenId::native(SOLANA_CHAIN_ID);
    order.terms.origin_chain_id = SOLANA_CHAIN_ID.get();
    order.status = OrderStatus::Filled;
    order.evidence.claim = Some(claim_tx(SOLANA_CHAIN_ID));
}

/// An order to Solana that was filled and is not claimed yet.
fn unclaimed_on_solana(order: &mut Order) {
    order.to = TokenId::native(SOLANA_CHAIN_ID);
    order.terms.destination_chain_id = SOLANA_CHAIN_ID.get();
    order.status = OrderStatus::Filled;
}

/// The same, claimed in a final block.
async fn claimed_on_solana() -> RentFixture {
    let fixture = RentFixture::of(|order| {
        unclaimed_on_solana(order);
        order.evidence.claim = Some(claim_tx(chain(ORIGIN)));
    })
    .await;
    fixture.scene.cursors.set(chain(ORIGIN), cursor(30, 30));
    fixture
}

#[tokio::test]
async fn rule_18_rent_of_an_order_returns_after_its_open_deadline_in_chain_time() {
    let fixture = RentFixture::of(from_solana).await;
    let (terms, order) = (fixture.scene.terms, fixture.scene.order().await);
    fixture.put(&terms, RentedAccount::Order, RentState::Closable { payer: PAYER });
    fixture.start();
    for too_early in [OPEN_UNTIL, OPEN_UNTIL + 1, OPEN_UNTIL + MARGIN - 1] {
        fixture.advance_to(too_early).await;
        assert_eq!(fixture.relayer.purposes(), [""; 0], "at {too_early}");
    }
    fixture.advance_to(OPEN_UNTIL + MARGIN).await;
    let purpose = format!("close-order:{:#x}", terms.id());
    let sent_actions = fixture.relayer.sent_actions.lock().unwrap().clone();
    assert_eq!(sent_actions, [(purpose.clone(), ChainAction::CloseOrder { terms, payer: PAYER })]);

    fixture.put(&terms, RentedAccount::Order, RentState::Closed);
    fixture.advance_to(OPEN_UNTIL + 3 * MARGIN).await;
    assert_eq!(fixture.relayer.purposes(), [purpose], "a closed account is not closed again");
    assert_eq!(fixture.left().await, 0);
    assert_eq!(fixture.scene.order().await, order, "closing its account changes nothing of an order");
}

#[tokio::test]
async fn rule_18_fill_record_is_kept_until_the_refund_time_and_the_claim() {
    let fixture = RentFixture::of(unclaimed_on_solana).await;
    let terms = fixture.scene.terms;
    fixture.put(&terms, RentedAccount::Fill, RentState::Closable { payer: FILLER });
    fixture.start();
    fixture.advance_to(REFUND_AFTER + MARGIN).await;
    fixture.advance_to(REFUND_AFTER + 10 * MARGIN).await;
    assert_eq!(fixture.filler.purposes(), [""; 0], "the record alone proves the fill");

    let mut order = fixture.scene.order().await;
    order.evidence.claim = Some(claim_tx(chain(ORIGIN)));
    assert!(fixture.scene.store.update_order(&order, &[]).await.unwrap());
    fixture.scene.cursors.set(chain(ORIGIN), cursor(29, 29));
    fixture.advance_to(REFUND_AFTER + 100 * MARGIN).await;
    assert_eq!(fixture.filler.purposes(), [""; 0], "the claim is not final yet");
    fixture.scene.cursors.set(chain(ORIGIN), cursor(30, 30));
    fixture.advance_to(REFUND_AFTER + 1_000 * MARGIN).await;
    let sent_actions = fixture.filler.sent_actions.lock().unwrap().clone();
    let purpose = format!("close-fill:{:#x}", terms.id());
    assert_eq!(sent_actions, [(purpose, ChainAction::CloseFill { terms, payer: FILLER })]);
    assert_eq!(fixture.relayer.purposes(), [""; 0]);
}

#[tokio::test]
async fn rule_18_claimed_fill_keeps_its_record_until_the_refund_time() {
    let fixture = claimed_on_solana().await;
    fixture.put(&fixture.scene.terms, RentedAccount::Fill, RentState::Closable { payer: FILLER });
    fixture.start();
    fixture.advance_to(REFUND_AFTER + MARGIN - 1).await;
    assert_eq!(fixture.filler.purposes(), [""; 0]);
    fixture.advance_to(REFUND_AFTER + MARGIN).await;
    assert_eq!(fixture.filler.purposes().len(), 1);
}

#[tokio::test]
async fn record_paid_by_another_filler_is_left_to_it() {
    let fixture = claimed_on_solana().await;
    fixture.put(&fixture.scene.terms, RentedAccount::Fill, RentState::Closable { payer: PAYER });
    fixture.start();
    fixture.advance_to(REFUND_AFTER + MARGIN).await;
    assert_eq!((fixture.filler.purposes().len(), fixture.left().await), (0, 0));
}

#[tokio::test]
async fn open_order_is_not_closed_and_one_without_a_deposit_is_dropped() {
    let fixture = RentFixture::of(|order| {
        from_solana(order);
        (order.status, order.evidence.claim) = (OrderStatus::Published, None);
    })
    .await;
    let store = &fixture.scene.store;
    add_order(store, &fixture.scene.row_keys, |order| {
        from_solana(order);
        (order.status, order.evidence.claim) = (OrderStatus::Failed, None);
    })
    .await;
    fixture.put(&fixture.scene.terms, RentedAccount::Order, RentState::InUse);
    fixture.start();
    fixture.advance_to(OPEN_UNTIL + MARGIN).await;
    assert_eq!((fixture.relayer.purposes().len(), fixture.left().await), (0, 1));
}

#[tokio::test]
async fn unclosable_account_does_not_block_others() {
    let fixture = RentFixture::of(from_solana).await;
    let stubborn = fixture.scene.terms;
    fixture.relayer.refused.lock().unwrap().insert(stubborn.id());
    let mut all = vec![stubborn];
    for _ in 0..40 {
        all.push(add_order(&fixture.scene.store, &fixture.scene.row_keys, from_solana).await.terms);
    }
    for terms in &all {
        fixture.put(terms, RentedAccount::Order, RentState::Closable { payer: PAYER });
    }
    fixture.scene.cursors.set(SOLANA_CHAIN_ID, cursor(OPEN_UNTIL + MARGIN, OPEN_UNTIL + MARGIN));
    fixture.start();
    until(async || fixture.relayer.purposes().len() == all.len()).await;
    let asked = fixture.accounts.asked.lock().unwrap().clone();
    assert_eq!(asked, [16, 16, 9], "a few at a time");
    let sent: HashSet<String> = fixture.relayer.purposes().into_iter().collect();
    assert_eq!(sent.len(), all.len(), "each once");

    // It is retried with growing delays.
    for terms in &all[1..] {
        fixture.put(terms, RentedAccount::Order, RentState::Closed);
    }
    let begun = OPEN_UNTIL + MARGIN;
    for minute in 1..=60 {
        fixture.advance_to(begun + minute * 60).await;
    }
    let tries = fixture.relayer.purposes().len() - all.len();
    assert!((5..=20).contains(&tries), "{tries} tries in an hour");
    assert_eq!(fixture.left().await, 1);
}

#[tokio::test]
async fn reverted_closing_is_sent_again_with_another_purpose() {
    let fixture = RentFixture::of(from_solana).await;
    let terms = fixture.scene.terms;
    fixture.put(&terms, RentedAccount::Order, RentState::Closable { payer: PAYER });
    let first = format!("close-order:{:#x}", terms.id());
    let reverted = Progress::Reverted("sent".to_owned());
    fixture.relayer.ended.lock().unwrap().insert(first.clone(), reverted);
    fixture.start();
    fixture.advance_to(OPEN_UNTIL + MARGIN).await;
    assert_eq!(fixture.relayer.purposes(), [first.clone(), format!("{first}:2")]);
}

#[tokio::test]
async fn claimed_account_is_closed_after_a_crash() {
    let fixture = RentFixture::of(from_solana).await;
    fixture.put(&fixture.scene.terms, RentedAccount::Order, RentState::Closable { payer: PAYER });
    *fixture.accounts.is_away.lock().unwrap() = true;
    let process = fixture.start();
    fixture.advance_to(OPEN_UNTIL + MARGIN).await;
    process.cancel();
    *fixture.accounts.is_away.lock().unwrap() = false;
    fixture.start();
    fixture.advance_to(OPEN_UNTIL + 2 * MARGIN).await;
    assert_eq!(fixture.relayer.purposes().len(), 1);
}

#[tokio::test]
async fn accounts_of_a_halted_chain_are_not_closed() {
    let fixture = claimed_on_solana().await;
    fixture.put(&fixture.scene.terms, RentedAccount::Fill, RentState::Closable { payer: FILLER });
    fixture.scene.cursors.halt(chain(ORIGIN));
    fixture.start();
    fixture.advance_to(REFUND_AFTER + MARGIN).await;
    assert_eq!((fixture.filler.purposes().len(), fixture.left().await), (0, 1));
}
