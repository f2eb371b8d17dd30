use std::io;
use std::sync::Arc;

use causeway_domain::ports::StoreError;
use sqlx::error::{DatabaseError, ErrorKind};

/// Why database work failed.
#[derive(Debug)]
pub(crate) enum DbError {
    Engine(sqlx::Error),
    Rejected(StoreError),
}

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<StoreError> for DbError {
    fn from(error: StoreError) -> Self {
        Self::Rejected(error)
    }
}

impl From<DbError> for StoreError {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Engine(error) => store_error(error),
            DbError::Rejected(error) => error,
        }
    }
}

/// Maps an engine's error to the error that callers get.
pub(crate) fn store_error(error: sqlx::Error) -> StoreError {
    use sqlx::Error;
    match &error {
        Error::ColumnDecode { .. } | Error::Decode(_) | Error::ColumnNotFound(_) => {
            StoreError::Corrupt(error.to_string())
        }
        Error::Database(cause) => match (cause.kind(), code(&**cause)) {
            (ErrorKind::UniqueViolation, _) => {
                StoreError::Conflict("a record with this id or key is stored already")
            }
            (ErrorKind::ForeignKeyViolation, _) => {
                StoreError::Conflict("the record that this one belongs to is not stored")
            }
            (_, Code::Damaged) => StoreError::Corrupt(error.to_string()),
            (_, Code::Value) => StoreError::Conflict("the database cannot hold a value of this record"),
            _ => StoreError::Unavailable(Box::new(error)),
        },
        _ => StoreError::Unavailable(Box::new(error)),
    }
}

/// The error for one of the callers that an outage affects.
pub(crate) fn unavailable(error: &Arc<sqlx::Error>) -> StoreError {
    StoreError::Unavailable(Box::new(Arc::clone(error)))
}

/// The engine did not answer in time; whether it committed is unknown.
pub(crate) fn timed_out() -> sqlx::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the database did not answer in time").into()
}

/// The engine is unreachable, locked or full: any other write would fail too.
pub(crate) fn is_outage(error: &sqlx::Error) -> bool {
    use sqlx::Error;
    match error {
        Error::Database(cause) => matches!(code(&**cause), Code::Outage | Code::Locked),
        Error::Io(_)
        | Error::Tls(_)
        | Error::Protocol(_)
        | Error::PoolTimedOut
        | Error::PoolClosed
        | Error::WorkerCrashed
        | Error::InvalidSavePointStatement
        | Error::BeginFailed => true,
        _ => false,
    }
}

/// Another process holds the SQLite file.
pub(crate) fn is_locked(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(cause) if code(&**cause) == Code::Locked)
}

/// Two transactions conflicted; a retry may succeed.
pub(crate) fn is_serialization_failure(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(cause) if code(&**cause) == Code::Serialization)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    Outage,
    Locked,
    Serialization,
    Damaged,
    Value,
    Other,
}

/// Classifies SQLSTATE (five characters) and SQLite's result codes (a number).
fn code(error: &dyn DatabaseError) -> Code {
    let Some(text) = error.code() else { return Code::Other };
    if text.len() == 5 { sql_state(&text) } else { text.parse().map_or(Code::Other, result_code) }
}

fn sql_state(state: &str) -> Code {
    match state {
        // Serialization failure, deadlock, lock not available.
        "40001" | "40P01" | "55P03" => Code::Serialization,
        // A single statement that took too long.
        "57014" => Code::Other,
        // A read-only server, as after a failover.
        "25006" => Code::Outage,
        _ => match state.get(..2) {
            Some("08" | "53" | "57" | "58") => Code::Outage,
            Some("22") => Code::Value,
            Some("XX") => Code::Damaged,
            _ => Code::Other,
        },
    }
}

fn result_code(extended: u32) -> Code {
    // The low byte is the primary code.
    match extended & 0xff {
        // BUSY, LOCKED.
        5 | 6 => Code::Locked,
        // NOMEM, READONLY, IOERR, FULL, CANTOPEN.
        7 | 8 | 10 | 13 | 14 => Code::Outage,
        // CORRUPT, NOTADB.
        11 | 26 => Code::Damaged,
        // TOOBIG.
        18 => Code::Value,
        _ => Code::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreachable_or_full_engine_is_an_outage() {
        for state in ["08006", "53100", "57P01", "58030", "25006"] {
            assert_eq!(sql_state(state), Code::Outage, "{state}");
        }
        for code in [8, 10, 4874, 13, 14] {
            assert_eq!(result_code(code), Code::Outage, "{code}");
        }
    }

    #[test]
    fn an_invalid_statement_is_no_outage() {
        for state in ["23505", "22021", "42P01", "57014", "40P01"] {
            assert_ne!(sql_state(state), Code::Outage, "{state}");
        }
        for code in [1, 19, 787, 2067] {
            assert_ne!(result_code(code), Code::Outage, "{code}");
        }
    }
}
