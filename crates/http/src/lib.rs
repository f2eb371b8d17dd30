#![doc = include_str!("../README.md")]

mod app;
mod caching;
mod chains;
mod deposits;
mod error;
mod explorer;
mod extract;
mod fiat;
mod fillers;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod guides;
mod hub;
mod intents;
mod mapping;
mod metrics;
mod middleware;
mod openapi;
mod operations;
mod operator;
mod orders;
mod page;
mod pages;
mod qr;
mod quotes;
mod router;
mod serve;
mod slots;
mod tokens;
mod versions;
mod widget;

pub use app::{ApiKeys, App, Options};
pub use fiat::encode_purchase_webhook_event;
pub use fiat::force_refresh_limit::ForceRefreshLimit;
pub use metrics::Metrics;
pub use middleware::rate_limit::{RateLimit, RateLimits};
pub use openapi::document as openapi;
pub use operations::readyz::Readiness;
pub use operator::{OperatorRole, OperatorServices, OperatorToken, OperatorTokens};
pub use orders::encode_webhook_event;
pub use orders::event_streams::{EventStreams, StreamLimits};
pub use orders::known_orders::KnownOrders;
pub use router::{metrics_router, router};
pub use serve::{ConnectionLimits, serve};

/// The largest request body of the API.
pub(crate) const BODY_LIMIT: usize = 64 * 1024;
