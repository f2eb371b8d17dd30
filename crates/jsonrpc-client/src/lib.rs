#![doc = include_str!("../README.md")]

mod agreement;
mod config;
mod dialect;
mod endpoint;
mod error;
mod fault;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod health;
mod http;
mod outcome;
mod pool;
mod rate_limiter;
mod split;
mod url;
mod wire;

pub use agreement::{Disagreement, agreed, median, prevailing};
pub use config::{EndpointConfig, PoolConfig};
pub use dialect::{Dialect, ErrorKind};
pub use endpoint::EndpointStatus;
pub use error::{PoolError, SetupError};
pub use http::Http;
pub use pool::{EndpointAnswer, Pool};
pub use url::{RpcUrl, RpcUrlError};
pub use wire::{Call, ErrorObject, shorten};
