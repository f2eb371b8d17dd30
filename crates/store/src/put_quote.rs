use causeway_domain::ports::StoreError;
use sqlx::{Database, QueryBuilder};

use crate::engine::Connection;
use crate::fault::Fault;
use crate::record::{QuoteRecord, RouteRecord};

/// Rows per statement. Few sizes make few texts, which the drivers then keep prepared.
const SIZES: [usize; 5] = [256, 64, 16, 4, 1];

pub(crate) const QUOTE: &str = "SELECT id, row_key, trade_type, from_token, to_token, amount, from_address, \
     recipient, refund_to, slippage, referrer, referrer_fee_bps, integrator, created_at, routes \
     FROM quotes WHERE id = $1";

/// Cuts rows into pieces of the known sizes.
fn pieces<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = SIZES.into_iter().find(|size| *size <= rows.len())?;
        let (piece, rest) = rows.split_at(size);
        rows = rest;
        Some(piece)
    })
}

/// Writes rows by the statements of one engine.
pub(crate) trait Insert: Database {
    /// How many were new.
    fn quotes(
        connection: &mut Connection<Self>,
        rows: &[&QuoteRecord],
    ) -> impl Future<Output = Result<u64, Fault>> + Send;

    fn routes(
        connection: &mut Connection<Self>,
        rows: &[&RouteRecord],
    ) -> impl Future<Output = Result<(), Fault>> + Send;

    /// Fails unless exactly this quote is stored.
    fn is_stored(
        connection: &mut Connection<Self>,
        row: &QuoteRecord,
    ) -> impl Future<Output = Result<(), Fault>> + Send;
}

/// Writes many quotes with few statements; one that cannot be written fails all.
pub(crate) async fn put_quotes<DB: Insert>(
    connection: &mut Connection<DB>,
    quotes: &[&QuoteRecord],
) -> Result<(), Fault> {
    for piece in pieces(quotes) {
        let written = DB::quotes(connection, piece).await?;
        match piece {
            _ if written == piece.len() as u64 => {}
            // A caller that did not hear the first time may write the same quote again.
            [again] => DB::is_stored(connection, again).await?,
            _ => return Err(StoreError::Conflict("one of these quotes is stored already").into()),
        }
    }
    Ok(())
}

for_each_engine! {
    impl Insert for Db {
        async fn quotes(connection: &mut Connection<Self>, rows: &[&QuoteRecord]) -> Result<u64, Fault> {
            let mut insert = QueryBuilder::<Db>::new(
                "INSERT INTO quotes (id, row_key, trade_type, from_token, to_token, amount, from_address, \
                 recipient, refund_to, slippage, referrer, referrer_fee_bps, integrator, created_at, routes) ",
            );
            insert.push_values(rows, |mut values, row| {
                values
                    .push_bind(&row.id)
                    .push_bind(row.row_key)
                    .push_bind(&row.trade_type)
                    .push_bind(&row.from_token)
                    .push_bind(&row.to_token)
                    .push_bind(&row.amount)
                    .push_bind(&row.from_address)
                    .push_bind(&row.recipient)
                    .push_bind(&row.refund_to)
                    .push_bind(row.slippage)
                    .push_bind(&row.referrer)
                    .push_bind(row.referrer_fee_bps)
                    .push_bind(&row.integrator)
                    .push_bind(row.created_at)
                    .push_bind(&row.routes);
            });
            insert.push(" ON CONFLICT (id) DO NOTHING");
            Ok(insert.build().execute(connection).await?.rows_affected())
        }

        async fn routes(connection: &mut Connection<Self>, rows: &[&RouteRecord]) -> Result<(), Fault> {
            let mut insert = QueryBuilder::<Db>::new(
                "INSERT INTO routes (quote_id, route_id, place, filler, kind, exact_out, deposit_methods, \
                 amount_in, amount_out, min_amount_out, expected_seconds, valid_before, price_holds_until, \
                 estimated_gas, fees, filler_address, payee) ",
            );
            insert.push_values(rows, |mut values, row| {
                values
                    .push_bind(&row.quote_id)
                    .push_bind(&row.route_id)
                    .push_bind(row.place)
                    .push_bind(&row.filler)
                    .push_bind(&row.kind)
                    .push_bind(&row.exact_out)
                    .push_bind(&row.deposit_methods)
                    .push_bind(&row.amount_in)
                    .push_bind(&row.amount_out)
                    .push_bind(&row.min_amount_out)
                    .push_bind(row.expected_seconds)
                    .push_bind(row.valid_before)
                    .push_bind(row.price_holds_until)
                    .push_bind(&row.estimated_gas)
                    .push_bind(&row.fees)
                    .push_bind(&row.filler_address)
                    .push_bind(&row.payee);
            });
            insert.push(" ON CONFLICT (quote_id, route_id) DO NOTHING");
            insert.build().execute(connection).await?;
            Ok(())
        }

        async fn is_stored(connection: &mut Connection<Self>, row: &QuoteRecord) -> Result<(), Fault> {
            let stored: Option<QuoteRecord> =
                sqlx::query_as(QUOTE).bind(&row.id).fetch_optional(connection).await?;
            if stored.as_ref() == Some(row) {
                Ok(())
            } else {
                Err(StoreError::Conflict("another quote has this id").into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_into_few_sizes_and_none_is_lost() {
        for count in [0, 1, 3, 4, 63, 64, 255, 300] {
            let rows: Vec<usize> = (0..count).collect();
            assert_eq!(pieces(&rows).flatten().copied().collect::<Vec<_>>(), rows);
            assert!(pieces(&rows).all(|piece| SIZES.contains(&piece.len())));
        }
    }
}
