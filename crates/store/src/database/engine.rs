use sqlx::{Database, Postgres, Sqlite};

use crate::database::batch_order::OrderRows;
use crate::database::readers::Readers;
use crate::database::writer::Writer;

/// Repeats items once per engine, with `Db` as its alias.
///
/// sqlx's `Any` driver lacks features of each engine; the same code compiled twice does not.
macro_rules! for_each_engine {
    ($($item:tt)*) => {
        const _: () = { use sqlx::Sqlite as Db; $($item)* };
        const _: () = { use sqlx::Postgres as Db; $($item)* };
    };
}

/// Evaluates an expression with the handles of the open engine.
macro_rules! on_engine {
    ($engine:expr, $handles:ident => $body:expr) => {
        match &$engine {
            crate::database::engine::Engine::Sqlite($handles) => $body,
            crate::database::engine::Engine::Postgres($handles) => $body,
        }
    };
}

pub(crate) type Connection<DB> = <DB as Database>::Connection;

/// The SQL that differs between the engines.
pub(crate) trait Dialect: Database {
    /// Begins a write transaction.
    const BEGIN: &'static str;
    /// The suffix of a `SELECT` that locks its rows and skips locked ones.
    const SKIP_LOCKED: &'static str;
    /// Selects the time of the database's own clock, in milliseconds.
    const NOW_MILLIS: &'static str;

    /// Locks these rows until the end of the transaction, in an order that all processes have.
    fn lock_orders(
        connection: &mut Connection<Self>,
        rows: &OrderRows,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send;
}

/// The open database.
pub(crate) enum Engine {
    Sqlite(Handles<Sqlite>),
    Postgres(Handles<Postgres>),
}

/// One writer and several readers.
pub(crate) struct Handles<DB: Dialect> {
    pub(crate) writer: Writer<DB>,
    pub(crate) readers: Readers<DB>,
}
