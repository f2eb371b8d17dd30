use std::path::PathBuf;
use std::time::Duration;

/// When a chain makes its blocks.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// How long a transaction waits for company before its block is made.
    pub gather: Duration,
    /// The least time between two blocks.
    pub spacing: Duration,
    /// The time between empty blocks while something happened lately,
    pub active: Duration,
    /// how long that counts as lately,
    pub active_for: Duration,
    /// and the time between empty blocks after that.
    pub idle: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            gather: Duration::from_millis(50),
            spacing: Duration::from_millis(250),
            active: Duration::from_secs(1),
            active_for: Duration::from_mins(1),
            idle: Duration::from_secs(6),
        }
    }
}

/// How a chain is run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder that keeps the chain; without one it lives in memory only.
    pub data_dir: Option<PathBuf>,
    /// Begin anew even if the folder has a chain.
    pub fresh: bool,
    pub timing: Timing,
    /// The base fee never falls under this; zero is EIP-1559 to the letter.
    pub min_base_fee: u64,
    /// Take legacy transactions that any chain would take, as deterministic deployers sign them.
    pub allow_unprotected: bool,
}
