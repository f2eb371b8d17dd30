use sqlx::{Database, Pool, Postgres, Sqlite};

use crate::quote_batches::Batches;
use crate::writer::Writer;

/// Repeats items once per engine, with `Db` standing for it.
///
/// The driver that serves any engine gives up what is particular to each; the same text compiled twice does not.
macro_rules! for_each_engine {
    ($($item:tt)*) => {
        const _: () = { use sqlx::Sqlite as Db; $($item)* };
        const _: () = { use sqlx::Postgres as Db; $($item)* };
    };
}

/// Evaluates an expression with the handles of whichever engine is open.
macro_rules! on_engine {
    ($engine:expr, $handles:ident => $body:expr) => {
        match &$engine {
            crate::engine::Engine::Sqlite($handles) => $body,
            crate::engine::Engine::Postgres($handles) => $body,
        }
    };
}

pub(crate) type Connection<DB> = <DB as Database>::Connection;

/// What the two engines say differently.
pub(crate) trait Dialect: Batches {
    /// Opens a transaction that is going to write.
    const BEGIN: &'static str;
    /// Ends a `SELECT` whose rows nobody else may take meanwhile.
    const SKIP_LOCKED: &'static str;
}

/// The open database.
pub(crate) enum Engine {
    Sqlite(Handles<Sqlite>),
    Postgres(Handles<Postgres>),
}

/// One way in for writes, many for reads.
pub(crate) struct Handles<DB: Dialect> {
    pub(crate) writer: Writer<DB>,
    pub(crate) readers: Pool<DB>,
}
