use std::collections::BTreeMap;
use std::time::Duration;

use causeway_domain::ports::{FillerRecord, StoreError};
use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;

use super::{Known, MadeFiller, Registry, put_to_work};
use crate::turns::{ToldOnce, Turns};

/// How often what other replicas were told is looked for.
const EVERY: Duration = Duration::from_secs(1);

/// Every so many looks, fillers that were removed are forgotten if their orders are over.
const FORGET_EVERY: u32 = 10;

/// For so long after a filler was removed, somebody may take an offer that it made before: twice as long as any offer lasts.
const OFFERS_LAST: SignedDuration = SignedDuration::from_hours(2);

impl Registry {
    /// Brings the fillers at work in line with the store.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        let mut known = self.known.lock().await;
        let records = self.parts.records.filler_records().await?;
        let mut still = BTreeMap::new();
        for record in records.into_iter().filter(|record| !self.ours.contains(&record.name)) {
            let as_before = known.remove(&record.name).filter(|known| known.record == record);
            let now =
                as_before.unwrap_or_else(|| Known { problem: self.take(&record), record: record.clone() });
            still.insert(record.name, now);
        }
        // Their last order was over, as this or another replica found.
        for name in std::mem::replace(&mut *known, still).into_keys() {
            self.parts.fillers.remove(&name);
            self.parts.hands.remove(&name);
        }
        Ok(())
    }

    /// Forgets the removed fillers whose offers and orders are over.
    pub async fn forget_over(&self, now: Timestamp) -> Result<(), StoreError> {
        let removed: Vec<String> = {
            let known = self.known.lock().await;
            let is_over = |at: Timestamp| now.duration_since(at) > OFFERS_LAST;
            let removed = known.values().filter(|known| known.record.removed_at.is_some_and(is_over));
            removed.map(|known| known.record.name.clone()).collect()
        };
        for name in &removed {
            self.parts.records.forget_filler(name).await?;
        }
        if removed.is_empty() { Ok(()) } else { self.refresh().await }
    }

    /// Takes note of a filler that is new or has changed; what is wrong with it comes back.
    fn take(&self, record: &FillerRecord) -> Option<String> {
        let parts = &self.parts;
        let done = if record.removed_at.is_some() {
            parts.fillers.remove(&record.name);
            // After a start nobody has its hand yet, and its orders may need it.
            match parts.hands.get(&record.name) {
                Some(_) => Ok(()),
                None => parts.make.make(record).map(|MadeFiller { hand, .. }| parts.hands.put(&hand)),
            }
        } else {
            put_to_work(parts, record).map_err(|error| error.to_string())
        };
        let problem = done.err();
        if let Some(problem) = &problem {
            tracing::error!(filler = record.name, problem, "a filler that is told to us cannot be used");
        }
        problem
    }

    /// Follows what other replicas were told, until `stop`.
    pub async fn keep(&self, stop: CancellationToken) {
        let (mut turns, mut told) = (Turns::new(EVERY, stop), ToldOnce::default());
        let mut looks = 0_u32;
        while turns.next().await {
            looks = looks.wrapping_add(1);
            let looked = if looks.is_multiple_of(FORGET_EVERY) {
                self.forget_over(Timestamp::now()).await
            } else {
                Ok(())
            };
            let refreshed = self.refresh().await;
            told.note(looked.and(refreshed), "the fillers that joined cannot be read; those at work go on");
        }
    }
}
