#![doc = include_str!("../README.md")]

pub mod amounts;
pub mod attempts;
pub mod banxa;
pub mod coinbase;
pub mod conformance;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod http;
pub mod moonpay;
pub mod offering_cache;
pub mod sandbox;
pub mod secret;
pub mod signature;
#[cfg(feature = "standin")]
pub mod standin;
pub mod transak;
pub mod transport;
