use std::collections::HashMap;
use std::time::{Duration, Instant};

use alloy_primitives::{U128, keccak256};
use alloy_rpc_types_eth::Filter;

/// How long a filter lives that nobody polls.
const LIFETIME: Duration = Duration::from_mins(5);
/// The most filters at once; the one that was polled longest ago makes room.
const CAPACITY: usize = 1_000;

/// What a filter tells.
#[derive(Clone, Debug)]
pub(crate) enum Interest {
    Logs(Box<Filter>),
    Blocks,
    Pending,
}

#[derive(Debug)]
struct Installed {
    interest: Interest,
    mark: u64,
    polled: Instant,
}

/// The filters that clients poll. A filter is a mark in the chain's list of happenings, so that one costs
/// nothing while blocks are made.
#[derive(Debug, Default)]
pub(crate) struct Filters {
    installed: HashMap<U128, Installed>,
    count: u64,
}

impl Filters {
    /// Installs a filter that tells what happens after `mark`, and names it.
    pub(crate) fn install(&mut self, interest: Interest, mark: u64, chain_id: u64, now: Instant) -> U128 {
        self.expire(now);
        if self.installed.len() >= CAPACITY {
            let oldest = self.installed.iter().min_by_key(|(_, filter)| filter.polled).map(|(id, _)| *id);
            if let Some(id) = oldest {
                self.installed.remove(&id);
            }
        }
        self.count += 1;
        // Names that look like a node's, and that differ between chains and between filters.
        let mut seed = chain_id.to_be_bytes().to_vec();
        seed.extend_from_slice(&self.count.to_be_bytes());
        seed.extend_from_slice(&std::process::id().to_be_bytes());
        let mut name = [0; 16];
        name.copy_from_slice(&keccak256(seed)[..16]);
        // A number in hex has no leading zero, and a name always the same length.
        let id = U128::from_be_bytes(name) | U128::ONE << 127;
        self.installed.insert(id, Installed { interest, mark, polled: now });
        id
    }

    /// A filter's interest and mark, for as long as it lives.
    pub(crate) fn poll(&mut self, id: U128, now: Instant) -> Option<(Interest, u64)> {
        self.expire(now);
        let filter = self.installed.get_mut(&id)?;
        filter.polled = now;
        Some((filter.interest.clone(), filter.mark))
    }

    /// The filter has told everything before `mark`.
    pub(crate) fn advance(&mut self, id: U128, mark: u64) {
        if let Some(filter) = self.installed.get_mut(&id) {
            filter.mark = mark;
        }
    }

    pub(crate) fn uninstall(&mut self, id: U128) -> bool {
        self.installed.remove(&id).is_some()
    }

    fn expire(&mut self, now: Instant) {
        self.installed.retain(|_, filter| now.duration_since(filter.polled) <= LIFETIME);
    }
}
