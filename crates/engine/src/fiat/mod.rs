//! Buying with fiat: quotes of providers, orders, their webhooks, and the work that takes a purchase to its end.

mod bell;
mod desk;
mod error;
#[cfg(test)]
mod fake;
mod hubs;
mod offer;
mod order;
mod plan_jump;
mod polling;
mod quote;
mod ramps;
mod refresh;
mod refund_to;
mod sessions;
mod swap_routes;
mod take_webhook;
#[cfg(test)]
mod tests;
mod work;

pub use bell::FiatBell;
pub use desk::FiatDesk;
pub use error::{FiatCode, FiatError, ProviderFault};
pub use hubs::Hubs;
pub use order::{FiatOrderRequest, OrderFiat, OrderFiatOptions, OrderFiatParts};
pub use polling::suggested_interval;
pub use quote::{FiatAnswer, FiatQuoteOptions, FiatQuotes, QuoteFiat, QuoteFiatParts};
pub use ramps::Ramps;
pub use refresh::RefreshFiat;
pub use take_webhook::{TakeWebhook, TakeWebhookParts, WebhookOutcome};
pub use work::{WorkFiat, WorkFiatParts};
