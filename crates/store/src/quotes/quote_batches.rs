use causeway_domain::QuoteId;
use sqlx::Database;

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::record::{BatchRecord, Place, batch};

/// Reads and writes rows of `quote_batches` by the statements of one engine.
pub(crate) trait Batches: Database {
    fn put(
        connection: &mut Connection<Self>,
        row: &BatchRecord,
    ) -> impl Future<Output = Result<(), DbError>> + Send;

    /// Inserts a row if its window has exactly `others` other rows; returns whether it did.
    fn put_alone(
        connection: &mut Connection<Self>,
        row: BatchRecord,
        others: i64,
    ) -> impl Future<Output = Result<bool, DbError>> + Send;

    /// The keys and contents of the batches that may hold ids between two times of one window.
    fn contents(
        connection: &mut Connection<Self>,
        first_ms: i64,
        last_ms: i64,
    ) -> impl Future<Output = Result<Vec<(i64, Vec<u8>)>, DbError>> + Send;

    fn quotes(
        connection: &mut Connection<Self>,
        row_key: i64,
    ) -> impl Future<Output = Result<Option<Vec<u8>>, DbError>> + Send;
}

/// A quote's record and the key of its batch.
pub(crate) struct Batched {
    pub(crate) batch: i64,
    pub(crate) record: Vec<u8>,
}

/// Finds a quote in the batches that may hold it.
pub(crate) async fn find_record<DB: Batches>(
    connection: &mut Connection<DB>,
    id: &QuoteId,
) -> Result<Option<Batched>, DbError> {
    let Place { moment, mark } = Place::of(id);
    for (key, contents) in DB::contents(connection, moment, moment).await? {
        if !batch::marks(&contents).any(|known| known == mark) {
            continue;
        }
        // Retention may have removed the batch in the meantime.
        let Some(quotes) = DB::quotes(connection, key).await? else { continue };
        if let Some(record) = batch::find(id, &contents, &quotes)? {
            return Ok(Some(Batched { batch: key, record: record.to_vec() }));
        }
    }
    Ok(None)
}

const PUT: &str = "INSERT INTO quote_batches (row_key, first_ms, last_ms, newest, size, contents, quotes) \
     VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// A batch never crosses the end of a window, so the batches of a window are those that end in it.
pub(crate) const PUT_ALONE: &str = "INSERT INTO quote_batches (row_key, first_ms, last_ms, newest, size, contents, quotes) \
     SELECT $1, $2, $3, $4, $5, $6, $7 \
     WHERE (SELECT COUNT(*) FROM quote_batches WHERE last_ms BETWEEN $8 AND $9) = $10";

pub(crate) const CONTENTS: &str = "SELECT row_key, contents FROM quote_batches \
     WHERE last_ms BETWEEN $1 AND $2 AND first_ms <= $3";

pub(crate) const BATCH: &str = "SELECT quotes FROM quote_batches WHERE row_key = $1";

for_each_engine! {
    impl Batches for Db {
        async fn put(connection: &mut Connection<Self>, row: &BatchRecord) -> Result<(), DbError> {
            sqlx::query(PUT)
                .bind(row.row_key)
                .bind(row.first_ms)
                .bind(row.last_ms)
                .bind(row.newest)
                .bind(row.size)
                .bind(&row.contents)
                .bind(&row.quotes)
                .execute(connection)
                .await?;
            Ok(())
        }

        async fn put_alone(
            connection: &mut Connection<Self>,
            row: BatchRecord,
            others: i64,
        ) -> Result<bool, DbError> {
            let done = sqlx::query(PUT_ALONE)
                .bind(row.row_key)
                .bind(row.first_ms)
                .bind(row.last_ms)
                .bind(row.newest)
                .bind(row.size)
                .bind(row.contents)
                .bind(row.quotes)
                .bind(batch::window_start(row.last_ms))
                .bind(batch::window_end(row.last_ms))
                .bind(others)
                .execute(connection)
                .await?;
            Ok(done.rows_affected() == 1)
        }

        async fn contents(
            connection: &mut Connection<Self>,
            first_ms: i64,
            last_ms: i64,
        ) -> Result<Vec<(i64, Vec<u8>)>, DbError> {
            let rows = sqlx::query_as(CONTENTS).bind(first_ms).bind(batch::window_end(first_ms)).bind(last_ms);
            Ok(rows.fetch_all(connection).await?)
        }

        async fn quotes(connection: &mut Connection<Self>, row_key: i64) -> Result<Option<Vec<u8>>, DbError> {
            Ok(sqlx::query_scalar(BATCH).bind(row_key).fetch_optional(connection).await?)
        }
    }
}
