//! The fiat API and the page that embeds a provider's checkout.

pub(crate) mod create_order;
mod encode_webhook_event;
pub(crate) mod force_refresh_limit;
pub(crate) mod get_config;
pub(crate) mod get_order;
pub(crate) mod get_orders;
pub(crate) mod get_providers;
pub(crate) mod get_status;
mod map_order;
mod map_quote;
pub(crate) mod post_quote;
mod read_order_request;
mod read_quote_request;
pub(crate) mod receive_webhook;
mod stream_quotes;
pub(crate) mod wrapper;

pub use encode_webhook_event::encode_purchase_webhook_event;
#[cfg(any(test, fuzzing))]
pub(crate) use {read_order_request::read_order_request, read_quote_request::read_quote_request};
