//! Fillers elsewhere that answer two HTTP calls: what they would pay for an ask, and that an order of theirs is deposited.
//! They deliver, give back and claim on the chains by themselves.

mod ask;
pub mod check;
mod config;
mod doorkeeper;
mod filler;
mod hand;
mod line;
mod openapi;
pub mod protocol;
mod read_answer;
mod secret;
#[cfg(feature = "server")]
pub mod server;

pub use config::{RemoteConfig, RemoteError};
pub use doorkeeper::{Call, Doorkeeper, Refused};
pub use filler::RemoteFiller;
pub use hand::RemoteHand;
pub use openapi::openapi;
pub use secret::{DEADLINE, NONCE, SIGNATURE, Secret, SecretError, TIMESTAMP, WINDOW_SECONDS};
