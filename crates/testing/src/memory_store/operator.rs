use std::sync::Mutex;

use async_trait::async_trait;
use causeway_domain::RowKey;
use causeway_domain::ports::{
    AuditEvent, FeeRecord, FillerRecord, OperatorStore, Pausable, Pause, Pruned, StoreError,
};
use jiff::Timestamp;

use super::MemoryStore;

/// Removes at most `limit` of what is expired.
fn expire(expired: &Mutex<u64>, limit: u32) -> u64 {
    let mut expired = expired.lock().unwrap();
    let removed = (*expired).min(u64::from(limit));
    *expired -= removed;
    removed
}

#[async_trait]
impl OperatorStore for MemoryStore {
    async fn pauses(&self) -> Result<Vec<Pause>, StoreError> {
        self.call("pauses")?;
        Ok(self.pauses.lock().unwrap().clone())
    }

    async fn pause(&self, pause: &Pause) -> Result<(), StoreError> {
        self.call("pause")?;
        let mut pauses = self.pauses.lock().unwrap();
        match pauses.iter_mut().find(|known| known.what == pause.what) {
            Some(known) => known.reason.clone_from(&pause.reason),
            None => pauses.push(pause.clone()),
        }
        Ok(())
    }

    async fn resume(&self, what: &Pausable) -> Result<bool, StoreError> {
        self.call("resume")?;
        let mut pauses = self.pauses.lock().unwrap();
        let before = pauses.len();
        pauses.retain(|pause| pause.what != *what);
        Ok(pauses.len() < before)
    }

    async fn filler_records(&self) -> Result<Vec<FillerRecord>, StoreError> {
        self.call("filler_records")?;
        Ok(self.fillers.lock().unwrap().values().cloned().collect())
    }

    async fn put_filler(&self, record: &FillerRecord) -> Result<(), StoreError> {
        self.call("put_filler")?;
        self.fillers.lock().unwrap().insert(record.name.clone(), record.clone());
        Ok(())
    }

    async fn forget_filler(&self, name: &str) -> Result<bool, StoreError> {
        self.call("forget_filler")?;
        let mut fillers = self.fillers.lock().unwrap();
        let orders = self.orders.lock().unwrap();
        let has_orders = orders.iter().any(|(order, _)| order.filler == name && order.due_at.is_some());
        let is_removed = fillers.get(name).is_some_and(|record| record.removed_at.is_some());
        Ok(is_removed && !has_orders && fillers.remove(name).is_some())
    }

    async fn record_fee(&self, record: &FeeRecord) -> Result<(), StoreError> {
        self.call("record_fee")?;
        let mut fees = self.fees.lock().unwrap();
        let is_known = |known: &FeeRecord| (known.chain, &known.purpose) == (record.chain, &record.purpose);
        if !fees.iter().any(is_known) {
            fees.push(record.clone());
        }
        Ok(())
    }

    async fn fees(&self, since: Timestamp, limit: u32) -> Result<Vec<FeeRecord>, StoreError> {
        self.call("fees")?;
        let mut found: Vec<FeeRecord> = self.fees.lock().unwrap().clone();
        found.retain(|fee| fee.at >= since);
        found.sort_by(|one, other| {
            other.at.cmp(&one.at).then_with(|| (one.chain, &one.purpose).cmp(&(other.chain, &other.purpose)))
        });
        found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(found)
    }

    async fn record_audit(&self, event: &AuditEvent) -> Result<(), StoreError> {
        self.call("record_audit")?;
        self.audit.lock().unwrap().push(event.clone());
        Ok(())
    }

    async fn merge_screening_hit(&self, event: &AuditEvent) -> Result<(), StoreError> {
        self.call("merge_screening_hit")?;
        if let Some(line) = self.audit.lock().unwrap().iter_mut().find(|line| line.key == event.key) {
            line.detail.clone_from(&event.detail);
        }
        Ok(())
    }

    async fn audit(&self, before: Option<RowKey>, limit: u32) -> Result<Vec<AuditEvent>, StoreError> {
        self.call("audit")?;
        let events = self.audit.lock().unwrap();
        let older = events.iter().rev().filter(|event| before.is_none_or(|key| event.key < key));
        Ok(older.take(limit.try_into().unwrap()).cloned().collect())
    }

    async fn prune(&self, _: Timestamp, _: Timestamp, limit: u32) -> Result<Pruned, StoreError> {
        self.call("prune")?;
        let (quotes, answers) = (expire(&self.expired_quotes, limit), expire(&self.expired_answers, limit));
        Ok(Pruned { quotes, answers, ..Pruned::default() })
    }

    async fn prune_audit(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.call("prune_audit")?;
        let mut events = self.audit.lock().unwrap();
        let (count, limit) = (events.len(), usize::try_from(limit).unwrap());
        let mut removed = 0;
        events.retain(|event| {
            let is_old = event.at < before && removed < limit;
            removed += usize::from(is_old);
            !is_old
        });
        Ok((count - events.len()).try_into().unwrap())
    }
}
