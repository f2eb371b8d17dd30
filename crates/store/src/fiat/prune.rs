use sqlx::Database;

use crate::database::engine::Connection;
use crate::database::error::DbError;

/// Removes fiat quotes, events and webhooks that are past their retention and unreferenced.
pub(crate) trait PruneFiat: Database {
    /// Returns how many quotes and events were removed.
    fn prune_fiat(
        connection: &mut Connection<Self>,
        quotes: (i64, i64),
        events: (i64, i64),
    ) -> impl Future<Output = Result<(u64, u64), DbError>> + Send;
}

// `taken` is checked twice: the second time with the row locked.
const QUOTES: &str = "DELETE FROM fiat_quotes WHERE taken = 0 AND id IN (SELECT id FROM fiat_quotes \
     WHERE taken = 0 AND created_at < $1 ORDER BY created_at LIMIT $2)";

const EVENTS: &str = "DELETE FROM fiat_events WHERE row_key IN (SELECT fiat_events.row_key FROM fiat_events \
     JOIN fiat_orders ON fiat_orders.id = fiat_events.order_id \
     WHERE fiat_events.happened_at < $1 AND fiat_orders.status IN ('completed', 'failed', 'canceled', 'expired') \
     ORDER BY fiat_events.happened_at LIMIT $2)";

const WEBHOOKS: &str = "DELETE FROM fiat_webhooks WHERE (provider, event) IN (SELECT fiat_webhooks.provider, \
     fiat_webhooks.event FROM fiat_webhooks JOIN fiat_orders ON fiat_orders.id = fiat_webhooks.order_id \
     WHERE fiat_webhooks.received_at < $1 AND fiat_orders.status IN ('completed', 'failed', 'canceled', 'expired') \
     ORDER BY fiat_webhooks.received_at LIMIT $2)";

for_each_engine! {
    impl PruneFiat for Db {
        async fn prune_fiat(
            connection: &mut Connection<Self>,
            quotes: (i64, i64),
            events: (i64, i64),
        ) -> Result<(u64, u64), DbError> {
            let mut removed = [0; 3];
            let sweeps = [(QUOTES, quotes), (EVENTS, events), (WEBHOOKS, events)];
            for (removed, (sweep, (before, limit))) in removed.iter_mut().zip(sweeps) {
                let swept = sqlx::query(sweep).bind(before).bind(limit).execute(&mut *connection).await?;
                *removed = swept.rows_affected();
            }
            let [quotes, events, webhooks] = removed;
            Ok((quotes, events.max(webhooks)))
        }
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::fiat::FiatStatus;

    use super::*;

    #[test]
    fn only_events_of_terminal_purchases_are_pruned() {
        for status in FiatStatus::ALL {
            for sweep in [EVENTS, WEBHOOKS] {
                assert_eq!(sweep.contains(&format!("'{status}'")), status.is_terminal(), "{status}");
            }
        }
    }
}
