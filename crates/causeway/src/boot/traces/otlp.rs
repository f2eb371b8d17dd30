use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};

use super::context::{SpanId, TraceId};

/// The longest text of an attribute.
const MAX_TEXT: usize = 1_024;

/// The value of an attribute.
pub(super) enum Value {
    Bool(bool),
    Integer(i64),
    Text(String),
}

#[derive(Clone, Copy, Default)]
pub(super) enum SpanKind {
    #[default]
    Internal,
    Server,
    Client,
}

impl SpanKind {
    pub(super) fn of(text: &str) -> Self {
        match text {
            "server" => Self::Server,
            "client" => Self::Client,
            _ => Self::Internal,
        }
    }

    /// The number of the protocol.
    const fn number(self) -> u8 {
        match self {
            Self::Internal => 1,
            Self::Server => 2,
            Self::Client => 3,
        }
    }
}

/// What was logged within a span.
pub(super) struct SpanEvent {
    pub(super) at: SystemTime,
    pub(super) name: String,
    pub(super) attributes: Vec<(&'static str, Value)>,
}

pub(super) struct EndedSpan {
    pub(super) trace: TraceId,
    pub(super) id: SpanId,
    pub(super) parent: Option<SpanId>,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    pub(super) began: SystemTime,
    pub(super) ended: SystemTime,
    pub(super) attributes: Vec<(&'static str, Value)>,
    pub(super) events: Vec<SpanEvent>,
    pub(super) link: Option<(TraceId, SpanId)>,
    pub(super) error: Option<String>,
}

/// The body of `POST /v1/traces`.
pub(super) fn body(service: &str, spans: &[EndedSpan]) -> Json {
    let resource = json!({ "attributes": [
        attribute("service.name", &Value::Text(service.to_owned())),
        attribute("service.version", &Value::Text(env!("CARGO_PKG_VERSION").to_owned())),
    ] });
    let scope = json!({ "name": "causeway", "version": env!("CARGO_PKG_VERSION") });
    let spans: Vec<Json> = spans.iter().map(span).collect();
    json!({ "resourceSpans": [{ "resource": resource, "scopeSpans": [{ "scope": scope, "spans": spans }] }] })
}

fn span(span: &EndedSpan) -> Json {
    let mut json = json!({
        "traceId": span.trace.to_string(),
        "spanId": span.id.to_string(),
        "name": span.name,
        "kind": span.kind.number(),
        "startTimeUnixNano": nanoseconds(span.began),
        "endTimeUnixNano": nanoseconds(span.ended),
        "attributes": attributes(&span.attributes),
        "events": span.events.iter().map(event).collect::<Vec<_>>(),
    });
    if let Some(parent) = span.parent {
        json["parentSpanId"] = json!(parent.to_string());
    }
    if let Some((trace, span)) = span.link {
        json["links"] = json!([{ "traceId": trace.to_string(), "spanId": span.to_string() }]);
    }
    if let Some(error) = &span.error {
        json["status"] = json!({ "code": 2, "message": shortened(error) });
    }
    json
}

fn event(event: &SpanEvent) -> Json {
    json!({
        "timeUnixNano": nanoseconds(event.at),
        "name": shortened(&event.name),
        "attributes": attributes(&event.attributes),
    })
}

fn attributes(attributes: &[(&'static str, Value)]) -> Vec<Json> {
    attributes.iter().map(|(name, value)| attribute(name, value)).collect()
}

fn attribute(name: &str, value: &Value) -> Json {
    // The protocol's JSON has 64-bit integers as text.
    let value = match value {
        Value::Bool(value) => json!({ "boolValue": value }),
        Value::Integer(value) => json!({ "intValue": value.to_string() }),
        Value::Text(text) => json!({ "stringValue": shortened(text) }),
    };
    json!({ "key": name, "value": value })
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

/// As text, because the numbers exceed what JSON numbers hold exactly.
fn nanoseconds(at: SystemTime) -> String {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos()).to_string()
}
