//! From configuration to a running service, in one direction: `config` is what an operator sets, `parts` is what is built from
//! it, `service` assembles all parts. Commands depend on this module; nothing here imports `commands` or `cli`.

pub(crate) mod config;
pub(crate) mod descriptors;
pub(crate) mod doctor;
pub(crate) mod logging;
pub(crate) mod parts;
pub(crate) mod service;
pub(crate) mod signals;
pub(crate) mod traces;
