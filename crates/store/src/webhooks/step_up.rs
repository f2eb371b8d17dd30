use causeway_domain::ports::SubjectKind;
use sqlx::{Database, QueryBuilder};

use super::tables::Tables;
use crate::database::engine::Connection;
use crate::database::error::DbError;

/// Makes the oldest waiting event of each order or purchase due, for every endpoint that has none due.
///
/// Callers that add or end deliveries hold the row locks of their endpoints, so that two of them never leave an order with
/// nothing due.
pub(super) trait StepUp: Database {
    fn step_up(
        connection: &mut Connection<Self>,
        kind: SubjectKind,
        orders: &[String],
        now: i64,
    ) -> impl Future<Output = Result<(), DbError>> + Send;
}

for_each_engine! {
    impl StepUp for Db {
        async fn step_up(
            connection: &mut Connection<Self>,
            kind: SubjectKind,
            orders: &[String],
            now: i64,
        ) -> Result<(), DbError> {
            if orders.is_empty() {
                return Ok(());
            }
            let deliveries = Tables::of(kind).deliveries;
            let mut step = QueryBuilder::<Db>::new(format!("UPDATE {deliveries} SET due_at = "));
            step.push_bind(now).push(" WHERE state = 'waiting' AND due_at IS NULL AND order_id IN (");
            let mut list = step.separated(", ");
            for order in orders {
                list.push_bind(order.clone());
            }
            list.push_unseparated(format!(
                ") AND NOT EXISTS (SELECT 1 FROM {deliveries} AS earlier WHERE earlier.state = 'waiting' \
                 AND earlier.order_id = {deliveries}.order_id AND earlier.endpoint = {deliveries}.endpoint \
                 AND earlier.event_key < {deliveries}.event_key)"
            ));
            step.build().persistent(false).execute(connection).await?;
            Ok(())
        }
    }
}
