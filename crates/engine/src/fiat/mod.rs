//! Buying with fiat: providers' quotes, orders, provider webhooks, and the worker that completes purchases.

mod error;
#[cfg(test)]
pub(crate) mod fake;
mod hubs;
mod offer;
mod order;
mod plan_forwarding;
mod polling;
mod quote;
mod ramp_health;
mod ramps;
mod receive_webhook;
mod refresh;
mod refund_to;
mod services;
mod sessions;
mod signal;
mod swap_routes;
#[cfg(test)]
mod tests;
mod work;

pub use error::{FaultCode, FiatCode, FiatError, ProviderFault};
pub use hubs::Hubs;
pub use order::{FiatOrderRequest, OrderFiat, OrderFiatOptions, OrderFiatParts};
pub use polling::suggested_interval;
pub use quote::{FiatAnswer, FiatQuoteOptions, FiatQuotes, QuoteFiat, QuoteFiatParts, QuotedPurchase};
pub use ramp_health::{RampFault, RampHealth};
pub use ramps::Ramps;
pub use receive_webhook::{ReceiveWebhook, ReceiveWebhookParts, WebhookOutcome};
pub use refresh::RefreshFiat;
pub use services::FiatServices;
pub use signal::FiatSignal;
pub use work::{WorkFiat, WorkFiatParts};
