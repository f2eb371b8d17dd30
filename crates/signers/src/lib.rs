#![doc = include_str!("../README.md")]

pub mod aws;
pub mod gcp;
mod guarded;
mod http;
pub mod keystore;
mod limited;
mod remote;
mod secp256k1;

#[cfg(test)]
mod conformance;

pub use guarded::Guarded;
pub use limited::{Limited, SignerCounts, SigningPolicy, SpendingRecord, Spent};
pub use remote::RemoteSigner;
