use causeway_domain::UsdAmount;
use causeway_domain::ports::{Outflow, StoreError};
use jiff::Timestamp;

use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::{chain, chain_number, parse, text};
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

const SINCE: &str =
    "SELECT filler, purpose, chain, value_cents, fees_cents FROM outflows WHERE sent_at >= $1";

/// Filler, purpose, chain, value and fees.
type OutflowRow = (String, String, i64, String, String);

for_each_engine! {
    impl WriteOp<Db> for RecordOutflow {
        type Outcome = ();

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

    pub(super) async fn read_outflows(&self, since: Timestamp) -> Result<Vec<Outflow>, StoreError> {
        let since = since.as_millisecond();
        let rows: Vec<OutflowRow> = on_engine!(self.engine, handles => {
            sqlx::query_as(SINCE).bind(since).fetch_all(&handles.readers).await
        })
        .map_err(store_error)?;
        let read = |(filler, purpose, number, value, fees): OutflowRow| {
            Ok(Outflow {
                filler,
                purpose,
                chain: chain("outflows.chain", number)?,
                value: UsdAmount::from_cents(parse("outflows.value_cents", &value)?),
                fees: UsdAmount::from_cents(parse("outflows.fees_cents", &fees)?),
            })
        };
        rows.into_iter().map(read).collect()
    }
}
