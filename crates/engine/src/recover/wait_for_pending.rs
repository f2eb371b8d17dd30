use std::time::Duration;

use causeway_domain::Address;
use causeway_domain::ports::{ChainError, ChainHistory};
use tokio::time::{Instant, sleep};

use super::{RecoverError, RecoverProgress};

/// How often pending transactions are checked.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long our transactions may stay pending before an operator has to intervene.
const MAX_WAIT: Duration = Duration::from_mins(15);

/// Waits until every transaction that these accounts signed is final or can no longer be included. The outbox is lost, so this
/// prevents a decision against a fill that is still pending.
pub(super) async fn wait_for_pending(
    chain: &dyn ChainHistory,
    accounts: &[Address],
    report: &(dyn Fn(RecoverProgress) + Sync),
) -> Result<(), RecoverError> {
    let started = Instant::now();
    let mut since = None;
    let mut reported = false;
    loop {
        let quiet = match since {
            Some(since) => chain.is_settled_since(accounts, since).await,
            None => match chain.moment().await {
                Ok(moment) => {
                    since = Some(moment);
                    chain.is_settled_since(accounts, moment).await
                }
                Err(error) => Err(error),
            },
        };
        match quiet {
            Ok(true) => return Ok(()),
            Err(error @ ChainError::Disagreement(..)) => return Err(error.into()),
            Err(error) if started.elapsed() >= MAX_WAIT => return Err(error.into()),
            Ok(false) if started.elapsed() >= MAX_WAIT => {
                return Err(RecoverError::PendingTransactions(chain.chain(), MAX_WAIT.as_secs() / 60));
            }
            Ok(false) | Err(_) => {}
        }
        if !std::mem::replace(&mut reported, true) {
            report(RecoverProgress::Waiting(chain.chain()));
        }
        sleep(POLL_INTERVAL).await;
    }
}
