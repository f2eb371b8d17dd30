//! Traces by the OpenTelemetry protocol, OTLP as JSON over HTTP.
//!
//! The crates mark what belongs to a trace with ordinary spans of the target [`TARGET`]; [`layer::TraceLayer`] gives them
//! ids and [`export`] sends them. Nothing of it runs unless an address is configured.

mod context;
mod export;
mod layer;
mod otlp;
mod settings;

pub(crate) use context::traceparent;
pub(crate) use export::Traces;
pub(crate) use settings::TraceSettings;

/// The target of every span that is part of a trace.
pub(crate) const TARGET: &str = "causeway::trace";
