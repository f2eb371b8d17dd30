use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

use alloy_primitives::{Address, B256};
use causeway_domain::Leisure;

use crate::blocks::BlockTag;

/// When a block counts as settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finality {
    /// Under this many newer blocks.
    Depth(u64),
    /// By the chain's own word, or by depth where it has none.
    Tag { tag: BlockTag, or_depth: u64 },
}

/// Where following begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the newest block there is.
    Head,
    /// At this block.
    From(u64),
    /// After the last of these, the newest blocks that were processed before, oldest first.
    After(Vec<(u64, B256)>),
}

/// What is followed and how carefully.
#[derive(Clone, Debug)]
pub struct FollowConfig {
    /// The contracts whose logs are read.
    pub addresses: Vec<Address>,
    pub start: Start,
    /// Each level is reported by its place in this list; the last is also compared between endpoints.
    pub levels: Vec<Finality>,
    pub poll: Duration,
    /// How the chain is looked at while nobody waits for it, if otherwise.
    pub leisure: Option<Leisure>,
    /// How many recent blocks are remembered; a reorg that reaches below them halts.
    pub keep: NonZeroUsize,
    /// How many settled blocks one request for logs may span while catching up.
    pub range: NonZeroU64,
    /// How many unsettled blocks are read in one request.
    pub step: NonZeroU64,
}

impl FollowConfig {
    /// The usual limits for these contracts, from the newest block on.
    pub fn new(addresses: Vec<Address>, levels: Vec<Finality>) -> Self {
        Self {
            addresses,
            start: Start::Head,
            levels,
            poll: Duration::from_secs(1),
            leisure: None,
            keep: NonZeroUsize::MIN.saturating_add(1_023),
            range: NonZeroU64::MIN.saturating_add(999),
            step: NonZeroU64::MIN.saturating_add(31),
        }
    }
}
