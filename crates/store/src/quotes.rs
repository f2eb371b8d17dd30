use async_trait::async_trait;
use causeway_domain::ports::{QuoteStore, StoreError};
use causeway_domain::{Quote, QuoteId, Route};

use crate::add_route::AddRoute;
use crate::fault::store_error;
use crate::put_quote::QUOTE;
use crate::record::{QuoteRecord, QuoteRows, RouteRecord};
use crate::store::Store;

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

#[async_trait]
impl QuoteStore for Store {
    async fn put_quote(&self, quote: &Quote) -> Result<(), StoreError> {
        on_engine!(self.engine, handles => handles.writer.put_quote(quote.into()).await)
    }

    async fn add_route(&self, quote: &QuoteId, route: &Route) -> Result<(), StoreError> {
        self.write(AddRoute(RouteRecord::new(quote, 0, route))).await
    }

    async fn quote(&self, id: &QuoteId) -> Result<Option<Quote>, StoreError> {
        let rows = self.quote_rows(id.as_str()).await.map_err(store_error)?;
        rows.map(QuoteRows::into_quote).transpose()
    }
}
