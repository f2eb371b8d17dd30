//! The operator commands, over the operator API of a service.

mod client;

pub(crate) use client::{OperatorArgs, OperatorClient, run_operator_command};
