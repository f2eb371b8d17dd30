//! Middleware of every request.

pub(crate) mod admission;
pub(crate) mod cors;
pub(crate) mod deprecation;
pub(crate) mod envelope;
pub(crate) mod idempotency;
pub(crate) mod observe;
pub(crate) mod rate_limit;
pub(crate) mod request_id;
mod span;
pub(crate) mod timers;
