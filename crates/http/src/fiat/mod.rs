//! Buying with the money of states: the fiat API and the page around a provider's checkout.

pub(crate) mod create_order;
pub(crate) mod force_limit;
pub(crate) mod get_config;
pub(crate) mod get_order;
pub(crate) mod get_orders;
pub(crate) mod get_providers;
pub(crate) mod get_status;
mod map_order;
mod map_quote;
pub(crate) mod post_quote;
mod read_ask;
mod read_order;
mod stream_quotes;
pub(crate) mod take_webhook;
pub(crate) mod wrapper;
