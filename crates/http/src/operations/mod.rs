pub(crate) mod get_metrics;
pub(crate) mod get_status;
pub(crate) mod healthz;
mod process;
pub(crate) mod readyz;
mod state_gauges;
