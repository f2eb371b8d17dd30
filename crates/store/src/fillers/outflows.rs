use alloy_primitives::U256;
use causeway_domain::ports::{Outflow, OutflowSum, StoreError};
use causeway_domain::{RawAmount, UsdAmount};
use jiff::Timestamp;

use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::{chain, chain_number, read_count, text};
use crate::store::Store;

/// Records what a transaction takes from a chain, once.
struct RecordOutflow {
    filler: String,
    purpose: String,
    chain: i64,
    value: String,
    fees: String,
    since: i64,
    now: i64,
}

const EXPIRE: &str = "DELETE FROM outflows WHERE sent_at < $1";

const WRITE: &str = "INSERT INTO outflows (filler, purpose, chain, value_cents, fees_cents, sent_at) \
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";

// Both engines add integers up exactly, and answer with an error where the sum does not fit. The schema lets one transaction count
// for at most a hundred billion dollars, beyond all limits, of which nearly a million fit. This reads nothing but an index.
pub(crate) const SUMS: &str = "SELECT filler, chain, CAST(SUM(value_counted) AS BIGINT), CAST(SUM(fees_counted) AS BIGINT) \
     FROM outflows WHERE sent_at >= $1 AND sent_at < $2 GROUP BY filler, chain";

/// Filler, chain, value and fees.
type SumRow = (String, i64, i64, i64);

for_each_engine! {
    impl WriteOp<Db> for RecordOutflow {
        type Outcome = ();

        fn turn(&self) -> Turn {
            Turn::of(Locked::Outflows, (&self.filler, &self.purpose))
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            sqlx::query(EXPIRE).bind(self.since).execute(&mut *connection).await?;
            sqlx::query(WRITE)
                .bind(&self.filler)
                .bind(&self.purpose)
                .bind(self.chain)
                .bind(&self.value)
                .bind(&self.fees)
                .bind(self.now)
                .execute(connection)
                .await?;
            Ok(())
        }
    }
}

fn amount(column: &'static str, cents: i64) -> Result<UsdAmount, StoreError> {
    Ok(UsdAmount::from_cents(RawAmount::new(U256::from(read_count(column, cents)?))))
}

impl Store {
    pub(super) async fn write_outflow(
        &self,
        outflow: &Outflow,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(RecordOutflow {
            filler: text(&outflow.filler),
            purpose: text(&outflow.purpose),
            chain: chain_number(outflow.chain),
            value: outflow.value.cents().to_string(),
            fees: outflow.fees.cents().to_string(),
            since: since.as_millisecond(),
            now: now.as_millisecond(),
        })
        .await
    }

    pub(super) async fn read_outflow_sums(
        &self,
        since: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<OutflowSum>, StoreError> {
        let (since, until) = (since.as_millisecond(), until.as_millisecond());
        let rows: Vec<SumRow> = on_engine!(self.engine, handles => {
            sqlx::query_as(SUMS).bind(since).bind(until).fetch_all(&handles.readers).await
        })
        .map_err(store_error)?;
        let read = |(filler, number, value, fees): SumRow| {
            Ok(OutflowSum {
                filler,
                chain: chain("outflows.chain", number)?,
                value: amount("outflows.value_counted", value)?,
                fees: amount("outflows.fees_counted", fees)?,
            })
        };
        rows.into_iter().map(read).collect()
    }
}
