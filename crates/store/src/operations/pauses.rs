use causeway_domain::ports::{Pausable, Pause, StoreError};

use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::{corrupt, text, time};
use crate::store::Store;

const ALL: &str = "SELECT kind, name, reason, since FROM pauses ORDER BY kind, name";

const WRITE: &str = "INSERT INTO pauses (kind, name, reason, since) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (kind, name) DO UPDATE SET reason = excluded.reason";

const REMOVE: &str = "DELETE FROM pauses WHERE kind = $1 AND name = $2";

struct Write {
    kind: &'static str,
    name: String,
    reason: String,
    since: i64,
}

struct Remove {
    kind: &'static str,
    name: String,
}

for_each_engine! {
    impl WriteOp<Db> for Write {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let Self { kind, name, reason, since } = self;
            sqlx::query(WRITE).bind(kind).bind(name).bind(reason).bind(since).execute(connection).await?;
            Ok(())
        }
    }

    impl WriteOp<Db> for Remove {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let done = sqlx::query(REMOVE).bind(self.kind).bind(&self.name).execute(connection).await?;
            Ok(done.rows_affected() > 0)
        }
    }
}

impl Store {
    pub(super) async fn read_pauses(&self) -> Result<Vec<Pause>, StoreError> {
        let rows: Vec<(String, String, String, i64)> = on_engine!(self.engine, handles => {
            sqlx::query_as(ALL).fetch_all(&handles.readers).await
        })
        .map_err(store_error)?;
        let pause = |(kind, name, reason, since): (String, String, String, i64)| {
            let what = Pausable::parse(&kind, &name).map_err(|error| corrupt("pauses.name", error))?;
            Ok(Pause { what, reason, since: time("pauses.since", since)? })
        };
        rows.into_iter().map(pause).collect()
    }

    pub(super) async fn write_pause(&self, pause: &Pause) -> Result<(), StoreError> {
        let (kind, name) = (pause.what.kind(), pause.what.name());
        let (reason, since) = (text(&pause.reason), pause.since.as_millisecond());
        self.write(Write { kind, name, reason, since }).await
    }

    pub(super) async fn delete_pause(&self, what: &Pausable) -> Result<bool, StoreError> {
        self.write(Remove { kind: what.kind(), name: what.name() }).await
    }
}
