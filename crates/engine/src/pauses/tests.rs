use causeway_domain::{ChainId, TokenId};
use causeway_testing::MemoryStore;

use super::*;

/// A pause, for tests of code that checks pauses.
pub(crate) fn paused(kind: &str, name: &str) -> Pause {
    let what = Pausable::parse(kind, name).unwrap();
    Pause { what, reason: "maintenance".to_owned(), since: jiff::Timestamp::UNIX_EPOCH }
}

fn chain(number: u64) -> ChainId {
    ChainId::new(number).unwrap()
}

async fn replica(store: &Arc<MemoryStore>) -> OperatePauses {
    OperatePauses::open(Arc::default(), store.clone()).await.unwrap()
}

#[tokio::test]
async fn pause_applies_at_once_here_and_after_a_refresh_on_other_replicas() {
    let store: Arc<MemoryStore> = Arc::default();
    let (here, there) = (replica(&store).await, replica(&store).await);
    let coin = TokenId::native(chain(8453));
    here.pause(Pausable::Chain(chain(8453)), "maintenance").await.unwrap();
    assert_eq!(
        here.pauses().reason_for_tokens(&[coin]).as_deref(),
        Some("chain 8453 is paused: maintenance")
    );
    assert_eq!(there.pauses().reason_for_tokens(&[coin]), None);
    there.refresh().await.unwrap();
    assert!(there.pauses().reason_for_tokens(&[coin]).is_some());
    assert!(there.resume(&Pausable::Chain(chain(8453))).await.unwrap());
    here.refresh().await.unwrap();
    assert_eq!(here.pauses().reason_for_tokens(&[coin]), None);
}

#[tokio::test]
async fn pause_affects_only_its_own_component() {
    let operate = replica(&Arc::default()).await;
    let (coin, other) = (TokenId::native(chain(1)), TokenId::native(chain(10)));
    operate.pause(Pausable::Token(coin), "").await.unwrap();
    operate.pause(Pausable::Filler("north".to_owned()), "").await.unwrap();
    operate.pause(Pausable::OnRamp("card".to_owned()), "").await.unwrap();
    let pauses = operate.pauses();
    assert!(
        pauses.reason_for_tokens(&[other, coin]).is_some() && pauses.reason_for_tokens(&[other]).is_none()
    );
    assert!(pauses.reason_for_filler("north").is_some() && pauses.reason_for_filler("card").is_none());
    assert!(pauses.reason_for_on_ramp("card").is_some() && pauses.reason_for_on_ramp("north").is_none());
    assert_eq!(pauses.all().len(), 3);
}

#[tokio::test]
async fn pauses_hold_while_the_store_is_unavailable() {
    let store: Arc<MemoryStore> = Arc::default();
    let operate = replica(&store).await;
    operate.pause(Pausable::Filler("north".to_owned()), "asleep").await.unwrap();
    store.set_unavailable(true);
    assert!(operate.refresh().await.is_err());
    assert!(operate.pauses().reason_for_filler("north").is_some());
    assert!(operate.resume(&Pausable::Filler("north".to_owned())).await.is_err());
    assert!(operate.pauses().reason_for_filler("north").is_some(), "nothing is half done");
}

#[tokio::test]
async fn too_long_or_unprintable_reason_is_rejected() {
    let operate = replica(&Arc::default()).await;
    for reason in ["a\nb".to_owned(), "x".repeat(201)] {
        let refused = operate.pause(Pausable::Chain(chain(1)), &reason).await;
        assert!(matches!(refused, Err(PauseError::Reason)));
    }
    assert_eq!(operate.pauses().all(), []);
}
