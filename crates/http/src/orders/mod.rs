mod encode_webhook_event;
pub(crate) mod event_streams;
pub(crate) mod get_deposit_address;
pub(crate) mod get_events;
pub(crate) mod get_order;
pub(crate) mod get_orders;
mod map_order;
mod steps;

pub use encode_webhook_event::encode_webhook_event;
