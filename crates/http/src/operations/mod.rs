pub(crate) mod get_metrics;
pub(crate) mod get_status;
pub(crate) mod healthz;
pub(crate) mod readyz;
