//! Remote fillers that answer two HTTP calls: a quote for an ask, and a notice that an order of theirs is deposited.
//! They fill, refund and claim on the chains by themselves.

mod ask;
mod authenticator;
pub mod check;
mod client;
mod config;
mod executor;
mod filler;
mod openapi;
pub mod protocol;
mod read_answer;
mod secret;
#[cfg(feature = "server")]
pub mod server;

pub use authenticator::{AuthError, RequestAuthenticator, SignedRequest};
pub use config::{RemoteConfig, RemoteError};
pub use executor::RemoteExecutor;
pub use filler::RemoteFiller;
pub use openapi::openapi;
#[cfg(any(test, fuzzing))]
pub(crate) use read_answer::read_answer;
pub use secret::{DEADLINE, NONCE, SIGNATURE, Secret, SecretError, TIMESTAMP, WINDOW_SECONDS};
