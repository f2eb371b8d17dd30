use async_trait::async_trait;
use causeway_domain::ports::{OrderReview, StoreError, Trouble, TroubleKind};
use causeway_domain::{Order, OrderId};
use jiff::Timestamp;

use crate::engine::Connection;
use crate::fault::{Fault, store_error};
use crate::find_orders::select;
use crate::job::Deed;
use crate::record::{OrderRecord, parse_with, text, time};
use crate::store::Store;

// Who was handed a deposit and never made it is nobody to wait for.
pub(crate) const UNMOVED: &str = "due_at IS NOT NULL AND updated_at <= $1 AND (status <> 'created' \
     OR told_tx IS NOT NULL OR handed IS NOT NULL \
     OR EXISTS (SELECT 1 FROM arrivals WHERE order_id = orders.id AND balance <> '0')) \
     ORDER BY updated_at LIMIT $2";

pub(crate) const ENDED: &str =
    "status IN ('filled', 'refunded') AND updated_at >= $1 ORDER BY updated_at DESC LIMIT $2";

const OF_ORDER: &str = "SELECT kind, words, since FROM troubles WHERE order_id = $1";

// The first moment stays for as long as the words do.
const WRITE: &str = "INSERT INTO troubles (order_id, kind, words, since) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (order_id) DO UPDATE SET kind = excluded.kind, words = excluded.words, \
     since = CASE WHEN troubles.words = excluded.words THEN troubles.since ELSE excluded.since END";

const REMOVE: &str = "DELETE FROM troubles WHERE order_id = $1";

struct Note {
    order: String,
    trouble: Option<(&'static str, String, i64)>,
}

for_each_engine! {
    impl Deed<Db> for Note {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), Fault> {
            match &self.trouble {
                Some((kind, words, since)) => {
                    let write = sqlx::query(WRITE).bind(&self.order).bind(kind).bind(words).bind(since);
                    write.execute(connection).await?;
                }
                None => {
                    sqlx::query(REMOVE).bind(&self.order).execute(connection).await?;
                }
            }
            Ok(())
        }
    }
}

impl Store {
    async fn reviewed(
        &self,
        condition: &str,
        moment: Timestamp,
        limit: u32,
    ) -> Result<Vec<Order>, StoreError> {
        let (moment, limit) = (moment.as_millisecond(), i64::from(limit));
        let rows: Result<Vec<OrderRecord>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(select(condition)).bind(moment).bind(limit).fetch_all(&handles.readers).await
        });
        rows.map_err(store_error)?.into_iter().map(OrderRecord::into_order).collect()
    }
}

#[async_trait]
impl OrderReview for Store {
    async fn unmoved(&self, unmoved_since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError> {
        self.reviewed(UNMOVED, unmoved_since, limit).await
    }

    async fn ended(&self, since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError> {
        self.reviewed(ENDED, since, limit).await
    }

    async fn note_trouble(&self, order: &OrderId, trouble: Option<&Trouble>) -> Result<(), StoreError> {
        let trouble = trouble
            .map(|trouble| (trouble.kind.as_str(), text(&trouble.words), trouble.since.as_millisecond()));
        self.write(Note { order: order.to_string(), trouble }).await
    }

    async fn trouble(&self, order: &OrderId) -> Result<Option<Trouble>, StoreError> {
        let row: Option<(String, String, i64)> = on_engine!(self.engine, handles => {
            sqlx::query_as(OF_ORDER).bind(order.as_str()).fetch_optional(&handles.readers).await
        })
        .map_err(store_error)?;
        let read = |(kind, words, since): (String, String, i64)| {
            Ok(Trouble {
                kind: parse_with("troubles.kind", &kind, TroubleKind::parse)?,
                words,
                since: time("troubles.since", since)?,
            })
        };
        row.map(read).transpose()
    }
}
