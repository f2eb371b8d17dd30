use causeway_domain::fiat::FiatEvent;
use causeway_domain::ports::StoreError;

use super::{key, parse, text, time};

/// A row of `fiat_events`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FiatEventRecord {
    pub(crate) row_key: i64,
    pub(crate) order_id: String,
    pub(crate) status: Option<String>,
    pub(crate) detail: String,
    pub(crate) happened_at: i64,
}

impl_from_row!(FiatEventRecord { row_key, order_id, status, detail, happened_at });

impl From<&FiatEvent> for FiatEventRecord {
    fn from(event: &FiatEvent) -> Self {
        Self {
            row_key: event.key.get(),
            order_id: event.order.to_string(),
            status: event.status.map(|status| status.as_str().to_owned()),
            detail: text(&event.detail),
            happened_at: event.at.as_millisecond(),
        }
    }
}

impl FiatEventRecord {
    pub(crate) fn into_event(self) -> Result<FiatEvent, StoreError> {
        Ok(FiatEvent {
            key: key("fiat_events.row_key", self.row_key)?,
            order: parse("fiat_events.order_id", &self.order_id)?,
            status: self.status.map(|status| parse("fiat_events.status", &status)).transpose()?,
            detail: self.detail,
            at: time("fiat_events.happened_at", self.happened_at)?,
        })
    }
}
