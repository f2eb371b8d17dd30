use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
pub(crate) struct Table {
    pub(crate) cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) server: Vec<Behaviour>,
    #[serde(default)]
    pub(crate) client: Settings,
    pub(crate) abort: Option<Abort>,
    pub(crate) call: Call,
    pub(crate) expect: Expect,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Abort {
    Before,
    During,
    After,
}

/// How the server handles one request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Behaviour {
    /// For requests of the event stream, which come at no fixed place among the others.
    #[serde(default)]
    pub(crate) events: bool,
    pub(crate) status: Option<u16>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(default, deserialize_with = "present")]
    pub(crate) json: Option<Value>,
    pub(crate) body: Option<String>,
    pub(crate) lines: Option<Vec<String>>,
    pub(crate) chunks: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) pause_ms: u64,
    #[serde(default)]
    pub(crate) end: End,
}

/// Keeps `null` as a value.
fn present<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(reader).map(Some)
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) enum End {
    #[default]
    Clean,
    Break,
    Hang,
    Reset,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Settings {
    #[serde(default)]
    pub(crate) base_path: String,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) qr_host: Option<String>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) api_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) operation: String,
    pub(crate) arguments: Vec<Value>,
    pub(crate) every_ms: Option<u64>,
    pub(crate) retry_after_ms: Option<u64>,
    pub(crate) idempotency_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    #[serde(default, deserialize_with = "present")]
    pub(crate) value: Option<Value>,
    pub(crate) error: Option<ExpectedError>,
    pub(crate) items: Option<Value>,
    pub(crate) statuses: Option<Value>,
    pub(crate) requests: Option<Vec<ExpectedRequest>>,
    #[serde(rename = "withinMs")]
    pub(crate) within_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedError {
    pub(crate) class: String,
    pub(crate) code: String,
    pub(crate) message: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) body: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ExpectedRequest {
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
    #[serde(default)]
    pub(crate) query: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) has_header: Option<String>,
    #[serde(default)]
    pub(crate) lacks_headers: Vec<String>,
    pub(crate) json: Option<Value>,
}
