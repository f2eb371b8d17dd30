use std::path::Path;

use anyhow::Context as _;
use causeway_store::Location;
use serde::{Deserialize, Serialize};

use super::secret::Secret;

/// The database.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DatabaseConfig {
    /// `postgres://…`; without it, SQLite in the data folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<Secret>,
}

impl DatabaseConfig {
    pub(crate) fn location(&self, data_dir: &Path) -> anyhow::Result<Location> {
        Ok(match &self.url {
            Some(url) => Location::Postgres(url.reveal().parse().context("database.url cannot be used")?),
            None => Location::Sqlite(data_dir.join("causeway.db")),
        })
    }

    pub(crate) const fn engine(&self) -> &'static str {
        if self.url.is_some() { "postgres" } else { "sqlite" }
    }
}
