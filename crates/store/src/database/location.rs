use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;
use thiserror::Error;

/// The location of the database.
#[derive(Clone, Debug)]
pub enum Location {
    /// This file, created if missing.
    Sqlite(PathBuf),
    Postgres(PostgresUrl),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "SQLite at {}", path.display()),
            Self::Postgres(url) => write!(f, "PostgreSQL at {url}"),
        }
    }
}

/// A PostgreSQL URL whose secrets are never printed.
#[derive(Clone)]
pub struct PostgresUrl(Box<PgConnectOptions>);

// No variant repeats the input: it may hold a password in the wrong place.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum AddressError {
    #[error(
        "a PostgreSQL address starts with postgres://, for instance postgres://user:password@host:5432/name"
    )]
    Scheme,
    #[error(
        "the PostgreSQL address cannot be read: write postgres://user:password@host:5432/name, \
         with special characters of the password percent-encoded"
    )]
    Form,
    #[error("a parameter behind the `?` of the PostgreSQL address is unknown; known are {}", KNOWN_PARAMETERS.join(", "))]
    Parameter,
}

/// The driver would log the value of any other parameter.
const KNOWN_PARAMETERS: [&str; 12] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];

impl PostgresUrl {
    pub(crate) fn options(&self) -> PgConnectOptions {
        (*self.0).clone()
    }
}

impl FromStr for PostgresUrl {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(AddressError::Scheme);
        }
        if let Some((_, query)) = text.split_once('?') {
            let mut keys = query.split('&').map(|pair| pair.split('=').next().unwrap_or(pair));
            if !keys.all(|key| KNOWN_PARAMETERS.contains(&key)) {
                return Err(AddressError::Parameter);
            }
        }
        text.parse().map(|options| Self(Box::new(options))).map_err(|_| AddressError::Form)
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (user, host, port) = (self.0.get_username(), self.0.get_host(), self.0.get_port());
        write!(f, "{user}@{host}:{port}/{}", self.0.get_database().unwrap_or(user))
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PostgresUrl, AddressError> {
        text.parse()
    }

    #[test]
    fn a_password_is_never_printed() {
        for text in [
            "postgres://ann:hunter2@db.example:5433/swaps?sslmode=require",
            "postgresql://ann@db.example:5433/swaps?password=hunter2",
        ] {
            let location = Location::Postgres(parse(text).unwrap());
            assert_eq!(location.to_string(), "PostgreSQL at ann@db.example:5433/swaps");
            assert!(!format!("{location:?}").contains("hunter2"));
        }
    }

    #[test]
    fn a_rejected_address_is_not_repeated() {
        for (text, expected) in [
            ("mysql://ann:hunter2@db/x", AddressError::Scheme),
            ("postgres://ann:hunter2@db:port/x", AddressError::Form),
            ("postgres://ann@db/x?pasword=hunter2", AddressError::Parameter),
            ("postgres://ann:hun?ter2@db/x", AddressError::Parameter),
        ] {
            let error = parse(text).unwrap_err();
            assert!(!error.to_string().contains("hunter2") && !error.to_string().contains("ter2@"));
            assert_eq!(error, expected, "{text}");
        }
    }
}
