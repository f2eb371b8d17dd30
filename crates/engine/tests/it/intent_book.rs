use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, ChainAction, ChainError, IntentBook, IntentEntry, OrderStore as _, Progress, TxSender,
};
use causeway_domain::{Address, ChainId, IntentState, OrderStatus};
use causeway_engine::{BookParts, sync_intent_book};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::chain_feed::until;
use crate::scene::{DESTINATION, Scene, address, chain};

/// An intent book with states that the test sets.
#[derive(Default)]
struct FakeBook(Mutex<HashMap<B256, IntentState>>);

#[async_trait]
impl IntentBook for FakeBook {
    fn chain(&self) -> ChainId {
        chain(DESTINATION)
    }

    async fn states(&self, _: Address, intents: &[B256]) -> Result<Vec<IntentState>, ChainError> {
        let book = self.0.lock().unwrap();
        Ok(intents.iter().map(|one| book.get(one).copied().unwrap_or(IntentState::NonExistent)).collect())
    }
}

/// A sender whose transactions stay pending until the test ends them.
#[derive(Default)]
struct FakeWriter {
    sent_actions: Mutex<Vec<(String, ChainAction)>>,
    ended: Mutex<HashMap<String, Progress>>,
}

impl FakeWriter {
    fn ends(&self, purpose: &str, progress: Progress) {
        self.ended.lock().unwrap().insert(purpose.to_owned(), progress);
    }
}

#[async_trait]
impl TxSender for FakeWriter {
    fn chain(&self) -> ChainId {
        chain(DESTINATION)
    }

    fn account(&self) -> Address {
        address(0x99)
    }

    async fn send(&self, purpose: &str, action: &ChainAction, _: Timestamp) -> Result<Progress, ActionError> {
        self.sent_actions.lock().unwrap().push((purpose.to_owned(), action.clone()));
        Ok(Progress::Sent("0x1".to_owned()))
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, ActionError> {
        let is_sent = self.sent_actions.lock().unwrap().iter().any(|(sent, _)| sent == purpose);
        let ended = self.ended.lock().unwrap().get(purpose).cloned();
        Ok(ended.or_else(|| is_sent.then(|| Progress::Sent("0x1".to_owned()))))
    }

    async fn poll_pending(&self, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }
}

struct BookFixture {
    scene: Scene,
    book: Arc<FakeBook>,
    writer: Arc<FakeWriter>,
    stop: CancellationToken,
}

impl BookFixture {
    async fn of(status: OrderStatus) -> Self {
        let scene = Scene::with(|order| {
            order.announced = true;
            order.status = status;
        })
        .await;
        Self { scene, book: Arc::default(), writer: Arc::default(), stop: CancellationToken::new() }
    }

    /// Starts the task as a process would.
    fn start(&self) {
        let (book_state, book, writer) = (self.scene.store.clone(), self.book.clone(), self.writer.clone());
        let parts = BookParts { book_state, book, writer };
        tokio::spawn(sync_intent_book(parts, Duration::from_millis(5), self.stop.clone()));
    }

    fn batches(&self) -> Vec<(String, Vec<IntentState>)> {
        let sent_actions = self.writer.sent_actions.lock().unwrap();
        let read = |(purpose, action): &(String, ChainAction)| match action {
            ChainAction::RecordIntents { entries } => {
                (purpose.clone(), entries.iter().map(|entry: &IntentEntry| entry.state).collect())
            }
            other => panic!("{other:?}"),
        };
        sent_actions.iter().map(read).collect()
    }

    async fn is_synced(&self) -> bool {
        use causeway_domain::ports::ChainStore as _;
        self.scene.store.unrecorded(10).await.unwrap().is_empty()
    }

    /// Confirms a batch.
    fn land(&self, purpose: &str, state: IntentState) {
        self.book.0.lock().unwrap().insert(self.scene.terms.id(), state);
        self.writer.ends(purpose, Progress::Succeeded("0x1".to_owned()));
    }
}

impl Drop for BookFixture {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

#[tokio::test]
async fn batch_contains_every_step_from_the_recorded_state_and_is_sent_once() {
    use IntentState::{Locked, Open, Solved};
    let fixture = BookFixture::of(OrderStatus::Filled).await;
    fixture.start();
    until(async || !fixture.batches().is_empty()).await;
    let (purpose, states) = fixture.batches().remove(0);
    assert_eq!(states, [Open, Locked, Solved]);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(fixture.batches().len(), 1, "nothing more is sent while it is pending");
    assert!(!fixture.is_synced().await);
    fixture.land(&purpose, Solved);
    until(async || fixture.is_synced().await).await;
    assert_eq!(fixture.batches().len(), 1);
}

#[tokio::test]
async fn reverted_batch_is_sent_again_from_the_recorded_state() {
    use IntentState::{Locked, Open, Solved};
    let fixture = BookFixture::of(OrderStatus::Filled).await;
    fixture.start();
    until(async || !fixture.batches().is_empty()).await;
    // A batch from before a crash was included first.
    fixture.book.0.lock().unwrap().insert(fixture.scene.terms.id(), Locked);
    let (first, states) = fixture.batches().remove(0);
    assert_eq!(states, [Open, Locked, Solved]);
    fixture.writer.ends(&first, Progress::Reverted("0x1".to_owned()));
    until(async || fixture.batches().len() > 1).await;
    let (second, states) = fixture.batches().remove(1);
    assert_eq!(states, [Solved]);
    assert_ne!(first, second, "a reverted purpose is never reused");
}

#[tokio::test]
async fn recorded_states_are_not_sent_again() {
    let fixture = BookFixture::of(OrderStatus::Deposited).await;
    fixture.book.0.lock().unwrap().insert(fixture.scene.terms.id(), IntentState::Open);
    fixture.start();
    until(async || fixture.is_synced().await).await;
    assert!(fixture.batches().is_empty());
    // The book takes no step back.
    fixture.book.0.lock().unwrap().insert(fixture.scene.terms.id(), IntentState::Locked);
    let mut order = fixture.scene.order().await;
    order.status = OrderStatus::RefundPending;
    assert!(fixture.scene.store.update_order(&order, &[]).await.unwrap());
    until(async || fixture.is_synced().await).await;
    assert!(fixture.batches().is_empty());
}

#[tokio::test]
async fn order_without_a_deposit_is_not_recorded() {
    let fixture = BookFixture::of(OrderStatus::Failed).await;
    fixture.start();
    until(async || fixture.is_synced().await).await;
    assert!(fixture.batches().is_empty());
}
