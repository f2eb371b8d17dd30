use causeway_domain::ports::StoreError;
use causeway_domain::{EventKind, OrderEvent};

use super::{corrupt, key, parse, text, time};

/// A row of `events`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventRecord {
    pub(crate) row_key: i64,
    pub(crate) order_id: String,
    pub(crate) kind: String,
    /// Set when the event is about a status.
    pub(crate) status: Option<String>,
    pub(crate) detail: String,
    pub(crate) happened_at: i64,
}

impl_from_row!(EventRecord { row_key, order_id, kind, status, detail, happened_at });

const STATUS: &str = "status";
const NOTE: &str = "note";

impl From<&OrderEvent> for EventRecord {
    fn from(event: &OrderEvent) -> Self {
        let (kind, status) = match &event.kind {
            EventKind::Status(status) => (STATUS, Some(status.as_str().to_owned())),
            EventKind::Note => (NOTE, None),
        };
        Self {
            row_key: event.key.get(),
            order_id: event.order.to_string(),
            kind: kind.to_owned(),
            status,
            detail: text(&event.detail),
            happened_at: event.at.as_millisecond(),
        }
    }
}

impl EventRecord {
    pub(crate) fn into_event(self) -> Result<OrderEvent, StoreError> {
        let kind = match (self.kind.as_str(), self.status) {
            (STATUS, Some(status)) => EventKind::Status(parse("events.status", &status)?),
            (NOTE, None) => EventKind::Note,
            (kind, _) => return Err(corrupt("events.kind", kind)),
        };
        Ok(OrderEvent {
            key: key("events.row_key", self.row_key)?,
            order: parse("events.order_id", &self.order_id)?,
            kind,
            detail: self.detail,
            at: time("events.happened_at", self.happened_at)?,
        })
    }
}
