pub(crate) mod attester;
pub(crate) mod backup;
pub(crate) mod deploy;
pub(crate) mod run_sandbox;
pub(crate) mod serve;
pub(crate) mod show_config;
pub(crate) mod show_openapi;
