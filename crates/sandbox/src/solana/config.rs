use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

/// How a Solana chain runs.
#[derive(Clone, Debug)]
pub struct SolanaConfig {
    /// Where blocks are stored; without it the chain is in memory only.
    pub data_dir: Option<PathBuf>,
    /// Discards the chain of an earlier run in the data folder.
    pub fresh: bool,
    /// The time between two slots.
    pub slot_time: Duration,
    /// How many transactions stay readable; older ones are pruned.
    pub history: usize,
    /// Starts without a clock: slots pass only by [`advance`](super::SolanaChain::advance).
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

/// Why a chain could not be opened, or refused a command.
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
