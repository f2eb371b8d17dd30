use std::time::Duration;

use causeway_domain::FactKind;
use causeway_domain::ports::{ChainError, ChainFollower, ChainStore, ChainUpdate};
use jiff::Timestamp;
use tokio::time::{Instant, sleep};

use super::{ChainRead, RecoverError, RecoverProgress};

/// The pause after an error, and how long a chain may return only errors.
const ERROR_BACKOFF: Duration = Duration::from_secs(1);
const MAX_OUTAGE: Duration = Duration::from_mins(5);

/// How often progress is reported.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// Stores a chain's facts up to that block, span by span; the cursor is stored along.
pub(super) async fn read_chain(
    follower: &mut dyn ChainFollower,
    up_to: u64,
    facts: &dyn ChainStore,
    report: &(dyn Fn(RecoverProgress) + Sync),
) -> Result<ChainRead, RecoverError> {
    let chain = follower.chain();
    let mut read = ChainRead::default();
    let (mut answered, mut reported) = (Instant::now(), Instant::now());
    loop {
        match follower.next().await {
            // The service reads blocks that are not final again.
            Ok(ChainUpdate::Unfinalized(_)) => answered = Instant::now(),
            Ok(ChainUpdate::Final { tier, cursor, facts: shown }) => {
                answered = Instant::now();
                facts.record_facts(chain, tier, cursor, &shown, Timestamp::now()).await?;
                if cursor.number > read.up_to {
                    read.up_to = cursor.number;
                    // The stricter tier repeats facts that were counted already.
                    for fact in &shown {
                        count(&mut read, &fact.kind);
                    }
                }
                if cursor.number >= up_to {
                    return Ok(read);
                }
                if reported.elapsed() >= REPORT_INTERVAL {
                    reported = Instant::now();
                    report(RecoverProgress::Reading(chain, read));
                }
            }
            Err(error @ ChainError::Disagreement(..)) => return Err(error.into()),
            Err(error) if answered.elapsed() >= MAX_OUTAGE => return Err(error.into()),
            Err(_) => sleep(ERROR_BACKOFF).await,
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
