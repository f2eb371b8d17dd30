use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

use alloy_primitives::{Address, B256};
use causeway_domain::{FinalityRule, FinalityTag, IdlePolling};

use crate::blocks::BlockTag;

/// When a block counts as final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finality {
    /// When this many newer blocks exist.
    Depth(u64),
    /// By the chain's own tag, or by depth where the chain does not support it.
    Tag { tag: BlockTag, or_depth: u64 },
}

/// No depth is enough: without the chain's own finality tag nothing is final.
const NO_DEPTH: u64 = u64::MAX;

impl From<FinalityRule> for Finality {
    fn from(rule: FinalityRule) -> Self {
        match rule {
            FinalityRule::Depth(depth) => Self::Depth(depth),
            FinalityRule::Tag { tag, fallback_depth } => {
                let tag = match tag {
                    FinalityTag::Safe => BlockTag::Safe,
                    FinalityTag::Finalized => BlockTag::Finalized,
                };
                Self::Tag { tag, or_depth: fallback_depth.unwrap_or(NO_DEPTH) }
            }
        }
    }
}

/// Where the follower begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the newest block.
    Head,
    /// At this block.
    From(u64),
    /// After the last of these blocks: the newest that were processed before, oldest first.
    After(Vec<(u64, B256)>),
}

/// Configuration of a follower.
#[derive(Clone, Debug)]
pub struct FollowConfig {
    /// The contracts whose logs are read.
    pub addresses: Vec<Address>,
    pub start: Start,
    /// Finality levels, weakest first. Events name a level by its index; the last is also compared between endpoints.
    pub levels: Vec<Finality>,
    pub poll: Duration,
    /// Slower polling while nobody needs the chain, if configured.
    pub idle_polling: Option<IdlePolling>,
    /// The pause between two polls for the next block while somebody waits for the chain; `poll` if not configured.
    pub awaited_poll: Option<Duration>,
    /// How many recent blocks are kept; a deeper reorg halts the follower.
    pub keep: NonZeroUsize,
    /// The maximum block range of one log query while catching up.
    pub range: NonZeroU64,
    /// How many blocks that are not final are read in one request.
    pub step: NonZeroU64,
}

impl FollowConfig {
    /// The default limits for these contracts, from the newest block on.
    pub fn new(addresses: Vec<Address>, levels: Vec<Finality>) -> Self {
        Self {
            addresses,
            start: Start::Head,
            levels,
            poll: Duration::from_secs(1),
            idle_polling: None,
            awaited_poll: None,
            keep: NonZeroUsize::MIN.saturating_add(1_023),
            range: NonZeroU64::MIN.saturating_add(999),
            step: NonZeroU64::MIN.saturating_add(31),
        }
    }
}
