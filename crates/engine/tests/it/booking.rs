use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    Carrier, ChainError, Deed, DeedError, IntentBook, IntentEntry, OrderStore as _, Progress,
};
use causeway_domain::{Address, ChainId, IntentState, OrderStatus};
use causeway_engine::{BookParts, keep_intent_book};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::followed::until;
use crate::scene::{DESTINATION, Scene, address, chain};

/// A book that stands where the test puts it.
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

/// A key whose transactions are on their way until the test ends them.
#[derive(Default)]
struct FakeWriter {
    carried: Mutex<Vec<(String, Deed)>>,
    ended: Mutex<HashMap<String, Progress>>,
}

impl FakeWriter {
    fn ends(&self, purpose: &str, progress: Progress) {
        self.ended.lock().unwrap().insert(purpose.to_owned(), progress);
    }
}

#[async_trait]
impl Carrier for FakeWriter {
    fn chain(&self) -> ChainId {
        chain(DESTINATION)
    }

    fn account(&self) -> Address {
        address(0x99)
    }

    async fn carry(&self, purpose: &str, deed: &Deed, _: Timestamp) -> Result<Progress, DeedError> {
        self.carried.lock().unwrap().push((purpose.to_owned(), deed.clone()));
        Ok(Progress::OnItsWay("0x1".to_owned()))
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, DeedError> {
        let is_sent = self.carried.lock().unwrap().iter().any(|(sent, _)| sent == purpose);
        let ended = self.ended.lock().unwrap().get(purpose).cloned();
        Ok(ended.or_else(|| is_sent.then(|| Progress::OnItsWay("0x1".to_owned()))))
    }

    async fn tend(&self, _: Timestamp) -> Result<(), DeedError> {
        Ok(())
    }
}

struct Keeping {
    scene: Scene,
    book: Arc<FakeBook>,
    writer: Arc<FakeWriter>,
    stop: CancellationToken,
}

impl Keeping {
    async fn of(status: OrderStatus) -> Self {
        let scene = Scene::with(|order| {
            order.announced = true;
            order.status = status;
        })
        .await;
        Self { scene, book: Arc::default(), writer: Arc::default(), stop: CancellationToken::new() }
    }

    /// As a process would begin it at its start.
    fn begin(&self) {
        let (marks, book, writer) = (self.scene.store.clone(), self.book.clone(), self.writer.clone());
        let parts = BookParts { marks, book, writer };
        tokio::spawn(keep_intent_book(parts, Duration::from_millis(5), self.stop.clone()));
    }

    fn batches(&self) -> Vec<(String, Vec<IntentState>)> {
        let carried = self.writer.carried.lock().unwrap();
        let read = |(purpose, deed): &(String, Deed)| match deed {
            Deed::RecordIntents { entries } => {
                (purpose.clone(), entries.iter().map(|entry: &IntentEntry| entry.state).collect())
            }
            other => panic!("{other:?}"),
        };
        carried.iter().map(read).collect()
    }

    async fn is_told(&self) -> bool {
        use causeway_domain::ports::BookMarks as _;
        self.scene.store.untold(10).await.unwrap().is_empty()
    }

    /// The chain has taken a batch.
    fn land(&self, purpose: &str, state: IntentState) {
        self.book.0.lock().unwrap().insert(self.scene.terms.id(), state);
        self.writer.ends(purpose, Progress::Succeeded("0x1".to_owned()));
    }
}

impl Drop for Keeping {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

#[tokio::test]
async fn a_batch_takes_every_step_from_where_the_book_stands_and_is_sent_once() {
    use IntentState::{Locked, Open, Solved};
    let keeping = Keeping::of(OrderStatus::Filled).await;
    keeping.begin();
    until(async || !keeping.batches().is_empty()).await;
    let (purpose, states) = keeping.batches().remove(0);
    assert_eq!(states, [Open, Locked, Solved]);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(keeping.batches().len(), 1, "nothing more is sent while it is on its way");
    assert!(!keeping.is_told().await);
    keeping.land(&purpose, Solved);
    until(async || keeping.is_told().await).await;
    assert_eq!(keeping.batches().len(), 1);
}

#[tokio::test]
async fn what_came_to_nothing_is_told_again_from_where_the_book_really_stands() {
    use IntentState::{Locked, Open, Solved};
    let keeping = Keeping::of(OrderStatus::Filled).await;
    keeping.begin();
    until(async || !keeping.batches().is_empty()).await;
    // A batch from before a crash was first.
    keeping.book.0.lock().unwrap().insert(keeping.scene.terms.id(), Locked);
    let (first, states) = keeping.batches().remove(0);
    assert_eq!(states, [Open, Locked, Solved]);
    keeping.writer.ends(&first, Progress::Reverted("0x1".to_owned()));
    until(async || keeping.batches().len() > 1).await;
    let (second, states) = keeping.batches().remove(1);
    assert_eq!(states, [Solved]);
    assert_ne!(first, second, "what has ended in a block is never tried under its own name again");
}

#[tokio::test]
async fn what_the_book_knows_already_costs_nothing() {
    let keeping = Keeping::of(OrderStatus::Deposited).await;
    keeping.book.0.lock().unwrap().insert(keeping.scene.terms.id(), IntentState::Open);
    keeping.begin();
    until(async || keeping.is_told().await).await;
    assert!(keeping.batches().is_empty());
    // No book takes a step back.
    keeping.book.0.lock().unwrap().insert(keeping.scene.terms.id(), IntentState::Locked);
    let mut order = keeping.scene.order().await;
    order.status = OrderStatus::RefundPending;
    assert!(keeping.scene.store.update_order(&order, &[]).await.unwrap());
    until(async || keeping.is_told().await).await;
    assert!(keeping.batches().is_empty());
}

#[tokio::test]
async fn an_order_that_was_announced_and_never_deposited_costs_the_book_nothing() {
    let keeping = Keeping::of(OrderStatus::Failed).await;
    keeping.begin();
    until(async || keeping.is_told().await).await;
    assert!(keeping.batches().is_empty());
}
