use async_trait::async_trait;
use causeway_domain::Address;
use causeway_domain::ports::{
    ApiKey, ApiScope, Integrator, IntegratorStore, KeyRotation, QuoteCount, StoreError,
};
use jiff::Timestamp;

use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::{Plain, corrupt, count, parse, parse_with, read_count, text, time};
use crate::store::Store;

const INTEGRATORS: &str = "SELECT name, scopes, evm_referrer, solana_referrer, fee_bps, quotes_per_day, added_at \
     FROM integrators ORDER BY name";

const KEYS: &str =
    "SELECT id, integrator, hash, made_at, expires_at, revoked_at FROM api_keys ORDER BY made_at, id";

const ADD: &str = "INSERT INTO integrators (name, scopes, evm_referrer, solana_referrer, fee_bps, quotes_per_day, \
     added_at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (name) DO NOTHING";

const ADD_KEY: &str = "INSERT INTO api_keys (id, integrator, hash, made_at, expires_at, revoked_at) \
     VALUES ($1, $2, $3, $4, $5, $6)";

// It changes nothing, and lets rotations of one integrator wait for each other.
const LOCK: &str = "UPDATE integrators SET name = name WHERE name = $1";

const COUNT_VALID: &str = "SELECT COUNT(*) FROM api_keys WHERE integrator = $1 AND revoked_at IS NULL \
     AND (expires_at IS NULL OR expires_at > $2)";

const LET_EXPIRE: &str = "UPDATE api_keys SET expires_at = $3 WHERE integrator = $1 AND revoked_at IS NULL \
     AND (expires_at IS NULL OR expires_at > $3) AND made_at <= $2";

const REVOKE: &str = "UPDATE api_keys SET revoked_at = $2 WHERE integrator = $1 AND revoked_at IS NULL \
     AND ($3 = '' OR id = $3)";

const ADD_QUOTES: &str = "INSERT INTO integrator_quotes (integrator, day, quotes) VALUES ($1, $2, $3) \
     ON CONFLICT (integrator, day) DO UPDATE SET quotes = integrator_quotes.quotes + excluded.quotes";

const QUOTES: &str =
    "SELECT integrator, day, quotes FROM integrator_quotes WHERE day = $1 ORDER BY integrator";

/// A row of `integrators`.
#[derive(Clone)]
struct Row {
    name: String,
    scopes: String,
    evm_referrer: Option<String>,
    solana_referrer: Option<String>,
    fee_bps: i64,
    quotes_per_day: Option<i64>,
    added_at: i64,
}

impl_from_row!(Row { name, scopes, evm_referrer, solana_referrer, fee_bps, quotes_per_day, added_at });

impl Row {
    fn new(integrator: &Integrator) -> Result<Self, StoreError> {
        let scopes: Vec<&str> = integrator.scopes.iter().map(|scope| scope.as_str()).collect();
        let address = |address: Option<Address>| address.map(|address| Plain(address).to_string());
        Ok(Self {
            name: text(&integrator.name),
            scopes: scopes.join(","),
            evm_referrer: address(integrator.evm_referrer),
            solana_referrer: address(integrator.solana_referrer),
            fee_bps: i64::from(integrator.fee_bps),
            quotes_per_day: integrator.quotes_per_day.map(count).transpose()?,
            added_at: integrator.added_at.as_millisecond(),
        })
    }

    fn read(self) -> Result<Integrator, StoreError> {
        let scopes = self.scopes.split(',').filter(|scope| !scope.is_empty());
        let scopes = scopes.map(|scope| parse::<ApiScope>("integrators.scopes", scope));
        let address = |column, text: Option<String>| {
            text.map(|text| parse_with(column, &text, Address::parse_any)).transpose()
        };
        let quota = |quotes| read_count("integrators.quotes_per_day", quotes);
        Ok(Integrator {
            scopes: scopes.collect::<Result<_, _>>()?,
            evm_referrer: address("integrators.evm_referrer", self.evm_referrer)?,
            solana_referrer: address("integrators.solana_referrer", self.solana_referrer)?,
            fee_bps: u16::try_from(self.fee_bps).map_err(|_| corrupt("integrators.fee_bps", self.fee_bps))?,
            quotes_per_day: self.quotes_per_day.map(quota).transpose()?,
            added_at: time("integrators.added_at", self.added_at)?,
            name: self.name,
        })
    }
}

/// A row of `api_keys`.
#[derive(Clone)]
struct KeyRow {
    id: String,
    integrator: String,
    hash: String,
    made_at: i64,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
}

impl_from_row!(KeyRow { id, integrator, hash, made_at, expires_at, revoked_at });

impl KeyRow {
    fn new(key: &ApiKey) -> Self {
        Self {
            id: text(&key.id),
            integrator: text(&key.integrator),
            hash: key.hash.to_string(),
            made_at: key.made_at.as_millisecond(),
            expires_at: key.expires_at.map(Timestamp::as_millisecond),
            revoked_at: key.revoked_at.map(Timestamp::as_millisecond),
        }
    }

    fn read(self) -> Result<ApiKey, StoreError> {
        Ok(ApiKey {
            hash: parse("api_keys.hash", &self.hash)?,
            made_at: time("api_keys.made_at", self.made_at)?,
            expires_at: self.expires_at.map(|at| time("api_keys.expires_at", at)).transpose()?,
            revoked_at: self.revoked_at.map(|at| time("api_keys.revoked_at", at)).transpose()?,
            id: self.id,
            integrator: self.integrator,
        })
    }
}

