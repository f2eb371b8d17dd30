use std::collections::BTreeMap;

use async_trait::async_trait;
use causeway_domain::ports::{
    InventoryStore, Loss, Outflow, OutflowSum, Reservation, ReservationLimit, Reserved, StoreError,
};
use causeway_domain::{RawAmount, TokenId, UsdAmount};
use jiff::Timestamp;

use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::fillers::reserve::Reserve;
use crate::record::{TokenHeldRecord, add, text};
use crate::store::Store;

/// Releases a holder's reservations.
struct Release {
    filler: String,
    holder: String,
}

pub(crate) const RELEASE: &str = "DELETE FROM reservations WHERE filler = $1 AND holder = $2";

pub(crate) const BY_TOKEN: &str = "SELECT token, amount FROM reservations \
     WHERE filler = $1 AND token = $2 AND (expires_at IS NULL OR expires_at > $3)";

pub(crate) const BY_FILLER: &str = "SELECT token, amount FROM reservations \
     WHERE filler = $1 AND (expires_at IS NULL OR expires_at > $2)";

for_each_engine! {
    impl WriteOp<Db> for Release {
        type Outcome = ();

        fn turn(&self) -> Turn {
            Turn::of(Locked::Reservations, (&self.filler, &self.holder))
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            sqlx::query(RELEASE).bind(&self.filler).bind(&self.holder).execute(connection).await?;
            Ok(())
        }
    }
}

impl Store {
    async fn held_of_token(
        &self,
        filler: &str,
        token: TokenId,
        now: Timestamp,
    ) -> Result<Vec<TokenHeldRecord>, sqlx::Error> {
        let (filler, token) = (text(filler), token.to_string());
        on_engine!(self.engine, handles => {
            sqlx::query_as(BY_TOKEN)
                .bind(filler)
                .bind(token)
                .bind(now.as_millisecond())
                .fetch_all(&handles.readers)
                .await
        })
    }

    async fn held_of_filler(
        &self,
        filler: &str,
        now: Timestamp,
    ) -> Result<Vec<TokenHeldRecord>, sqlx::Error> {
        let filler = text(filler);
        on_engine!(self.engine, handles => {
            sqlx::query_as(BY_FILLER).bind(filler).bind(now.as_millisecond()).fetch_all(&handles.readers).await
        })
    }
}

/// Sums in Rust: neither engine can add 256-bit amounts stored as text.
fn sums(rows: &[TokenHeldRecord]) -> Result<BTreeMap<TokenId, RawAmount>, StoreError> {
    let mut sums = BTreeMap::new();
    for row in rows {
        let (token, amount) = row.read()?;
        let sum = sums.entry(token).or_insert(RawAmount::ZERO);
        *sum = add(*sum, amount)?;
    }
    Ok(sums)
}

#[async_trait]
impl InventoryStore for Store {
    async fn reserve(
        &self,
        reservation: &Reservation,
        limit: ReservationLimit,
        now: Timestamp,
    ) -> Result<Reserved, StoreError> {
        self.write(Reserve::new(reservation, limit, now.as_millisecond())).await
    }

    async fn release(&self, filler: &str, holder: &str) -> Result<(), StoreError> {
        self.write(Release { filler: text(filler), holder: text(holder) }).await
    }

    async fn reserved(&self, filler: &str, token: TokenId, now: Timestamp) -> Result<RawAmount, StoreError> {
        let rows = self.held_of_token(filler, token, now).await.map_err(store_error)?;
        Ok(sums(&rows)?.remove(&token).unwrap_or_default())
    }

    async fn all_reserved(
        &self,
        filler: &str,
        now: Timestamp,
    ) -> Result<Vec<(TokenId, RawAmount)>, StoreError> {
        let rows = self.held_of_filler(filler, now).await.map_err(store_error)?;
        Ok(sums(&rows)?.into_iter().collect())
    }

    async fn record_loss(
        &self,
        loss: &Loss,
        limit: UsdAmount,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write_loss(loss, Some(limit), since, now).await
    }

    async fn record_outflow(
        &self,
        outflow: &Outflow,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write_outflow(outflow, since, now).await
    }

    async fn outflow_sums(&self, since: Timestamp, until: Timestamp) -> Result<Vec<OutflowSum>, StoreError> {
        self.read_outflow_sums(since, until).await
    }

    async fn record_spent(&self, loss: &Loss, now: Timestamp) -> Result<(), StoreError> {
        self.write_loss(loss, None, Timestamp::MIN, now).await.map(drop)
    }
}
