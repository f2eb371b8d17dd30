use std::time::Duration;

use causeway_domain::ports::{InventoryStore, OutflowSum, StoreError};
use jiff::Timestamp;

use super::executor::OUTFLOW_WINDOW;

/// How old what left must be to be settled: nobody records anything for so long ago.
const SETTLED_AFTER: Duration = Duration::from_mins(1);

/// How long the sum of what is settled is used.
const USED_FOR: Duration = Duration::from_mins(1);

/// What left in the last hour.
///
/// It is read every second, and an hour is not added up every time: the sum of what left a minute ago and before that is used for
/// a minute, so that up to a minute more than an hour counts.
#[derive(Debug, Default)]
pub struct OutflowWindow {
    /// What left before then.
    settled: Option<(Timestamp, Vec<OutflowSum>)>,
}

impl OutflowWindow {
    /// The sums of all fillers and chains; one may occur twice.
    pub async fn read(
        &mut self,
        store: &dyn InventoryStore,
        now: Timestamp,
    ) -> Result<Vec<OutflowSum>, StoreError> {
        let newest = now.checked_sub(SETTLED_AFTER).unwrap_or(Timestamp::MIN);
        let oldest = newest.checked_sub(USED_FOR).unwrap_or(Timestamp::MIN);
        let (until, settled) = match self.settled.take() {
            Some((until, sums)) if (oldest..=newest).contains(&until) => (until, sums),
            _ => {
                let since = now.checked_sub(OUTFLOW_WINDOW).unwrap_or(Timestamp::MIN);
                (newest, store.outflow_sums(since, newest).await?)
            }
        };
        let (_, settled) = self.settled.insert((until, settled));
        let mut sums = store.outflow_sums(until, Timestamp::MAX).await?;
        sums.extend_from_slice(settled);
        Ok(sums)
    }
}
