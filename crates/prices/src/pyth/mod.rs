//! Prices of Pyth, over the HTTP interface of Hermes.

mod reader;
mod wire;

pub use reader::{PythConfig, PythReader};
