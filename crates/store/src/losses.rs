use async_trait::async_trait;
use causeway_domain::ports::{Loss, Losses, StoreError};
use causeway_domain::{RawAmount, UsdAmount};
use jiff::Timestamp;

use crate::engine::Connection;
use crate::fault::Fault;
use crate::job::Deed;
use crate::record::{add, parse, text};
use crate::reserve::TURN;
use crate::store::Store;

/// Writes a loss down if it fits.
struct Bear {
    filler: String,
    order: String,
    cents: RawAmount,
    most: RawAmount,
    since: i64,
    now: i64,
}

/// The name of the book in which a filler's losses take turns; no token is called so.
const BOOK: &str = "losses";

// What lies further back counts no more.
const FORGET: &str = "DELETE FROM losses WHERE filler = $1 AND borne_at < $2";

const BORNE: &str = "SELECT COUNT(*) FROM losses WHERE filler = $1 AND order_id = $2";

const SINCE: &str = "SELECT cents FROM losses WHERE filler = $1";

const WRITE: &str = "INSERT INTO losses (filler, order_id, cents, borne_at) VALUES ($1, $2, $3, $4)";

for_each_engine! {
    impl Deed<Db> for Bear {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, Fault> {
            sqlx::query(TURN).bind(&self.filler).bind(BOOK).execute(&mut *connection).await?;
            sqlx::query(FORGET).bind(&self.filler).bind(self.since).execute(&mut *connection).await?;
            let borne: i64 = sqlx::query_scalar(BORNE)
                .bind(&self.filler)
                .bind(&self.order)
                .fetch_one(&mut *connection)
                .await?;
            if borne > 0 {
                return Ok(true);
            }
            let since: Vec<String> =
                sqlx::query_scalar(SINCE).bind(&self.filler).fetch_all(&mut *connection).await?;
            let mut sum = self.cents;
            for cents in since {
                sum = add(sum, parse("losses.cents", &cents)?)?;
            }
            if sum > self.most {
                return Ok(false);
            }
            sqlx::query(WRITE)
                .bind(&self.filler)
                .bind(&self.order)
                .bind(self.cents.to_string())
                .bind(self.now)
                .execute(connection)
                .await?;
            Ok(true)
        }
    }
}

#[async_trait]
impl Losses for Store {
    async fn bear(
        &self,
        loss: &Loss,
        most: UsdAmount,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (filler, order) = (text(&loss.filler), loss.order.to_string());
        let (cents, most) = (loss.amount.cents(), most.cents());
        let (since, now) = (since.as_millisecond(), now.as_millisecond());
        self.write(Bear { filler, order, cents, most, since, now }).await
    }
}
