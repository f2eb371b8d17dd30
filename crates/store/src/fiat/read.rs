use causeway_domain::fiat::{FiatEvent, FiatOrder, FiatQuote, Payout};
use causeway_domain::ports::{FiatOrderQuery, StoreError};
use causeway_domain::{FiatOrderId, FiatQuoteId, RowKey};
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, QueryBuilder};

use crate::database::error::store_error;
use crate::record::{
    FIAT_COLUMNS, FiatEventRecord, FiatOrderRecord, chain_number, count, key, parse, read_offer, text,
};
use crate::store::Store;

pub(super) const BY_ID: &str = "id = $1";
pub(super) const BY_QUOTE: &str = "quote_id = $1";

// Nobody waits for a purchase that was never paid, unless it should have expired long ago.
const UNMOVED: &str = "status IN ('created', 'pending', 'processing') AND due_at IS NOT NULL AND updated_at <= $1 \
     ORDER BY updated_at LIMIT $2";

const QUOTE: &str = "SELECT offer FROM fiat_quotes WHERE id = $1";
const BY_PAYOUT: &str =
    "SELECT id FROM fiat_orders WHERE payout_tx = $1 AND sold_chain = $2 AND payout_index = $3";
const EVENTS_AFTER: &str =
    "SELECT row_key, order_id FROM fiat_events WHERE row_key > $1 ORDER BY row_key LIMIT $2";
const EVENTS: &str = "SELECT row_key, order_id, status, detail, happened_at FROM fiat_events \
     WHERE order_id = $1 ORDER BY row_key";

pub(super) fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!("SELECT {FIAT_COLUMNS} FROM fiat_orders WHERE {condition}"))
}

impl Store {
    pub(super) async fn read_fiat_quote(&self, id: &FiatQuoteId) -> Result<Option<FiatQuote>, StoreError> {
        let offer: Result<Option<String>, _> = on_engine!(self.engine, handles => {
            sqlx::query_scalar(QUOTE).bind(id.as_str()).fetch_optional(&handles.readers).await
        });
        offer.map_err(store_error)?.map(|offer| read_offer(&offer)).transpose()
    }

    pub(super) async fn read_fiat_order(
        &self,
        condition: &str,
        value: &str,
    ) -> Result<Option<FiatOrder>, StoreError> {
        let row: Result<Option<FiatOrderRecord>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(select(condition)).bind(value).fetch_optional(&handles.readers).await
        });
        row.map_err(store_error)?.map(FiatOrderRecord::into_order).transpose()
    }

    /// Both address columns hold the same canonical form.
    pub(super) async fn read_fiat_page(&self, query: &FiatOrderQuery) -> Result<Vec<FiatOrder>, StoreError> {
        let before = query.before.map_or(i64::MAX, RowKey::get);
        let address = query.address.to_author();
        let rows: Result<Vec<FiatOrderRecord>, _> = on_engine!(self.engine, handles => {
            let mut page = QueryBuilder::new(select("(author = ").0);
            page.push_bind(address.clone()).push(" OR recipient = ").push_bind(address);
            page.push(") AND erased_at IS NULL AND row_key < ").push_bind(before);
            if let Some(status) = query.status {
                page.push(" AND status = ").push_bind(status.as_str());
            }
            page.push(" ORDER BY row_key DESC LIMIT ").push_bind(i64::from(query.limit));
            page.build_query_as().fetch_all(&handles.readers).await
        });
        rows.map_err(store_error)?.into_iter().map(FiatOrderRecord::into_order).collect()
    }

    pub(super) async fn read_unmoved_fiat(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<FiatOrder>, StoreError> {
        let (since, limit) = (since.as_millisecond(), i64::from(limit));
        let rows: Result<Vec<FiatOrderRecord>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(select(UNMOVED)).bind(since).bind(limit).fetch_all(&handles.readers).await
        });
        rows.map_err(store_error)?.into_iter().map(FiatOrderRecord::into_order).collect()
    }

    pub(super) async fn read_fiat_payout(&self, payout: &Payout) -> Result<Option<FiatOrderId>, StoreError> {
        let (tx, chain, index) = (text(&payout.tx), chain_number(payout.token.chain()), count(payout.index)?);
        let id: Result<Option<String>, _> = on_engine!(self.engine, handles => {
            sqlx::query_scalar(BY_PAYOUT).bind(tx).bind(chain).bind(index).fetch_optional(&handles.readers).await
        });
        id.map_err(store_error)?.map(|id| parse("fiat_orders.id", &id)).transpose()
    }

    pub(crate) async fn read_purchase_events_after(
        &self,
        after: RowKey,
        limit: u32,
    ) -> Result<Vec<(RowKey, FiatOrderId)>, StoreError> {
        let rows: Result<Vec<(i64, String)>, _> = on_engine!(self.engine, handles => {
            let page = sqlx::query_as(EVENTS_AFTER).bind(after.get()).bind(i64::from(limit));
            page.fetch_all(&handles.readers).await
        });
        let line = |(row, order): (i64, String)| {
            Ok((key("fiat_events.row_key", row)?, parse("fiat_events.order_id", &order)?))
        };
        rows.map_err(store_error)?.into_iter().map(line).collect()
    }

    pub(super) async fn read_fiat_events(&self, id: &FiatOrderId) -> Result<Vec<FiatEvent>, StoreError> {
        let rows: Result<Vec<FiatEventRecord>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(EVENTS).bind(id.as_str()).fetch_all(&handles.readers).await
        });
        rows.map_err(store_error)?.into_iter().map(FiatEventRecord::into_event).collect()
    }
}
