use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

/// How a Solana chain runs.
#[derive(Clone, Debug)]
pub struct SolanaConfig {
    /// Where blocks are kept; without it the chain lives in memory only.
    pub data_dir: Option<PathBuf>,
    /// Forgets what an earlier run left in the data folder.
    pub fresh: bool,
    /// The time between two slots.
    pub slot_time: Duration,
    /// How many transactions stay readable; older ones are forgotten.
    pub history: usize,
    /// Starts without ticking: slots come by [`advance`](super::SolanaChain::advance) only.
    pub paused: bool,
}

impl Default for SolanaConfig {
    fn default() -> Self {
        Self {
            data_dir: None,
            fresh: false,
            slot_time: Duration::from_millis(400),
            history: 10_000,
            paused: false,
        }
    }
}

/// Why a chain could not be opened or would not do as it was told.
#[derive(Debug, Error)]
pub enum SolanaError {
    #[error("cannot use the chain's file {path}: {source}")]
    File { path: PathBuf, source: std::io::Error },
    #[error("the chain's file {path} is not one of this version: {reason}; start fresh to replace it")]
    Journal { path: PathBuf, reason: String },
    #[error("account {address} cannot be stored: {reason}")]
    Account { address: String, reason: String },
    #[error("{0}")]
    Refused(String),
    #[error("the chain has stopped")]
    Stopped,
}
