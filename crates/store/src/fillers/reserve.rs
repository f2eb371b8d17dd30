use causeway_domain::RawAmount;
use causeway_domain::ports::{Reservation, ReservationKind, ReservationLimit, Reserved, StoreError};

use crate::database::batch_order::{Locked, OrderRows, Turn};
use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::{HeldRecord, ReservationRecord, add};

/// Reserves a part of a filler's book within its limit. An order that has ended needs nothing more, and gets nothing.
pub(crate) struct Reserve {
    kind: ReservationKind,
    amount: RawAmount,
    row: ReservationRecord,
    limit: ReservationLimit,
    now: i64,
}

// Runs first: other reservations from this book wait for the row lock, and then see what was written here.
pub(crate) const LOCK_BOOK: &str = "INSERT INTO books (filler, token, version) VALUES ($1, $2, 1) \
     ON CONFLICT (filler, token) DO UPDATE SET version = books.version + 1";

pub(crate) const EXPIRE: &str =
    "DELETE FROM reservations WHERE filler = $1 AND token = $2 AND expires_at <= $3";

pub(crate) const HELD: &str =
    "SELECT holder, amount, kind FROM reservations WHERE filler = $1 AND token = $2";

// A replica that reads the chain late, or stood still, asks for an order that another one has brought to its end: nobody would release
// that. The order's row is locked before, so that it does not end meanwhile.
pub(crate) const ENDED: &str =
    "SELECT COUNT(*) FROM orders WHERE id = $1 AND status IN ('filled', 'refunded', 'failed')";

// What an order has reserved already stays as it is, so the book, which all orders share, need not be locked.
pub(crate) const HELD_BY: &str = "SELECT holder, amount, kind FROM reservations \
     WHERE filler = $1 AND token = $2 AND holder = $3";

const WRITE: &str = "INSERT INTO reservations (filler, holder, token, amount, kind, expires_at) \
     VALUES ($1, $2, $3, $4, $5, $6) \
     ON CONFLICT (filler, token, holder) DO UPDATE SET amount = $4, kind = $5, expires_at = $6";

impl Reserve {
    pub(crate) fn new(reservation: &Reservation, limit: ReservationLimit, now: i64) -> Self {
        let Reservation { kind, amount, .. } = *reservation;
        Self { kind, amount, row: reservation.into(), limit, now }
    }

    /// Whether the order holds this reservation already.
    fn is_held(&self, held: &HeldRecord) -> Result<bool, StoreError> {
        let (kind, amount) = held.read()?;
        Ok(kind == ReservationKind::Order && amount == self.amount)
    }

    /// `None` if the reservation is to be written.
    fn answer(&self, held: &[HeldRecord]) -> Result<Option<Reserved>, StoreError> {
        let (mut reserved, mut builds) = (RawAmount::ZERO, RawAmount::ZERO);
        for row in held {
            let (kind, amount) = row.read()?;
            if row.holder == self.row.holder {
                // Only an order replaces a reservation, and only that of a build.
                match (kind, self.kind) {
                    (ReservationKind::Build, ReservationKind::Order) => continue,
                    _ if amount == self.amount => return Ok(Some(Reserved::Existing)),
                    _ => {
                        return Err(StoreError::Conflict(
                            "this holder has reserved another amount of the token",
                        ));
                    }
                }
            }
            reserved = add(reserved, amount)?;
            if kind == ReservationKind::Build {
                builds = add(builds, amount)?;
            }
        }
        let fits = self.limit.admits(self.kind, self.amount, reserved, builds);
        Ok((!fits).then_some(Reserved::OverLimit { reserved }))
    }
}

for_each_engine! {
    impl WriteOp<Db> for Reserve {
        type Outcome = Reserved;

        fn turn(&self) -> Turn {
            Turn::of(Locked::Books, (&self.row.filler, &self.row.token))
        }

        fn add_orders(&self, rows: &mut OrderRows) {
            if self.kind == ReservationKind::Order {
                rows.add(&self.row.holder);
            }
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<Reserved, DbError> {
            let row = &self.row;
            if self.kind == ReservationKind::Order {
                let ended: i64 =
                    sqlx::query_scalar(ENDED).bind(&row.holder).fetch_one(&mut *connection).await?;
                if ended > 0 {
                    return Ok(Reserved::Existing);
                }
                let held: Option<HeldRecord> = sqlx::query_as(HELD_BY)
                    .bind(&row.filler)
                    .bind(&row.token)
                    .bind(&row.holder)
                    .fetch_optional(&mut *connection)
                    .await?;
                if let Some(held) = held && self.is_held(&held)? {
                    return Ok(Reserved::Existing);
                }
            }
            sqlx::query(LOCK_BOOK).bind(&row.filler).bind(&row.token).execute(&mut *connection).await?;
            sqlx::query(EXPIRE)
                .bind(&row.filler)
                .bind(&row.token)
                .bind(self.now)
                .execute(&mut *connection)
                .await?;
            let held: Vec<HeldRecord> =
                sqlx::query_as(HELD).bind(&row.filler).bind(&row.token).fetch_all(&mut *connection).await?;
            if let Some(answer) = self.answer(&held)? {
                return Ok(answer);
            }
            sqlx::query(WRITE)
                .bind(&row.filler)
                .bind(&row.holder)
                .bind(&row.token)
                .bind(&row.amount)
                .bind(row.kind)
                .bind(row.expires_at)
                .execute(connection)
                .await?;
            Ok(Reserved::Written)
        }
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::OrderStatus;

    use super::*;

    #[test]
    fn orders_that_have_ended_are_those_whose_status_is_terminal() {
        for status in OrderStatus::ALL {
            assert_eq!(ENDED.contains(&format!("'{status}'")), status.is_terminal(), "{status}");
        }
    }
}
