use causeway_domain::ports::{FeeRecord, StoreError};
use jiff::Timestamp;

use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::{chain, chain_number, parse, text, time};
use crate::store::Store;

const WRITE: &str = "INSERT INTO transaction_fees (chain, purpose, filler, fee, recorded_at) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (chain, purpose) DO NOTHING";

const SINCE: &str = "SELECT chain, purpose, filler, fee, recorded_at FROM transaction_fees WHERE recorded_at >= $1 \
     ORDER BY recorded_at DESC, chain, purpose LIMIT $2";

pub(super) const DROP: &str = "DELETE FROM transaction_fees WHERE (chain, purpose) IN \
     (SELECT chain, purpose FROM transaction_fees WHERE recorded_at < $1 ORDER BY recorded_at LIMIT $2)";

struct RecordFee(FeeRecord);

for_each_engine! {
    impl WriteOp<Db> for RecordFee {
        type Outcome = ();

        fn turn(&self) -> Turn {
            Turn::of(Locked::Fees, (chain_number(self.0.chain), &self.0.purpose))
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let FeeRecord { chain, purpose, filler, fee, at } = &self.0;
            sqlx::query(WRITE)
                .bind(chain_number(*chain))
                .bind(text(purpose))
                .bind(text(filler))
                .bind(fee.to_string())
                .bind(at.as_millisecond())
                .execute(connection)
                .await?;
            Ok(())
        }
    }
}

impl Store {
    pub(super) async fn write_fee(&self, record: &FeeRecord) -> Result<(), StoreError> {
        self.write(RecordFee(record.clone())).await
    }

    pub(super) async fn read_fees(&self, since: Timestamp, limit: u32) -> Result<Vec<FeeRecord>, StoreError> {
        let rows: Vec<(i64, String, String, String, i64)> = on_engine!(self.engine, handles => {
            sqlx::query_as(SINCE)
                .bind(since.as_millisecond())
                .bind(i64::from(limit))
                .fetch_all(&handles.readers)
                .await
        })
        .map_err(store_error)?;
        let record = |(number, purpose, filler, fee, at): (i64, String, String, String, i64)| {
            Ok(FeeRecord {
                chain: chain("transaction_fees.chain", number)?,
                purpose,
                filler,
                fee: parse("transaction_fees.fee", &fee)?,
                at: time("transaction_fees.recorded_at", at)?,
            })
        };
        rows.into_iter().map(record).collect()
    }
}
