use causeway_domain::RowKey;
use causeway_domain::ports::{EndpointSource, StoreError, SubjectKind, WebhookEndpoint, WebhookSecret};
use sqlx::AssertSqlSafe;

use super::tables::Tables;
use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::{key, parse, text, time};
use crate::store::Store;

/// A row of `webhook_endpoints` without its cursor.
pub(super) struct EndpointRecord {
    name: String,
    url: String,
    secrets: String,
    integrator: Option<String>,
    about: String,
    source: String,
    enabled: i64,
    since: i64,
    created_at: i64,
}

impl_from_row!(EndpointRecord { name, url, secrets, integrator, about, source, enabled, since, created_at });

const ALL: &str = "SELECT name, url, secrets, integrator, about, source, enabled, since, created_at \
     FROM webhook_endpoints ORDER BY name";

// The table is small, so it needs no index.
fn cursor(kind: SubjectKind) -> AssertSqlSafe<String> {
    let Tables { read_to, receives, .. } = Tables::of(kind);
    AssertSqlSafe(format!("SELECT MIN({read_to}) FROM webhook_endpoints WHERE enabled = 1 AND {receives}"))
}

const ADD: &str = "INSERT INTO webhook_endpoints (name, url, secrets, integrator, source, enabled, since, created_at, \
     read_to, purchases_read_to, about) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $7, $7, $9) \
     ON CONFLICT (name) DO NOTHING";

const CHANGE: &str = "UPDATE webhook_endpoints SET url = $1, secrets = $2, integrator = $3, source = $4, enabled = $5, \
     about = $6 WHERE name = $7";

const REMOVE: &str = "DELETE FROM webhook_endpoints WHERE name = $1";

pub(super) struct Add(pub(super) EndpointRecord);

pub(super) struct Change(pub(super) EndpointRecord);

pub(super) struct Remove(pub(super) String);

impl From<&WebhookEndpoint> for EndpointRecord {
    fn from(endpoint: &WebhookEndpoint) -> Self {
        // Secrets hold no whitespace.
        let secrets: Vec<_> = endpoint.secrets.iter().map(WebhookSecret::reveal).collect();
        Self {
            name: endpoint.name.to_string(),
            url: text(&endpoint.url),
            secrets: secrets.join("\n"),
            integrator: endpoint.integrator.as_deref().map(text),
            about: endpoint.about.as_str().to_owned(),
            source: endpoint.source.as_str().to_owned(),
            enabled: i64::from(endpoint.enabled),
            since: endpoint.since.get(),
            created_at: endpoint.created_at.as_millisecond(),
        }
    }
}

impl EndpointRecord {
    fn into_endpoint(self) -> Result<WebhookEndpoint, StoreError> {
        let secret = |line: &str| {
            line.parse().map_err(|_| {
                StoreError::Corrupt("webhook_endpoints.secrets holds no valid secret".to_owned())
            })
        };
        let unknown = || StoreError::Corrupt(format!("webhook_endpoints.source holds `{}`", self.source));
        Ok(WebhookEndpoint {
            secrets: self.secrets.lines().map(secret).collect::<Result<_, _>>()?,
            source: EndpointSource::parse(&self.source).ok_or_else(unknown)?,
            name: parse("webhook_endpoints.name", &self.name)?,
            url: self.url,
            integrator: self.integrator,
            about: parse("webhook_endpoints.about", &self.about)?,
            enabled: self.enabled != 0,
            since: key("webhook_endpoints.since", self.since)?,
            created_at: time("webhook_endpoints.created_at", self.created_at)?,
        })
    }
}

for_each_engine! {
    impl WriteOp<Db> for Add {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let row = &self.0;
            let added = sqlx::query(ADD)
                .bind(&row.name)
                .bind(&row.url)
                .bind(&row.secrets)
                .bind(&row.integrator)
                .bind(&row.source)
                .bind(row.enabled)
                .bind(row.since)
                .bind(row.created_at)
                .bind(&row.about)
                .execute(connection)
                .await?;
            Ok(added.rows_affected() == 1)
        }
    }

    impl WriteOp<Db> for Change {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let row = &self.0;
            let changed = sqlx::query(CHANGE)
                .bind(&row.url)
                .bind(&row.secrets)
                .bind(&row.integrator)
                .bind(&row.source)
                .bind(row.enabled)
                .bind(&row.about)
                .bind(&row.name)
                .execute(connection)
                .await?;
            Ok(changed.rows_affected() == 1)
        }
    }

    impl WriteOp<Db> for Remove {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let removed = sqlx::query(REMOVE).bind(&self.0).execute(connection).await?;
            Ok(removed.rows_affected() == 1)
        }
    }
}

impl Store {
    pub(super) async fn read_endpoints(&self) -> Result<Vec<WebhookEndpoint>, StoreError> {
        let rows: Result<Vec<EndpointRecord>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(ALL).fetch_all(&handles.readers).await
        });
        rows.map_err(store_error)?.into_iter().map(EndpointRecord::into_endpoint).collect()
    }

    pub(super) async fn read_webhook_cursor(&self, kind: SubjectKind) -> Result<Option<RowKey>, StoreError> {
        let cursor: Result<Option<i64>, _> = on_engine!(self.engine, handles => {
            sqlx::query_scalar(cursor(kind)).fetch_one(&handles.readers).await
        });
        cursor.map_err(store_error)?.map(|cursor| key("webhook_endpoints.read_to", cursor)).transpose()
    }
}
