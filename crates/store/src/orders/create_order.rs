use causeway_domain::ports::{Creation, StoreError};
use causeway_domain::{Order, OrderEvent};
use sqlx::{AssertSqlSafe, Database};

use crate::database::batch_order::Turn;
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::orders::find_orders::{BY_ROUTE, select};
use crate::orders::rents::{AddRents as _, RentRecord};
use crate::record::{EventRecord, ORDER_COLUMNS, OrderIndex, OrderRecord};

/// Writes an order with its first event and its rented accounts, once per quote and route.
pub(crate) struct CreateOrder {
    pub(crate) order: OrderRecord,
    pub(crate) index: OrderIndex,
    pub(crate) event: EventRecord,
    pub(crate) rents: Vec<RentRecord>,
}

impl CreateOrder {
    pub(crate) fn new(order: &Order, event: &OrderEvent) -> Self {
        let rents = RentRecord::for_order(order);
        Self { order: order.into(), index: order.into(), event: event.into(), rents }
    }
}

// The columns of `OrderRecord` and of `OrderIndex`, in their order.
fn create() -> String {
    let parameters: Vec<String> = (1..=42).map(|number| format!("${number}")).collect();
    format!(
        "INSERT INTO orders ({ORDER_COLUMNS}, from_chain, to_chain, deposit_tx, owed, intent_state) VALUES ({}) \
         ON CONFLICT (quote_id, route_id) DO NOTHING",
        parameters.join(", ")
    )
}

/// Appends events to an order's history.
pub(crate) trait AddEvents: Database {
    fn add_events(
        connection: &mut Connection<Self>,
        events: &[EventRecord],
    ) -> impl Future<Output = Result<(), DbError>> + Send;
}

for_each_engine! {
    impl AddEvents for Db {
        async fn add_events(connection: &mut Connection<Self>, events: &[EventRecord]) -> Result<(), DbError> {
            for event in events {
                sqlx::query(
                    "INSERT INTO events (row_key, order_id, kind, status, detail, happened_at) \
                     VALUES ($1, $2, $3, $4, $5, $6)",
                )
                .bind(event.row_key)
                .bind(&event.order_id)
                .bind(&event.kind)
                .bind(&event.status)
                .bind(&event.detail)
                .bind(event.happened_at)
                .execute(&mut *connection)
                .await?;
            }
            Ok(())
        }
    }

    impl WriteOp<Db> for CreateOrder {
        type Outcome = Creation;

        fn turn(&self) -> Turn {
            Turn::orders()
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Creation, DbError> {
            let (row, index) = (&self.order, &self.index);
            if self.event.order_id != row.id {
                return Err(StoreError::Conflict("the event belongs to another order").into());
            }
            let created = sqlx::query(AssertSqlSafe(create()))
                .bind(&row.id)
                .bind(row.row_key)
                .bind(&row.quote_id)
                .bind(&row.route_id)
                .bind(&row.intent_id)
                .bind(&row.status)
                .bind(&row.trade_type)
                .bind(&row.from_token)
                .bind(&row.to_token)
                .bind(&row.src_amount)
                .bind(&row.dest_amount)
                .bind(&row.author)
                .bind(&row.recipient)
                .bind(&row.refund_to)
                .bind(&row.filler)
                .bind(&row.kind)
                .bind(&row.filler_quote)
                .bind(&row.integrator)
                .bind(&row.method)
                .bind(&row.terms)
                .bind(&row.deposit_address)
                .bind(&row.forwarding_order)
                .bind(&row.provider)
                .bind(&row.joined)
                .bind(row.valid_before)
                .bind(row.finality_tier)
                .bind(row.announced)
                .bind(&row.submitted_tx)
                .bind(&row.built)
                .bind(&row.signed_payload)
                .bind(&row.decision)
                .bind(&row.evidence)
                .bind(&row.failure_reason)
                .bind(row.due_at)
                .bind(row.created_at)
                .bind(row.updated_at)
                .bind(row.version)
                .bind(index.from_chain)
                .bind(index.to_chain)
                .bind(&index.deposit_tx)
                .bind(index.owed)
                .bind(index.intent_state)
                .execute(&mut *connection)
                .await?;
            if created.rows_affected() == 1 {
                Db::add_events(connection, std::slice::from_ref(&self.event)).await?;
                Db::add_rents(connection, &row.id, &self.rents).await?;
                return Ok(Creation::Created);
            }
            let existing: OrderRecord = sqlx::query_as(select(BY_ROUTE))
                .bind(&row.quote_id)
                .bind(&row.route_id)
                .fetch_one(connection)
                .await?;
            Ok(Creation::Existing(Box::new(existing.into_order()?)))
        }
    }
}
