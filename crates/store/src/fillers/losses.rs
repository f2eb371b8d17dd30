use causeway_domain::ports::{Loss, StoreError};
use causeway_domain::{RawAmount, UsdAmount};
use jiff::Timestamp;

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::fillers::reserve::LOCK_BOOK;
use crate::record::{add, parse, text};
use crate::store::Store;

/// Records a loss if it stays within the limit, if there is one.
struct RecordLoss {
    filler: String,
    order: String,
    kind: &'static str,
    cents: RawAmount,
    /// None for what was spent already.
    limit: Option<RawAmount>,
    since: i64,
    now: i64,
}

/// The book row that serializes a filler's losses; no token has this name.
const BOOK: &str = "losses";

// Losses before the period no longer count.
const EXPIRE: &str = "DELETE FROM losses WHERE filler = $1 AND recorded_at < $2";

const RECORDED: &str = "SELECT COUNT(*) FROM losses WHERE filler = $1 AND order_id = $2 AND kind = $3";

const SINCE: &str = "SELECT cents FROM losses WHERE filler = $1";

const WRITE: &str =
    "INSERT INTO losses (filler, order_id, kind, cents, recorded_at) VALUES ($1, $2, $3, $4, $5)";

for_each_engine! {
    impl WriteOp<Db> for RecordLoss {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            sqlx::query(LOCK_BOOK).bind(&self.filler).bind(BOOK).execute(&mut *connection).await?;
            sqlx::query(EXPIRE).bind(&self.filler).bind(self.since).execute(&mut *connection).await?;
            let recorded: i64 = sqlx::query_scalar(RECORDED)
                .bind(&self.filler)
                .bind(&self.order)
                .bind(self.kind)
                .fetch_one(&mut *connection)
                .await?;
            if recorded > 0 {
                return Ok(true);
            }
            let since: Vec<String> =
                sqlx::query_scalar(SINCE).bind(&self.filler).fetch_all(&mut *connection).await?;
            let mut sum = self.cents;
            for cents in since {
                sum = add(sum, parse("losses.cents", &cents)?)?;
            }
            if self.limit.is_some_and(|limit| sum > limit) {
                return Ok(false);
            }
            sqlx::query(WRITE)
                .bind(&self.filler)
                .bind(&self.order)
                .bind(self.kind)
                .bind(self.cents.to_string())
                .bind(self.now)
                .execute(connection)
                .await?;
            Ok(true)
        }
    }
}

impl Store {
    pub(super) async fn write_loss(
        &self,
        loss: &Loss,
        most: Option<UsdAmount>,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (filler, order) = (text(&loss.filler), loss.order.to_string());
        let (kind, cents, limit) = (loss.kind.as_str(), loss.amount.cents(), most.map(UsdAmount::cents));
        let (since, now) = (since.as_millisecond(), now.as_millisecond());
        self.write(RecordLoss { filler, order, kind, cents, limit, since, now }).await
    }
}
