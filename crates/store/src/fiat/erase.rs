use causeway_domain::fiat::FiatOrder;
use causeway_domain::ports::{Erased, Erasure, StoreError};
use causeway_domain::{Address, FiatOrderId};
use jiff::Timestamp;
use sqlx::QueryBuilder;

use super::read::select;
use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::{FiatOrderRecord, Plain, offer_text, parse};
use crate::store::Store;

/// Adds the condition that selects the purchases of an erasure; a macro, because each engine has a query of its own type.
macro_rules! push_scope {
    ($query:ident, $erasure:ident) => {
        $query.push(" AND erased_at IS NULL AND ");
        match $erasure {
            Erasure::Purchase(id) => $query.push("id = ").push_bind(id.to_string()),
            Erasure::Address(address) => $query
                .push("(author = ")
                .push_bind(address.to_author())
                .push(" OR recipient = ")
                .push_bind(Plain(*address).to_string())
                .push(" OR refund_to = ")
                .push_bind(Plain(*address).to_string())
                .push(")"),
            Erasure::EndedBefore(before) => $query.push("updated_at < ").push_bind(before.as_millisecond()),
        };
    };
}

/// What may still need its addresses: money can come, or come back.
const IS_OVER: &str = "status IN ('completed', 'failed', 'canceled', 'expired') AND due_at IS NULL";

const ERASE: &str = "UPDATE fiat_orders SET author = $3, recipient = $4, refund_to = $5, widget_url = '', \
     origin = NULL, metadata = NULL, erased_at = $6, version = version + 1 \
     WHERE id = $1 AND version = $2 AND erased_at IS NULL AND due_at IS NULL";

const ERASE_OFFER: &str = "UPDATE fiat_quotes SET offer = $2 WHERE id = $1";

const ERASE_WEBHOOKS: &str = "DELETE FROM fiat_webhooks WHERE order_id = $1";

// Status and time of each step stay; what a provider said of it may name a person.
const ERASE_EVENTS: &str = "UPDATE fiat_events SET detail = '' WHERE order_id = $1";

/// One purchase without its personal data.
struct Row {
    id: String,
    version: i64,
    author: String,
    recipient: String,
    refund_to: String,
    quote: String,
    offer: Option<String>,
}

struct ErasePurchases {
    rows: Vec<Row>,
    now: i64,
}

for_each_engine! {
    impl WriteOp<Db> for ErasePurchases {
        /// The ids of those that were erased.
        type Outcome = Vec<String>;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Vec<String>, DbError> {
            let mut erased = Vec::new();
            for Row { id, version, author, recipient, refund_to, quote, offer } in &self.rows {
                let erase = sqlx::query(ERASE).bind(id).bind(version).bind(author).bind(recipient);
                let done = erase.bind(refund_to).bind(self.now).execute(&mut *connection).await?;
                // Somebody else has changed it meanwhile.
                if done.rows_affected() == 0 {
                    continue;
                }
                if let Some(offer) = offer {
                    sqlx::query(ERASE_OFFER).bind(quote).bind(offer).execute(&mut *connection).await?;
                }
                sqlx::query(ERASE_WEBHOOKS).bind(id).execute(&mut *connection).await?;
                sqlx::query(ERASE_EVENTS).bind(id).execute(&mut *connection).await?;
                erased.push(id.clone());
            }
            Ok(erased)
        }
    }
}

impl Store {
    pub(super) async fn erase(
        &self,
        erasure: &Erasure,
        now: Timestamp,
        limit: u32,
    ) -> Result<Erased, StoreError> {
        let mut rows = Vec::new();
        for order in self.read_erasable(erasure, limit).await? {
            rows.push(self.without_personal_data(order).await?);
        }
        let unfinished = self.count_unfinished(erasure).await?;
        let is_empty = rows.is_empty();
        let ids = if is_empty {
            Vec::new()
        } else {
            self.write(ErasePurchases { rows, now: now.as_millisecond() }).await?
        };
        let purchases = ids.iter().map(|id| parse::<FiatOrderId>("fiat_orders.id", id));
        Ok(Erased { purchases: purchases.collect::<Result<_, _>>()?, unfinished })
    }

    async fn read_erasable(&self, erasure: &Erasure, limit: u32) -> Result<Vec<FiatOrder>, StoreError> {
        let rows: Result<Vec<FiatOrderRecord>, _> = on_engine!(self.engine, handles => {
            let mut query = QueryBuilder::new(select(IS_OVER).0);
            push_scope!(query, erasure);
            query.push(" ORDER BY row_key LIMIT ").push_bind(i64::from(limit));
            query.build_query_as().fetch_all(&handles.readers).await
        });
        rows.map_err(store_error)?.into_iter().map(FiatOrderRecord::into_order).collect()
    }

    async fn count_unfinished(&self, erasure: &Erasure) -> Result<u64, StoreError> {
        let count: Result<i64, _> = on_engine!(self.engine, handles => {
            let mut query = QueryBuilder::new(format!("SELECT COUNT(*) FROM fiat_orders WHERE NOT ({IS_OVER})"));
            push_scope!(query, erasure);
            query.build_query_scalar().fetch_one(&handles.readers).await
        });
        Ok(count.map_err(store_error)?.unsigned_abs())
    }

    /// The addresses of a forwarding order stay: without its terms, money that comes to its address could go to nobody.
    async fn without_personal_data(&self, order: FiatOrder) -> Result<Row, StoreError> {
        let nobody = |address: Address| Plain(Address::native(address.family())).to_string();
        let is_forwarded = order.strategy.forwarding().is_some();
        let unless_forwarded =
            |address: Address| if is_forwarded { Plain(address).to_string() } else { nobody(address) };
        let quote = self.read_fiat_quote(&order.quote).await?;
        let offer = quote.map(|mut quote| {
            quote.ask.recipient = Address::native(quote.ask.recipient.family());
            (quote.ask.refund_to, quote.ask.country, quote.ask.method) = (None, None, None);
            offer_text(&quote)
        });
        Ok(Row {
            id: order.id.to_string(),
            version: i64::from(order.version),
            author: Address::native(order.author.family()).to_author(),
            recipient: unless_forwarded(order.recipient),
            refund_to: unless_forwarded(order.refund_to),
            quote: order.quote.to_string(),
            offer: offer.transpose()?,
        })
    }
}
