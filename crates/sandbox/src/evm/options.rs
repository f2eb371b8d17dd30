use std::path::PathBuf;
use std::time::Duration;

/// When a chain makes its blocks.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// How long a transaction waits for others before its block is made.
    pub gather: Duration,
    /// The minimum time between two blocks.
    pub spacing: Duration,
    /// The time between empty blocks while the chain is active.
    pub active: Duration,
    /// How long the chain counts as active after activity.
    pub active_for: Duration,
    /// The time between empty blocks on an idle chain.
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

/// Options of a chain.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder that stores the chain; without one it is in memory only.
    pub data_dir: Option<PathBuf>,
    /// Start from genesis even if the folder has a chain.
    pub fresh: bool,
    pub timing: Timing,
    /// The minimum base fee, with which the chain starts; zero follows EIP-1559 exactly.
    pub min_base_fee: u64,
    /// The tip suggested without recent transactions; one gwei unless set.
    pub tip: Option<u128>,
    /// Accept legacy transactions without a chain id, as deterministic deployers sign them.
    pub allow_unprotected: bool,
}
