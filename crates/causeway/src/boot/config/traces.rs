use std::collections::BTreeMap;

use anyhow::ensure;
use serde::{Deserialize, Serialize};

use super::secret::Secret;
use super::web_address::WebAddress;

/// Where traces are sent, by the OpenTelemetry protocol over HTTP.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TracesConfig {
    /// The collector, such as `http://127.0.0.1:4318`; without it nothing is sent.
    pub(crate) endpoint: Option<WebAddress>,
    pub(crate) service_name: String,
    /// Such as `authorization`.
    pub(crate) headers: BTreeMap<String, Secret>,
    /// The share of traces that is sent.
    pub(crate) sample_ratio: f64,
}

impl Default for TracesConfig {
    fn default() -> Self {
        Self {
            endpoint: None,
            service_name: "causeway".to_owned(),
            headers: BTreeMap::new(),
            sample_ratio: 1.0,
        }
    }
}

impl TracesConfig {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        ensure!((0.0..=1.0).contains(&self.sample_ratio), "traces.sample_ratio is a number from 0 to 1");
        Ok(())
    }
}
