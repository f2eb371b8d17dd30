use std::time::Duration;

use causeway_domain::FactKind;
use causeway_domain::ports::{ChainError, FactStore, Follow, News};
use jiff::Timestamp;
use tokio::time::{Instant, sleep};

use super::{ChainRead, RecoverError, RecoverNews};

/// The pause after an error, and how long a chain may give nothing but errors.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(5);

/// How often it is told how far a long reading has come.
const TELL_EVERY: Duration = Duration::from_secs(5);

/// Writes down everything that a chain shows up to that block, span by span; the store remembers how far it came.
pub(super) async fn read_chain(
    follower: &mut dyn Follow,
    up_to: u64,
    facts: &dyn FactStore,
    tell: &(dyn Fn(RecoverNews) + Sync),
) -> Result<ChainRead, RecoverError> {
    let chain = follower.chain();
    let mut read = ChainRead::default();
    let (mut answered, mut told) = (Instant::now(), Instant::now());
    loop {
        match follower.next().await {
            // What may still go is read again by the service.
            Ok(News::Seen(_)) => answered = Instant::now(),
            Ok(News::Stands { care, mark, facts: shown }) => {
                answered = Instant::now();
                facts.record_facts(chain, care, mark, &shown, Timestamp::now()).await?;
                if mark.number > read.up_to {
                    read.up_to = mark.number;
                    // The same facts come once more for a higher care, behind what was counted.
                    for fact in &shown {
                        count(&mut read, &fact.kind);
                    }
                }
                if mark.number >= up_to {
                    return Ok(read);
                }
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    tell(RecoverNews::Reading(chain, read));
                }
            }
            Err(error @ ChainError::Disagreement(..)) => return Err(error.into()),
            Err(error) if answered.elapsed() >= LONGEST => return Err(error.into()),
            Err(_) => sleep(PAUSE).await,
        }
    }
}

const fn count(read: &mut ChainRead, kind: &FactKind) {
    match kind {
        FactKind::Opened(_) => read.opened += 1,
        FactKind::Filled(_) => read.filled += 1,
        FactKind::Claimed(_) => read.claimed += 1,
        FactKind::Refunded { .. } => read.refunded += 1,
    }
}
