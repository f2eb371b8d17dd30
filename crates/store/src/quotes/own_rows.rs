use causeway_domain::QuoteId;
use sqlx::Database;

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::quotes::quote_batches::find_record;
use crate::record::{QuoteRecord, batch, parse, unpack};

/// Copies a quote out of its batch, and a route out of its quote, into rows of their own that other rows can reference.
/// Does nothing if the row exists or the quote is unknown.
pub(crate) trait OwnRows: Database {
    fn own_quote(
        connection: &mut Connection<Self>,
        quote_id: &str,
    ) -> impl Future<Output = Result<(), DbError>> + Send;

    fn own_route(
        connection: &mut Connection<Self>,
        quote_id: &str,
        route_id: &str,
    ) -> impl Future<Output = Result<(), DbError>> + Send;
}

const QUOTE: &str = "INSERT INTO quotes (id, row_key, trade_type, from_token, to_token, amount, from_address, recipient, \
     refund_to, slippage, referrer, referrer_fee_bps, integrator, created_at, routes, batch) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT (id) DO NOTHING";

const PACKED: &str = "SELECT routes FROM quotes WHERE id = $1";

const ROUTE: &str = "INSERT INTO routes (quote_id, route_id, place, filler, kind, exact_out, deposit_methods, amount_in, \
     amount_out, min_amount_out, expected_seconds, valid_before, price_holds_until, estimated_gas, fees, \
     filler_address, payee) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) \
     ON CONFLICT (quote_id, route_id) DO NOTHING";

for_each_engine! {
    impl OwnRows for Db {
        async fn own_quote(connection: &mut Connection<Self>, quote_id: &str) -> Result<(), DbError> {
            let id: QuoteId = parse("quotes.id", quote_id)?;
            let Some(found) = find_record::<Db>(connection, &id).await? else { return Ok(()) };
            let row = QuoteRecord::from(&batch::read(&id, &found.record)?);
            sqlx::query(QUOTE)
                .bind(&row.id)
                .bind(row.row_key)
                .bind(&row.trade_type)
                .bind(&row.from_token)
                .bind(&row.to_token)
                .bind(&row.amount)
                .bind(&row.from_address)
                .bind(&row.recipient)
                .bind(&row.refund_to)
                .bind(row.slippage)
                .bind(&row.referrer)
                .bind(row.referrer_fee_bps)
                .bind(&row.integrator)
                .bind(row.created_at)
                .bind(&row.routes)
                .bind(found.batch)
                .execute(connection)
                .await?;
            Ok(())
        }

        async fn own_route(
            connection: &mut Connection<Self>,
            quote_id: &str,
            route_id: &str,
        ) -> Result<(), DbError> {
            let packed: Option<Option<String>> =
                sqlx::query_scalar(PACKED).bind(quote_id).fetch_optional(&mut *connection).await?;
            let routes = unpack(quote_id, packed.flatten().as_deref())?;
            let Some(row) = routes.iter().find(|row| row.route_id == route_id) else { return Ok(()) };
            sqlx::query(ROUTE)
                .bind(&row.quote_id)
                .bind(&row.route_id)
                .bind(row.place)
                .bind(&row.filler)
                .bind(&row.kind)
                .bind(&row.exact_out)
                .bind(&row.deposit_methods)
                .bind(&row.amount_in)
                .bind(&row.amount_out)
                .bind(&row.min_amount_out)
                .bind(row.expected_seconds)
                .bind(row.valid_before)
                .bind(row.price_holds_until)
                .bind(&row.estimated_gas)
                .bind(&row.fees)
                .bind(&row.filler_address)
                .bind(&row.payee)
                .execute(connection)
                .await?;
            Ok(())
        }
    }
}
