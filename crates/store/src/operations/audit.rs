use causeway_domain::RowKey;
use causeway_domain::ports::{AuditEvent, StoreError};
use jiff::Timestamp;

use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::{key, text, time};
use crate::store::Store;

const WRITE: &str =
    "INSERT INTO audit (row_key, kind, subject, detail, happened_at) VALUES ($1, $2, $3, $4, $5)";

const MERGE: &str =
    "UPDATE audit SET detail = $1 WHERE row_key = $2 AND kind = 'screening.hit' AND subject = $3";

const BEFORE: &str = "SELECT row_key, kind, subject, detail, happened_at FROM audit WHERE row_key < $1 \
     ORDER BY row_key DESC LIMIT $2";

// Keys increase with time.
const DROP: &str = "DELETE FROM audit WHERE row_key IN \
     (SELECT row_key FROM audit WHERE row_key < $1 ORDER BY row_key LIMIT $2)";

/// Removes events with keys below this one.
struct PruneAudit {
    below: i64,
    limit: i64,
}

/// Appends one event.
struct AppendAudit(AuditEvent);

/// Counts a further hit in its line.
struct MergeHit(AuditEvent);

for_each_engine! {
    impl WriteOp<Db> for PruneAudit {
        type Outcome = u64;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<u64, DbError> {
            let dropped = sqlx::query(DROP).bind(self.below).bind(self.limit).execute(connection).await?;
            Ok(dropped.rows_affected())
        }
    }

    impl WriteOp<Db> for MergeHit {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let AuditEvent { key, subject, detail, .. } = &self.0;
            sqlx::query(MERGE)
                .bind(text(detail))
                .bind(key.get())
                .bind(text(subject))
                .execute(connection)
                .await?;
            Ok(())
        }
    }

    impl WriteOp<Db> for AppendAudit {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let AuditEvent { key, kind, subject, detail, at } = &self.0;
            sqlx::query(WRITE)
                .bind(key.get())
                .bind(text(kind))
                .bind(text(subject))
                .bind(text(detail))
                .bind(at.as_millisecond())
                .execute(connection)
                .await?;
            Ok(())
        }
    }
}

impl Store {
    pub(crate) async fn prune_audit_events(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let below = RowKey::floor_at(before).get();
        self.write(PruneAudit { below, limit: i64::from(limit) }).await
    }

    pub(super) async fn write_audit(&self, event: &AuditEvent) -> Result<(), StoreError> {
        self.write(AppendAudit(event.clone())).await
    }

    pub(super) async fn write_merged_hit(&self, event: &AuditEvent) -> Result<(), StoreError> {
        self.write(MergeHit(event.clone())).await
    }

    pub(super) async fn read_audit(
        &self,
        before: Option<RowKey>,
        limit: u32,
    ) -> Result<Vec<AuditEvent>, StoreError> {
        let before = before.map_or(i64::MAX, RowKey::get);
        let rows: Vec<(i64, String, String, String, i64)> = on_engine!(self.engine, handles => {
            sqlx::query_as(BEFORE).bind(before).bind(i64::from(limit)).fetch_all(&handles.readers).await
        })
        .map_err(store_error)?;
        let event = |(row, kind, subject, detail, at): (i64, String, String, String, i64)| {
            Ok(AuditEvent {
                key: key("audit.row_key", row)?,
                kind,
                subject,
                detail,
                at: time("audit.happened_at", at)?,
            })
        };
        rows.into_iter().map(event).collect()
    }
}
