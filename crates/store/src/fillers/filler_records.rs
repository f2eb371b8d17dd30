use std::time::Duration;

use causeway_domain::ports::{FillerRecord, StoreError};

use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::{corrupt, parse, text, time};
use crate::store::Store;

const ALL: &str = "SELECT name, protocol, url, secret, deadline_millis, added_at, removed_at \
     FROM filler_records ORDER BY name";

const WRITE: &str = "INSERT INTO filler_records (name, protocol, url, secret, deadline_millis, added_at, removed_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO UPDATE SET protocol = excluded.protocol, \
     url = excluded.url, secret = excluded.secret, deadline_millis = excluded.deadline_millis, \
     added_at = excluded.added_at, removed_at = excluded.removed_at";

// Orders with work left may still need their filler.
const DELETE: &str = "DELETE FROM filler_records WHERE name = $1 AND removed_at IS NOT NULL AND NOT EXISTS \
     (SELECT 1 FROM orders WHERE filler = $1 AND due_at IS NOT NULL)";

/// A row of `filler_records`.
#[derive(Clone)]
struct Row {
    name: String,
    protocol: String,
    url: String,
    secret: Option<String>,
    deadline_millis: Option<i64>,
    added_at: i64,
    removed_at: Option<i64>,
}

impl_from_row!(Row { name, protocol, url, secret, deadline_millis, added_at, removed_at });

impl Row {
    fn new(record: &FillerRecord) -> Self {
        let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        Self {
            name: text(&record.name),
            protocol: record.protocol.as_str().to_owned(),
            url: text(&record.url),
            secret: record.secret.as_deref().map(text),
            deadline_millis: record.deadline.map(millis),
            added_at: record.added_at.as_millisecond(),
            removed_at: record.removed_at.map(jiff::Timestamp::as_millisecond),
        }
    }

    fn read(self) -> Result<FillerRecord, StoreError> {
        let deadline = |millis: i64| {
            let millis = u64::try_from(millis);
            millis
                .map(Duration::from_millis)
                .map_err(|_| corrupt("filler_records.deadline_millis", "a negative number"))
        };
        Ok(FillerRecord {
            protocol: parse("filler_records.protocol", &self.protocol)?,
            name: self.name,
            url: self.url,
            secret: self.secret,
            deadline: self.deadline_millis.map(deadline).transpose()?,
            added_at: time("filler_records.added_at", self.added_at)?,
            removed_at: self.removed_at.map(|at| time("filler_records.removed_at", at)).transpose()?,
        })
    }
}

struct Write(Row);

struct Delete(String);

for_each_engine! {
    impl WriteOp<Db> for Write {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let Row { name, protocol, url, secret, deadline_millis, added_at, removed_at } = &self.0;
            let write = sqlx::query(WRITE).bind(name).bind(protocol).bind(url).bind(secret);
            write.bind(deadline_millis).bind(added_at).bind(removed_at).execute(connection).await?;
            Ok(())
        }
    }

    impl WriteOp<Db> for Delete {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            Ok(sqlx::query(DELETE).bind(&self.0).execute(connection).await?.rows_affected() > 0)
        }
    }
}

impl Store {
    pub(crate) async fn read_filler_records(&self) -> Result<Vec<FillerRecord>, StoreError> {
        let rows: Vec<Row> = on_engine!(self.engine, handles => {
            sqlx::query_as(ALL).fetch_all(&handles.readers).await
        })
        .map_err(store_error)?;
        rows.into_iter().map(Row::read).collect()
    }

    pub(crate) async fn write_filler(&self, record: &FillerRecord) -> Result<(), StoreError> {
        self.write(Write(Row::new(record))).await
    }

    pub(crate) async fn delete_filler(&self, name: &str) -> Result<bool, StoreError> {
        self.write(Delete(text(name))).await
    }
}
