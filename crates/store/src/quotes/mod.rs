//! Quotes and their routes: many quotes share one batch row.

mod add_route;
pub(crate) mod drop_batches;
pub(crate) mod own_rows;
pub(crate) mod own_window;
pub(crate) mod put_quote;
pub(crate) mod quote_batches;

use async_trait::async_trait;
use causeway_domain::ports::{Durable, QuoteStore, StoreError};
use causeway_domain::{Quote, QuoteId, Route};
use sqlx::Pool;

use crate::database::error::{DbError, store_error};
use crate::quotes::add_route::AddRoute;
use crate::quotes::quote_batches::{Batches, find_record};
use crate::record::{Entry, QuoteRecord, QuoteRows, RouteRecord, batch};
use crate::store::Store;

pub(crate) const QUOTE: &str = "SELECT id, row_key, trade_type, from_token, to_token, amount, from_address, \
     recipient, refund_to, slippage, referrer, referrer_fee_bps, integrator, created_at, routes \
     FROM quotes WHERE id = $1";

pub(crate) const ROUTES: &str = "SELECT quote_id, route_id, place, filler, kind, exact_out, deposit_methods, amount_in, \
     amount_out, min_amount_out, expected_seconds, valid_before, price_holds_until, estimated_gas, fees, \
     filler_address, payee \
     FROM routes WHERE quote_id = $1 ORDER BY place, route_id";

impl Store {
    async fn quote_rows(&self, id: &str) -> Result<Option<QuoteRows>, sqlx::Error> {
        on_engine!(self.engine, handles => {
            let quote: Option<QuoteRecord> =
                sqlx::query_as(QUOTE).bind(id).fetch_optional(&handles.readers).await?;
            let Some(quote) = quote else { return Ok(None) };
            let routes: Vec<RouteRecord> = sqlx::query_as(ROUTES).bind(id).fetch_all(&handles.readers).await?;
            Ok(Some(QuoteRows { quote, routes }))
        })
    }
}

async fn batched<DB: Batches>(readers: &Pool<DB>, id: &QuoteId) -> Result<Option<Quote>, DbError> {
    let mut connection = readers.acquire().await?;
    let found = find_record::<DB>(&mut connection, id).await?;
    Ok(found.map(|found| batch::read(id, &found.record)).transpose()?)
}

#[async_trait]
impl QuoteStore for Store {
    fn put_quote<'a>(&'a self, quote: &Quote) -> Durable<'a> {
        let entry = Entry::from(quote);
        on_engine!(self.engine, handles => Box::pin(handles.writer.put_quote(entry)))
    }

    async fn add_route(&self, quote: &QuoteId, route: &Route) -> Result<(), StoreError> {
        self.write(AddRoute(RouteRecord::new(quote, 0, route))).await
    }

    async fn quote(&self, id: &QuoteId) -> Result<Option<Quote>, StoreError> {
        let rows = self.quote_rows(id.as_str()).await.map_err(store_error)?;
        match rows {
            Some(rows) => rows.into_quote().map(Some),
            None => Ok(on_engine!(self.engine, handles => batched(&handles.readers, id).await)?),
        }
    }
}
