use causeway_domain::ports::{FiatCreation, StoreError};
use sqlx::{AssertSqlSafe, Database};

use super::read::{BY_QUOTE, select};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::{FIAT_COLUMNS, FiatEventRecord, FiatOrderRecord};

/// Writes a purchase with its first event, once per quote.
pub(super) struct CreateFiatOrder {
    pub(super) order: FiatOrderRecord,
    pub(super) event: FiatEventRecord,
}

// Runs first: retention that is about to remove the quote waits for this row lock, and then keeps the quote.
const TAKE: &str = "UPDATE fiat_quotes SET taken = 1 WHERE id = $1";

fn create() -> String {
    let parameters: Vec<String> = (1..=40).map(|number| format!("${number}")).collect();
    format!(
        "INSERT INTO fiat_orders ({FIAT_COLUMNS}) VALUES ({}) ON CONFLICT (quote_id) DO NOTHING",
        parameters.join(", ")
    )
}

/// Appends events to a purchase's history.
pub(super) trait AddFiatEvents: Database {
    fn add_fiat_events(
        connection: &mut Connection<Self>,
        events: &[FiatEventRecord],
    ) -> impl Future<Output = Result<(), DbError>> + Send;
}

for_each_engine! {
    impl AddFiatEvents for Db {
        async fn add_fiat_events(
            connection: &mut Connection<Self>,
            events: &[FiatEventRecord],
        ) -> Result<(), DbError> {
            for event in events {
                sqlx::query(
                    "INSERT INTO fiat_events (row_key, order_id, status, detail, happened_at) \
                     VALUES ($1, $2, $3, $4, $5)",
                )
                .bind(event.row_key)
                .bind(&event.order_id)
                .bind(&event.status)
                .bind(&event.detail)
                .bind(event.happened_at)
                .execute(&mut *connection)
                .await?;
            }
            Ok(())
        }
    }

    impl WriteOp<Db> for CreateFiatOrder {
        type Outcome = FiatCreation;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<FiatCreation, DbError> {
            let row = &self.order;
            if self.event.order_id != row.id {
                return Err(StoreError::Conflict("the event belongs to another order").into());
            }
            let taken = sqlx::query(TAKE).bind(&row.quote_id).execute(&mut *connection).await?;
            if taken.rows_affected() == 0 {
                return Err(StoreError::Conflict("the quote is not stored").into());
            }
            // In the order of the columns.
            let created = sqlx::query(AssertSqlSafe(create()))
                .bind(&row.id)
                .bind(row.row_key)
                .bind(&row.quote_id)
                .bind(&row.provider)
                .bind(&row.provider_order)
                .bind(&row.status)
                .bind(&row.author)
                .bind(&row.recipient)
                .bind(&row.refund_to)
                .bind(&row.currency)
                .bind(row.pays_minor)
                .bind(&row.target)
                .bind(&row.sold)
                .bind(row.sold_chain)
                .bind(&row.sold_amount)
                .bind(&row.expected)
                .bind(&row.least)
                .bind(&row.forwarding_order)
                .bind(&row.forwarding_address)
                .bind(&row.forwarding_filler)
                .bind(&row.forwarding_route)
                .bind(&row.swap_id)
                .bind(&row.returned_tx)
                .bind(&row.widget_url)
                .bind(&row.origin)
                .bind(&row.integrator)
                .bind(&row.metadata)
                .bind(&row.payout_tx)
                .bind(row.payout_index)
                .bind(&row.payout_amount)
                .bind(&row.output)
                .bind(&row.fill_tx)
                .bind(&row.failure_code)
                .bind(&row.failure_source)
                .bind(&row.failure_message)
                .bind(row.pay_by)
                .bind(row.due_at)
                .bind(row.created_at)
                .bind(row.updated_at)
                .bind(row.version)
                .execute(&mut *connection)
                .await?;
            if created.rows_affected() == 1 {
                Db::add_fiat_events(connection, std::slice::from_ref(&self.event)).await?;
                return Ok(FiatCreation::Created);
            }
            let existing: FiatOrderRecord =
                sqlx::query_as(select(BY_QUOTE)).bind(&row.quote_id).fetch_one(connection).await?;
            Ok(FiatCreation::Existing(Box::new(existing.into_order()?)))
        }
    }
}
