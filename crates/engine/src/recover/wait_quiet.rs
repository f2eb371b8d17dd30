use std::time::Duration;

use causeway_domain::Address;
use causeway_domain::ports::{ChainError, ChainRecord};
use tokio::time::{Instant, sleep};

use super::{RecoverError, RecoverNews};

/// How often it is asked whether all is quiet.
const EVERY: Duration = Duration::from_secs(1);

/// How long transactions of ours may wait before somebody has to look.
const LONGEST: Duration = Duration::from_mins(15);

/// Waits until all that these keys signed lies in blocks that stand, or can come into none any more. The outbox that knew what
/// was on its way is lost, so this is what keeps an order from being decided against a delivery that is still to come.
pub(super) async fn wait_quiet(
    chain: &dyn ChainRecord,
    accounts: &[Address],
    tell: &(dyn Fn(RecoverNews) + Sync),
) -> Result<(), RecoverError> {
    let began = Instant::now();
    let mut since = None;
    let mut told = false;
    loop {
        let quiet = match since {
            Some(since) => chain.is_quiet(accounts, since).await,
            None => match chain.moment().await {
                Ok(moment) => {
                    since = Some(moment);
                    chain.is_quiet(accounts, moment).await
                }
                Err(error) => Err(error),
            },
        };
        match quiet {
            Ok(true) => return Ok(()),
            Err(error @ ChainError::Disagreement(..)) => return Err(error.into()),
            Err(error) if began.elapsed() >= LONGEST => return Err(error.into()),
            Ok(false) if began.elapsed() >= LONGEST => {
                return Err(RecoverError::NotQuiet(chain.chain(), LONGEST.as_secs() / 60));
            }
            Ok(false) | Err(_) => {}
        }
        if !std::mem::replace(&mut told, true) {
            tell(RecoverNews::Waiting(chain.chain()));
        }
        sleep(EVERY).await;
    }
}
