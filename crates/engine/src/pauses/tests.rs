use std::sync::Mutex;

use async_trait::async_trait;
use causeway_domain::ports::{PauseStore, StoreError};
use causeway_domain::{ChainId, TokenId};

use super::*;

/// A store in memory that can go away.
#[derive(Default)]
struct Fake {
    rows: Mutex<Vec<Pause>>,
    away: Mutex<bool>,
}

impl Fake {
    fn check(&self) -> Result<(), StoreError> {
        if *self.away.lock().unwrap() { Err(StoreError::Unavailable("away".into())) } else { Ok(()) }
    }
}

#[async_trait]
impl PauseStore for Fake {
    async fn pauses(&self) -> Result<Vec<Pause>, StoreError> {
        self.check()?;
        Ok(self.rows.lock().unwrap().clone())
    }

    async fn pause(&self, pause: &Pause) -> Result<(), StoreError> {
        self.check()?;
        self.rows.lock().unwrap().push(pause.clone());
        Ok(())
    }

    async fn resume(&self, what: &Pausable) -> Result<bool, StoreError> {
        self.check()?;
        let mut rows = self.rows.lock().unwrap();
        let before = rows.len();
        rows.retain(|pause| pause.what != *what);
        Ok(rows.len() < before)
    }
}

/// That something is paused, for the tests of those who heed it.
pub(crate) fn paused(kind: &str, name: &str) -> Pause {
    let what = Pausable::parse(kind, name).unwrap();
    Pause { what, reason: "maintenance".to_owned(), since: jiff::Timestamp::UNIX_EPOCH }
}

fn chain(number: u64) -> ChainId {
    ChainId::new(number).unwrap()
}

async fn replica(store: &Arc<Fake>) -> OperatePauses {
    OperatePauses::open(Arc::default(), store.clone()).await.unwrap()
}

#[tokio::test]
async fn a_pause_counts_at_once_where_it_was_asked_for_and_at_the_next_look_elsewhere() {
    let store: Arc<Fake> = Arc::default();
    let (here, there) = (replica(&store).await, replica(&store).await);
    let coin = TokenId::native(chain(8453));
    here.pause(Pausable::Chain(chain(8453)), "maintenance").await.unwrap();
    assert_eq!(here.pauses().of_tokens(&[coin]).as_deref(), Some("chain 8453 is paused: maintenance"));
    assert_eq!(there.pauses().of_tokens(&[coin]), None);
    there.refresh().await.unwrap();
    assert!(there.pauses().of_tokens(&[coin]).is_some());
    assert!(there.resume(&Pausable::Chain(chain(8453))).await.unwrap());
    here.refresh().await.unwrap();
    assert_eq!(here.pauses().of_tokens(&[coin]), None);
}

#[tokio::test]
async fn a_pause_touches_its_own_part_alone() {
    let operate = replica(&Arc::default()).await;
    let (coin, other) = (TokenId::native(chain(1)), TokenId::native(chain(10)));
    operate.pause(Pausable::Token(coin), "").await.unwrap();
    operate.pause(Pausable::Filler("north".to_owned()), "").await.unwrap();
    operate.pause(Pausable::OnRamp("card".to_owned()), "").await.unwrap();
    let pauses = operate.pauses();
    assert!(pauses.of_tokens(&[other, coin]).is_some() && pauses.of_tokens(&[other]).is_none());
    assert!(pauses.of_filler("north").is_some() && pauses.of_filler("card").is_none());
    assert!(pauses.of_on_ramp("card").is_some() && pauses.of_on_ramp("north").is_none());
    assert_eq!(pauses.all().len(), 3);
}

#[tokio::test]
async fn what_was_paused_stays_so_while_the_store_is_away() {
    let store: Arc<Fake> = Arc::default();
    let operate = replica(&store).await;
    operate.pause(Pausable::Filler("north".to_owned()), "asleep").await.unwrap();
    *store.away.lock().unwrap() = true;
    assert!(operate.refresh().await.is_err());
    assert!(operate.pauses().of_filler("north").is_some());
    assert!(operate.resume(&Pausable::Filler("north".to_owned())).await.is_err());
    assert!(operate.pauses().of_filler("north").is_some(), "nothing is half done");
}

#[tokio::test]
async fn a_reason_that_no_client_should_read_is_refused() {
    let operate = replica(&Arc::default()).await;
    for reason in ["a\nb".to_owned(), "x".repeat(201)] {
        let refused = operate.pause(Pausable::Chain(chain(1)), &reason).await;
        assert!(matches!(refused, Err(PauseError::Reason)));
    }
    assert_eq!(operate.pauses().all(), []);
}
