use causeway_domain::ports::{Loss, StoreError};
use causeway_domain::{RawAmount, UsdAmount};
use jiff::Timestamp;

use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::{add, parse, text};
use crate::store::Store;

/// Records a loss if it stays within the limit, if there is one.
///
/// A running total of each filler is kept besides its losses, so that a day of them is not added up each time: what is new is
/// added, what is forgotten is subtracted. Processes of the version before write and forget losses without it, so the losses
/// themselves are added up now and then.
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

// Runs first: other losses of this filler wait for the row lock, and then see what was written here.
const LOCK: &str = "INSERT INTO loss_totals (filler, cents, added_up_at) VALUES ($1, '0', 0) \
     ON CONFLICT (filler) DO UPDATE SET cents = loss_totals.cents RETURNING cents, added_up_at";

/// For how long a total is believed, in milliseconds.
const BELIEVED: i64 = 10 * 60 * 1_000;

// Losses before the period no longer count.
const FORGET: &str = "DELETE FROM losses WHERE filler = $1 AND recorded_at < $2 RETURNING cents";

const RECORDED: &str = "SELECT COUNT(*) FROM losses WHERE filler = $1 AND order_id = $2 AND kind = $3";

const LOSSES: &str = "SELECT cents FROM losses WHERE filler = $1";

const TOTAL: &str = "UPDATE loss_totals SET cents = $1, added_up_at = $2 WHERE filler = $3";

const WRITE: &str =
    "INSERT INTO losses (filler, order_id, kind, cents, recorded_at) VALUES ($1, $2, $3, $4, $5)";

fn sum(losses: &[String]) -> Result<RawAmount, StoreError> {
    losses.iter().try_fold(RawAmount::ZERO, |sum, cents| add(sum, parse("losses.cents", cents)?))
}

for_each_engine! {
    impl WriteOp<Db> for RecordLoss {
        type Outcome = bool;

        fn turn(&self) -> Turn {
            Turn::of(Locked::Losses, &self.filler)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let (total, mut added_up_at): (String, i64) =
                sqlx::query_as(LOCK).bind(&self.filler).fetch_one(&mut *connection).await?;
            let forgotten: Vec<String> = sqlx::query_scalar(FORGET)
                .bind(&self.filler)
                .bind(self.since)
                .fetch_all(&mut *connection)
                .await?;
            let total: RawAmount = parse("loss_totals.cents", &total)?;
            let is_believed = (added_up_at..added_up_at.saturating_add(BELIEVED)).contains(&self.now);
            let total = if is_believed && let Some(left) = total.checked_sub(sum(&forgotten)?) {
                left
            } else {
                added_up_at = self.now;
                let losses: Vec<String> =
                    sqlx::query_scalar(LOSSES).bind(&self.filler).fetch_all(&mut *connection).await?;
                sum(&losses)?
            };
            let recorded: i64 = sqlx::query_scalar(RECORDED)
                .bind(&self.filler)
                .bind(&self.order)
                .bind(self.kind)
                .fetch_one(&mut *connection)
                .await?;
            let is_new = recorded == 0;
            let with_it = if is_new { add(total, self.cents)? } else { total };
            let fits = !is_new || self.limit.is_none_or(|limit| with_it <= limit);
            sqlx::query(TOTAL)
                .bind(if fits { with_it } else { total }.to_string())
                .bind(added_up_at)
                .bind(&self.filler)
                .execute(&mut *connection)
                .await?;
            if is_new && fits {
                sqlx::query(WRITE)
                    .bind(&self.filler)
                    .bind(&self.order)
                    .bind(self.kind)
                    .bind(self.cents.to_string())
                    .bind(self.now)
                    .execute(connection)
                    .await?;
            }
            Ok(fits)
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
