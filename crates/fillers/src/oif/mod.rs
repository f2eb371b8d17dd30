//! Solvers of the Open Intents Framework, over its public HTTP interface: Get Quote, Submit Intent, and an order's status.
//! What is deposited lies in our own escrow, as an order that its user opened; the solver fills and claims by itself.

mod address;
mod ask;
mod config;
mod envelope;
mod filler;
mod hand;
mod line;
mod quotes;
mod read_quotes;
mod wire;

pub use config::{ApiKey, ByteForm, OifConfig, OifError, OifPlace};
pub use filler::OifFiller;
pub use hand::OifHand;
