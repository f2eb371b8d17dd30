//! Pyth prices over the Hermes HTTP API.

mod reader;
mod wire;

pub use reader::{PythConfig, PythReader};
