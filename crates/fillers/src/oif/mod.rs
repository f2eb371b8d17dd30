//! Solvers of the Open Intents Framework, over its public HTTP API: Get Quote, Submit Intent, and an order's status.
//! The deposit lies in our own escrow, as an order that its user opened; the solver fills and claims by itself.

mod address;
mod ask;
mod client;
mod config;
mod envelope;
mod executor;
mod filler;
mod read_quotes;
mod wire;

pub use config::{ApiKey, ByteEncoding, OifConfig, OifContracts, OifError};
pub use executor::OifExecutor;
pub use filler::OifFiller;
