use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::quotes::own_rows::OwnRows as _;
use crate::record::RouteRecord;

/// Appends a route to a quote, which gets a row of its own for it.
pub(crate) struct AddRoute(pub(crate) RouteRecord);

const ADD: &str = "INSERT INTO routes (quote_id, route_id, place, filler, kind, exact_out, deposit_methods, \
     amount_in, amount_out, min_amount_out, expected_seconds, valid_before, price_holds_until, estimated_gas, fees, \
     filler_address, payee) \
     VALUES ($1, $2, (SELECT COALESCE(MAX(place) + 1, 0) FROM routes WHERE quote_id = $1), \
     $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) ON CONFLICT (quote_id, route_id) DO NOTHING";

const HAS_ROW: &str = "SELECT COUNT(*) FROM quotes WHERE id = $1";

for_each_engine! {
    impl WriteOp<Db> for AddRoute {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let row = &self.0;
            let rows: i64 = sqlx::query_scalar(HAS_ROW).bind(&row.quote_id).fetch_one(&mut *connection).await?;
            if rows == 0 {
                Db::own_quote(connection, &row.quote_id).await?;
            }
            sqlx::query(ADD)
                .bind(&row.quote_id)
                .bind(&row.route_id)
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
