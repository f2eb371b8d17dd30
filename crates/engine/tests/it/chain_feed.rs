use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use causeway_domain::Fact;
use causeway_domain::ports::{ChainError, ChainStore, ChainUpdate, FinalityTier};
use causeway_engine::{FollowParts, WatchAddresses, follow_chain};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::fake_chain::FakeFollow;
use crate::scene::{ORIGIN, Scene, chain, cursor};

/// How long tests wait for an expected event.
const TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, waiting).await.unwrap();
}

/// Runs `follow_chain` for the origin with updates from the test.
pub(crate) struct ChainFeed {
    updates: mpsc::UnboundedSender<Result<ChainUpdate, ChainError>>,
    sent: AtomicUsize,
    asked: Arc<AtomicUsize>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl ChainFeed {
    pub(crate) fn new(scene: &Scene, facts: Arc<dyn ChainStore>, addresses: Option<WatchAddresses>) -> Self {
        let (updates, receiver) = mpsc::unbounded_channel();
        let parts = FollowParts {
            facts,
            orders: scene.store.clone(),
            executors: scene.executors(),
            cursors: Arc::clone(&scene.cursors),
            adopt: None,
        };
        let (asked, stop) = (Arc::<AtomicUsize>::default(), CancellationToken::new());
        let follow = FakeFollow { chain: chain(ORIGIN), updates: receiver, asked: Arc::clone(&asked) };
        let task = tokio::spawn(follow_chain(Box::new(follow), addresses, parts, stop.clone()));
        Self { updates, sent: AtomicUsize::default(), asked, stop, task }
    }

    pub(crate) fn send(&self, update: Result<ChainUpdate, ChainError>) {
        self.sent.fetch_add(1, Ordering::SeqCst);
        self.updates.send(update).unwrap();
    }

    pub(crate) fn finalize(&self, number: u64, facts: Vec<Fact>) {
        self.send(Ok(ChainUpdate::Final {
            tier: FinalityTier::Large,
            cursor: cursor(number, number),
            facts,
        }));
    }

    /// Waits until all updates are processed: only then the follower is asked for more.
    pub(crate) async fn processed(&self) {
        until(async || self.asked.load(Ordering::SeqCst) > self.sent.load(Ordering::SeqCst)).await;
    }

    pub(crate) async fn end(self) {
        self.stop.cancel();
        self.ends_itself().await;
    }

    pub(crate) async fn ends_itself(self) {
        tokio::time::timeout(TIMEOUT, self.task).await.unwrap().unwrap();
    }
}
