use serde::{Deserialize, Serialize};

/// Information about the running service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub name: String,
    pub version: String,
    /// `sandbox` or `production`.
    pub mode: String,
    pub started_at: String,
    pub chains: usize,
    pub tokens: usize,
    /// `sqlite` or `postgres`.
    pub store: String,
    pub ready: bool,
}
