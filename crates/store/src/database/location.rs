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

/// A PostgreSQL URL whose secrets are never printed. It may name several servers, of which the one that takes writes is used.
#[derive(Clone)]
pub struct PostgresUrl {
    /// At least one.
    hosts: Vec<PgConnectOptions>,
    must_be_primary: bool,
}

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
    #[error("a parameter behind the `?` of the PostgreSQL address is unknown; known are {}, {}", KNOWN_PARAMETERS.join(", "), SESSION)]
    Parameter,
    #[error("`target_session_attrs` of the PostgreSQL address is read-write or primary: the service writes")]
    Session,
}

/// Which server is used; the driver does not know this parameter.
const SESSION: &str = "target_session_attrs";

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
    /// How each of its servers is reached.
    pub(crate) fn hosts(&self) -> &[PgConnectOptions] {
        &self.hosts
    }

    /// Whether standbys are left out, which there are where there are several servers.
    pub(crate) const fn must_be_primary(&self) -> bool {
        self.must_be_primary
    }
}

/// Takes the parameter that the driver does not know out of a URL.
fn take_session(text: &str) -> Result<(String, bool), AddressError> {
    let Some((place, query)) = text.split_once('?') else { return Ok((text.to_owned(), false)) };
    let (mut kept, mut is_given) = (Vec::new(), false);
    for pair in query.split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        match (key, value) {
            (SESSION, "read-write" | "primary") => is_given = true,
            (SESSION, _) => return Err(AddressError::Session),
            (key, _) if KNOWN_PARAMETERS.contains(&key) => kept.push(pair),
            _ => return Err(AddressError::Parameter),
        }
    }
    let mark = if kept.is_empty() { "" } else { "?" };
    Ok((format!("{place}{mark}{}", kept.join("&")), is_given))
}

/// The URL once for each of its servers, which commas separate.
fn of_each_host(text: &str) -> Result<Vec<String>, AddressError> {
    let (scheme, rest) = text.split_once("://").ok_or(AddressError::Scheme)?;
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (user, hosts) = authority.rsplit_once('@').map_or(("", authority), |(user, hosts)| (user, hosts));
    if !hosts.contains(',') {
        return Ok(vec![text.to_owned()]);
    }
    let at = if user.is_empty() { "" } else { "@" };
    let one = |host: &str| {
        let is_named = !host.is_empty() && !host.starts_with(':');
        is_named.then(|| format!("{scheme}://{user}{at}{host}{path}")).ok_or(AddressError::Form)
    };
    hosts.split(',').map(one).collect()
}

impl FromStr for PostgresUrl {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(AddressError::Scheme);
        }
        let (text, is_given) = take_session(text)?;
        let hosts = of_each_host(&text)?.into_iter().map(|one| one.parse().map_err(|_| AddressError::Form));
        let hosts: Vec<PgConnectOptions> = hosts.collect::<Result<_, _>>()?;
        Ok(Self { must_be_primary: is_given || hosts.len() > 1, hosts })
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.hosts.first() else { return Ok(()) };
        let user = first.get_username();
        let places = self.hosts.iter().map(|host| format!("{}:{}", host.get_host(), host.get_port()));
        let places: Vec<String> = places.collect();
        write!(f, "{user}@{}/{}", places.join(","), first.get_database().unwrap_or(user))
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
    fn several_servers_are_named_as_libpq_has_them() {
        let url =
            parse("postgres://ann:hunter2@db1,db2.example:5433,10.0.0.3:5434/swaps?sslmode=require").unwrap();
        assert_eq!(url.to_string(), "ann@db1:5432,db2.example:5433,10.0.0.3:5434/swaps");
        assert!(url.must_be_primary() && url.hosts().iter().all(|host| host.get_database() == Some("swaps")));
        let one = parse("postgres://ann@db1/swaps").unwrap();
        assert!(!one.must_be_primary() && one.hosts().len() == 1);
        for session in ["read-write", "primary"] {
            let one =
                parse(&format!("postgres://ann@db1/swaps?{SESSION}={session}&sslmode=require")).unwrap();
            assert!(one.must_be_primary() && one.hosts().len() == 1);
        }
        let plain = parse("postgres://db1,db2/swaps").unwrap();
        assert_eq!(plain.hosts().len(), 2);
    }

    #[test]
    fn a_rejected_address_is_not_repeated() {
        for (text, expected) in [
            ("postgres://ann:hunter2@db1,,db2/x", AddressError::Form),
            ("postgres://ann:hunter2@db1,:5433/x", AddressError::Form),
            ("postgres://ann:hunter2@db/x?target_session_attrs=standby", AddressError::Session),
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
