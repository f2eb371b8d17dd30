use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{Erasure, FiatStore, OperatorStore, Pruned, StoreError};
use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::erase_purchases::erase_purchases;
use crate::ticker::Ticker;

/// How many rows one statement removes; small, so that a large backlog never blocks writers for long.
const BATCH: u32 = 1_000;

/// How long finished records are kept.
#[derive(Clone, Copy, Debug)]
pub struct RetentionPolicy {
    /// Providers' quotes without a purchase, and builds that were never paid.
    pub quotes: Duration,
    /// Events of terminal orders.
    pub events: Duration,
    /// Entries of the audit log.
    pub audit: Duration,
    /// Personal data of ended purchases; for ever if unset.
    pub purchases: Option<Duration>,
    /// How often to sweep.
    pub every: Duration,
}

/// Sweeps the store until `stop`; a failure is retried at the next tick.
pub async fn enforce_retention(
    store: Arc<dyn OperatorStore>,
    fiat: Arc<dyn FiatStore>,
    policy: RetentionPolicy,
    stop: CancellationToken,
) {
    let mut ticker = Ticker::new(policy.every, stop.clone());
    while ticker.next().await {
        match sweep(store.as_ref(), policy, Timestamp::now(), &stop).await {
            Ok(pruned) if pruned == Pruned::default() => {}
            Ok(pruned) => {
                tracing::info!(
                    orders = pruned.orders,
                    quotes = pruned.quotes,
                    events = pruned.events,
                    answers = pruned.answers,
                    "retention swept"
                );
            }
            Err(error) => tracing::warn!(%error, "retention sweep failed"),
        }
        match sweep_audit(store.as_ref(), policy, Timestamp::now(), &stop).await {
            Ok(0) => {}
            Ok(entries) => tracing::info!(entries, "retention swept the audit log"),
            Err(error) => tracing::warn!(%error, "retention sweep of the audit log failed"),
        }
        if let Some(age) = policy.purchases {
            let now = Timestamp::now();
            match erase_purchases(fiat.as_ref(), &Erasure::EndedBefore(ago(now, age)), now).await {
                Ok(erased) if erased.purchases.is_empty() => {}
                Ok(erased) => {
                    tracing::info!(purchases = erased.purchases.len(), "retention erased personal data");
                }
                Err(error) => tracing::warn!(%error, "retention of purchases failed"),
            }
        }
    }
}

async fn sweep(
    store: &dyn OperatorStore,
    policy: RetentionPolicy,
    now: Timestamp,
    stop: &CancellationToken,
) -> Result<Pruned, StoreError> {
    let mut total = Pruned::default();
    while !stop.is_cancelled() {
        let batch = store.prune(ago(now, policy.quotes), ago(now, policy.events), BATCH).await?;
        total.orders += batch.orders;
        total.quotes += batch.quotes;
        total.events += batch.events;
        total.answers += batch.answers;
        let removed = [batch.orders, batch.quotes, batch.events, batch.answers];
        if removed.into_iter().all(|removed| removed < u64::from(BATCH)) {
            break;
        }
    }
    Ok(total)
}

async fn sweep_audit(
    store: &dyn OperatorStore,
    policy: RetentionPolicy,
    now: Timestamp,
    stop: &CancellationToken,
) -> Result<u64, StoreError> {
    let mut total = 0;
    while !stop.is_cancelled() {
        let entries = store.prune_audit(ago(now, policy.audit), BATCH).await?;
        total += entries;
        if entries < u64::from(BATCH) {
            break;
        }
    }
    Ok(total)
}

/// The moment `age` before `now`; an age beyond the calendar means "keep forever".
fn ago(now: Timestamp, age: Duration) -> Timestamp {
    SignedDuration::try_from(age).ok().and_then(|age| now.checked_sub(age).ok()).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use causeway_domain::RowKey;
    use causeway_domain::ports::AuditEvent;
    use causeway_testing::MemoryStore;

    use super::*;

    const POLICY: RetentionPolicy = RetentionPolicy {
        quotes: Duration::from_mins(1),
        events: Duration::MAX,
        audit: Duration::from_mins(1),
        purchases: Some(Duration::from_mins(1)),
        every: Duration::from_millis(5),
    };

    #[tokio::test]
    async fn backlog_is_swept_in_batches_until_empty() {
        let store = MemoryStore::default();
        *store.expired_quotes.lock().unwrap() = 2_500;
        *store.expired_answers.lock().unwrap() = 4_500;
        let pruned = sweep(&store, POLICY, Timestamp::now(), &CancellationToken::new()).await.unwrap();
        assert_eq!(pruned, Pruned { quotes: 2_500, answers: 4_500, ..Pruned::default() });
        let (kind, at) = ("screening.hit".to_owned(), Timestamp::UNIX_EPOCH);
        for key in 0..2_500 {
            let (key, subject, detail) = (RowKey::new(key).unwrap(), String::new(), String::new());
            store.record_audit(&AuditEvent { key, kind: kind.clone(), subject, detail, at }).await.unwrap();
        }
        let entries = sweep_audit(&store, POLICY, Timestamp::now(), &CancellationToken::new()).await.unwrap();
        assert_eq!(entries, 2_500);
        assert!(store.calls("prune") > 1 && store.calls("prune_audit") > 1, "in batches");
    }

    #[tokio::test]
    async fn sweeper_stops_on_cancellation() {
        let stop = CancellationToken::new();
        let store: Arc<MemoryStore> = Arc::default();
        let task = tokio::spawn(enforce_retention(store.clone(), store, POLICY, stop.clone()));
        stop.cancel();
        task.await.unwrap();
    }

    #[test]
    fn unbounded_age_keeps_everything() {
        assert_eq!(ago(Timestamp::now(), Duration::MAX), Timestamp::MIN);
    }
}
