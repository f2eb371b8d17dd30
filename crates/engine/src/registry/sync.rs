use std::collections::BTreeMap;
use std::time::Duration;

use causeway_domain::ports::{FillerRecord, StoreError};
use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;

use super::{Known, MadeFiller, Registry, activate};
use crate::ticker::{LogOnce, Ticker};

/// How often changes of other replicas are polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Removed fillers without open orders are deleted at every nth poll.
const DELETE_EVERY: u32 = 10;

/// How long after its removal an offer of a filler may still be taken: twice the longest lifetime of an offer.
const OFFER_LIFETIME: SignedDuration = SignedDuration::from_hours(2);

impl Registry {
    /// Brings the active fillers in line with the store.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        let mut known = self.known.lock().await;
        let records = self.parts.records.filler_records().await?;
        let mut current = BTreeMap::new();
        for record in records.into_iter().filter(|record| !self.configured.contains(&record.name)) {
            let unchanged = known.remove(&record.name).filter(|known| known.record == record);
            let now =
                unchanged.unwrap_or_else(|| Known { problem: self.apply(&record), record: record.clone() });
            current.insert(record.name, now);
        }
        // This or another replica deleted them after their last order.
        for name in std::mem::replace(&mut *known, current).into_keys() {
            self.parts.fillers.remove(&name);
            self.parts.executors.remove(&name);
        }
        Ok(())
    }

    /// Deletes removed fillers without open offers and orders.
    pub async fn delete_finished(&self, now: Timestamp) -> Result<(), StoreError> {
        let removed: Vec<String> = {
            let known = self.known.lock().await;
            let is_finished = |at: Timestamp| now.duration_since(at) > OFFER_LIFETIME;
            let removed = known.values().filter(|known| known.record.removed_at.is_some_and(is_finished));
            removed.map(|known| known.record.name.clone()).collect()
        };
        for name in &removed {
            self.parts.records.forget_filler(name).await?;
        }
        if removed.is_empty() { Ok(()) } else { self.refresh().await }
    }

    /// Applies a new or changed record and returns what is wrong with it.
    fn apply(&self, record: &FillerRecord) -> Option<String> {
        let parts = &self.parts;
        let done = if record.removed_at.is_some() {
            parts.fillers.remove(&record.name);
            // After a restart its executor is not registered yet, and its open orders may need it.
            match parts.executors.get(&record.name) {
                Some(_) => Ok(()),
                None => {
                    parts.make.make(record).map(|MadeFiller { executor, .. }| parts.executors.put(&executor))
                }
            }
        } else {
            activate(parts, record).map_err(|error| error.to_string())
        };
        let problem = done.err();
        if let Some(problem) = &problem {
            tracing::error!(filler = record.name, problem, "filler cannot be used");
        }
        problem
    }

    /// Follows the changes of other replicas until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        let (mut ticker, mut log_once) = (Ticker::new(POLL_INTERVAL, stop), LogOnce::default());
        let mut polls = 0_u32;
        while ticker.next().await {
            polls = polls.wrapping_add(1);
            let deleted = if polls.is_multiple_of(DELETE_EVERY) {
                self.delete_finished(Timestamp::now()).await
            } else {
                Ok(())
            };
            let refreshed = self.refresh().await;
            log_once.record(
                deleted.and(refreshed),
                "reading filler records failed; active fillers are unchanged",
            );
        }
    }
}