struct Add {
    integrator: Row,
    key: KeyRow,
}

struct Rotate {
    key: KeyRow,
    old_ends: i64,
}

struct Revoke {
    integrator: String,
    at: i64,
    /// All, if it is empty.
    id: String,
}

struct AddQuotes(Vec<(String, i64, i64)>);

for_each_engine! {
    impl WriteOp<Db> for Add {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let Row { name, scopes, evm_referrer, solana_referrer, fee_bps, quotes_per_day, added_at } =
                &self.integrator;
            let add = sqlx::query(ADD).bind(name).bind(scopes).bind(evm_referrer).bind(solana_referrer);
            let added = add.bind(fee_bps).bind(quotes_per_day).bind(added_at).execute(&mut *connection).await?;
            if added.rows_affected() == 0 {
                return Ok(false);
            }
            let KeyRow { id, integrator, hash, made_at, expires_at, revoked_at } = &self.key;
            let add = sqlx::query(ADD_KEY).bind(id).bind(integrator).bind(hash).bind(made_at);
            add.bind(expires_at).bind(revoked_at).execute(connection).await?;
            Ok(true)
        }
    }

    impl WriteOp<Db> for Rotate {
        type Outcome = KeyRotation;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<KeyRotation, DbError> {
            let KeyRow { id, integrator, hash, made_at, expires_at, revoked_at } = &self.key;
            let known = sqlx::query(LOCK).bind(integrator).execute(&mut *connection).await?;
            if known.rows_affected() == 0 {
                return Ok(KeyRotation::Unknown);
            }
            let valid: i64 =
                sqlx::query_scalar(COUNT_VALID).bind(integrator).bind(made_at).fetch_one(&mut *connection).await?;
            if valid > 1 {
                return Ok(KeyRotation::TwoValid);
            }
            let end = sqlx::query(LET_EXPIRE).bind(integrator).bind(made_at).bind(self.old_ends);
            end.execute(&mut *connection).await?;
            let add = sqlx::query(ADD_KEY).bind(id).bind(integrator).bind(hash).bind(made_at);
            add.bind(expires_at).bind(revoked_at).execute(connection).await?;
            Ok(KeyRotation::Done)
        }
    }

    impl WriteOp<Db> for Revoke {
        type Outcome = u64;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<u64, DbError> {
            let Self { integrator, at, id } = self;
            let revoke = sqlx::query(REVOKE).bind(integrator).bind(at).bind(id);
            Ok(revoke.execute(connection).await?.rows_affected())
        }
    }

    impl WriteOp<Db> for AddQuotes {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            for (integrator, day, quotes) in &self.0 {
                let add = sqlx::query(ADD_QUOTES).bind(integrator).bind(day).bind(quotes);
                add.execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
}

#[async_trait]
impl IntegratorStore for Store {
    async fn integrators(&self) -> Result<Vec<Integrator>, StoreError> {
        let rows: Vec<Row> = on_engine!(self.engine, handles => {
            sqlx::query_as(INTEGRATORS).fetch_all(&handles.readers).await
        })
        .map_err(store_error)?;
        rows.into_iter().map(Row::read).collect()
    }

    async fn api_keys(&self) -> Result<Vec<ApiKey>, StoreError> {
        let rows: Vec<KeyRow> = on_engine!(self.engine, handles => {
            sqlx::query_as(KEYS).fetch_all(&handles.readers).await
        })
        .map_err(store_error)?;
        rows.into_iter().map(KeyRow::read).collect()
    }

    async fn add_integrator(&self, integrator: &Integrator, key: &ApiKey) -> Result<bool, StoreError> {
        self.write(Add { integrator: Row::new(integrator)?, key: KeyRow::new(key) }).await
    }

    async fn rotate_api_key(&self, key: &ApiKey, old_ends: Timestamp) -> Result<KeyRotation, StoreError> {
        self.write(Rotate { key: KeyRow::new(key), old_ends: old_ends.as_millisecond() }).await
    }

    async fn revoke_api_keys(
        &self,
        integrator: &str,
        id: Option<&str>,
        at: Timestamp,
    ) -> Result<u64, StoreError> {
        let (integrator, id) = (text(integrator), text(id.unwrap_or_default()));
        self.write(Revoke { integrator, at: at.as_millisecond(), id }).await
    }

    async fn add_quote_counts(&self, counts: &[QuoteCount]) -> Result<(), StoreError> {
        let row = |one: &QuoteCount| Ok((text(&one.integrator), one.day, count(one.quotes)?));
        let mut rows = counts.iter().map(row).collect::<Result<Vec<_>, StoreError>>()?;
        // Replicas that lock rows in one order do not wait for each other in a circle.
        rows.sort();
        self.write(AddQuotes(rows)).await
    }

    async fn quote_counts(&self, day: i64) -> Result<Vec<QuoteCount>, StoreError> {
        let rows: Vec<(String, i64, i64)> = on_engine!(self.engine, handles => {
            sqlx::query_as(QUOTES).bind(day).fetch_all(&handles.readers).await
        })
        .map_err(store_error)?;
        let read = |(integrator, day, quotes)| {
            Ok(QuoteCount { integrator, day, quotes: read_count("integrator_quotes.quotes", quotes)? })
        };
        rows.into_iter().map(read).collect()
    }
}
