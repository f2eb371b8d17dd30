use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use causeway_domain::Fact;
use causeway_domain::ports::{Care, ChainError, FactStore, News};
use causeway_engine::{FollowParts, WatchAddresses, follow_chain};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::fake_chain::FakeFollow;
use crate::scene::{ORIGIN, Scene, chain, mark};

/// How long what must come is waited for.
const LONG: Duration = Duration::from_secs(20);

pub(crate) async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, waiting).await.unwrap();
}

/// The origin as one process follows it, and what the test tells in its name.
pub(crate) struct Followed {
    tell: mpsc::UnboundedSender<Result<News, ChainError>>,
    told: AtomicUsize,
    asked: Arc<AtomicUsize>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Followed {
    pub(crate) fn new(scene: &Scene, facts: Arc<dyn FactStore>, addresses: Option<WatchAddresses>) -> Self {
        let (tell, news) = mpsc::unbounded_channel();
        let parts = FollowParts {
            facts,
            orders: scene.store.clone(),
            hands: scene.hands(),
            marks: Arc::clone(&scene.marks),
            adopt: None,
        };
        let (asked, stop) = (Arc::<AtomicUsize>::default(), CancellationToken::new());
        let follow = FakeFollow { chain: chain(ORIGIN), news, asked: Arc::clone(&asked) };
        let task = tokio::spawn(follow_chain(Box::new(follow), addresses, parts, stop.clone()));
        Self { tell, told: AtomicUsize::default(), asked, stop, task }
    }

    pub(crate) fn tell(&self, news: Result<News, ChainError>) {
        self.told.fetch_add(1, Ordering::SeqCst);
        self.tell.send(news).unwrap();
    }

    pub(crate) fn stands(&self, number: u64, facts: Vec<Fact>) {
        self.tell(Ok(News::Stands { care: Care::Large, mark: mark(number, number), facts }));
    }

    /// Waits until all that was told is dealt with: only then the chain is asked for more.
    pub(crate) async fn heard(&self) {
        until(async || self.asked.load(Ordering::SeqCst) > self.told.load(Ordering::SeqCst)).await;
    }

    pub(crate) async fn end(self) {
        self.stop.cancel();
        self.ends_itself().await;
    }

    pub(crate) async fn ends_itself(self) {
        tokio::time::timeout(LONG, self.task).await.unwrap().unwrap();
    }
}
