use serde::{Deserialize, Serialize};

/// Information about the running service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The name of the software.
    pub name: String,
    /// The version of the software.
    pub version: String,
    /// `sandbox` or `production`.
    pub mode: String,
    /// When it was started, in ISO 8601 (UTC).
    pub started_at: String,
    /// How many chains are enabled.
    pub chains: usize,
    /// How many tokens the catalog has.
    pub tokens: usize,
    /// `sqlite` or `postgres`.
    pub store: String,
    /// Whether the service can answer quotes.
    pub ready: bool,
}
