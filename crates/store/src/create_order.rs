use causeway_domain::ports::{Creation, StoreError};
use sqlx::Database;

use crate::engine::Connection;
use crate::fault::Fault;
use crate::job::Deed;
use crate::put_quote::Insert as _;
use crate::record::{EventRecord, ORDER_COLUMNS, OrderRecord, unpack};

/// Writes an order with its first event, once per quote and route.
pub(crate) struct CreateOrder {
    pub(crate) order: OrderRecord,
    pub(crate) event: EventRecord,
}

// Comes first: a sweep that is about to remove the quote waits for this row, and then lets it be.
const TAKE: &str = "UPDATE quotes SET taken = 1 WHERE id = $1";

const CREATE: &str = "INSERT INTO orders (id, row_key, quote_id, route_id, status, trade_type, from_token, to_token, \
     src_amount, dest_amount, author, recipient, refund_to, deposit_tx, failure_reason, due_at, created_at, \
     updated_at, version) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) \
     ON CONFLICT (quote_id, route_id) DO NOTHING";

const PACKED: &str = "SELECT routes FROM quotes WHERE id = $1";

/// Gives a route that its quote was made with a row of its own, which the order can point to.
pub(crate) trait Unfold: Database {
    fn unfold(
        connection: &mut Connection<Self>,
        quote_id: &str,
        route_id: &str,
    ) -> impl Future<Output = Result<(), Fault>> + Send;
}

/// Adds lines to a story.
pub(crate) trait AddEvents: Database {
    fn add_events(
        connection: &mut Connection<Self>,
        events: &[EventRecord],
    ) -> impl Future<Output = Result<(), Fault>> + Send;
}

for_each_engine! {
    impl Unfold for Db {
        async fn unfold(
            connection: &mut Connection<Self>,
            quote_id: &str,
            route_id: &str,
        ) -> Result<(), Fault> {
            let packed: Option<Option<String>> =
                sqlx::query_scalar(PACKED).bind(quote_id).fetch_optional(&mut *connection).await?;
            let routes = unpack(quote_id, packed.flatten().as_deref())?;
            match routes.iter().find(|route| route.route_id == route_id) {
                Some(route) => Db::routes(connection, &[route]).await,
                None => Ok(()),
            }
        }
    }

    impl AddEvents for Db {
        async fn add_events(connection: &mut Connection<Self>, events: &[EventRecord]) -> Result<(), Fault> {
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

    impl Deed<Db> for CreateOrder {
        type Outcome = Creation;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Creation, Fault> {
            let row = &self.order;
            if self.event.order_id != row.id {
                return Err(StoreError::Conflict("the event belongs to another order").into());
            }
            sqlx::query(TAKE).bind(&row.quote_id).execute(&mut *connection).await?;
            Db::unfold(connection, &row.quote_id, &row.route_id).await?;
            let created = sqlx::query(CREATE)
                .bind(&row.id)
                .bind(row.row_key)
                .bind(&row.quote_id)
                .bind(&row.route_id)
                .bind(&row.status)
                .bind(&row.trade_type)
                .bind(&row.from_token)
                .bind(&row.to_token)
                .bind(&row.src_amount)
                .bind(&row.dest_amount)
                .bind(&row.author)
                .bind(&row.recipient)
                .bind(&row.refund_to)
                .bind(&row.deposit_tx)
                .bind(&row.failure_reason)
                .bind(row.due_at)
                .bind(row.created_at)
                .bind(row.updated_at)
                .bind(row.version)
                .execute(&mut *connection)
                .await?;
            if created.rows_affected() == 1 {
                Db::add_events(connection, std::slice::from_ref(&self.event)).await?;
                return Ok(Creation::Created);
            }
            let existing: OrderRecord = sqlx::query_as(sqlx::AssertSqlSafe(format!(
                "SELECT {ORDER_COLUMNS} FROM orders WHERE quote_id = $1 AND route_id = $2"
            )))
            .bind(&row.quote_id)
            .bind(&row.route_id)
            .fetch_one(connection)
            .await?;
            Ok(Creation::Existing(Box::new(existing.into_order()?)))
        }
    }
}
