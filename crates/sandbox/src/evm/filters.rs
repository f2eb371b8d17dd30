use std::collections::HashMap;
use std::time::{Duration, Instant};

use alloy_primitives::{U128, keccak256};
use alloy_rpc_types_eth::Filter;

/// How long a filter lives without being polled.
const LIFETIME: Duration = Duration::from_mins(5);
/// The maximum number of filters; the one polled longest ago is evicted.
const CAPACITY: usize = 1_000;

/// What a filter reports.
#[derive(Clone, Debug)]
pub(crate) enum FilterKind {
    Logs(Box<Filter>),
    Blocks,
    Pending,
}

#[derive(Debug)]
struct Installed {
    kind: FilterKind,
    cursor: u64,
    polled: Instant,
}

/// The filters that clients poll. A filter is a cursor in the chain's event list, so that it costs nothing while
/// blocks are made.
#[derive(Debug, Default)]
pub(crate) struct Filters {
    installed: HashMap<U128, Installed>,
    count: u64,
}

impl Filters {
    /// Installs a filter for events after `cursor` and returns its id.
    pub(crate) fn install(&mut self, kind: FilterKind, cursor: u64, chain_id: u64, now: Instant) -> U128 {
        self.expire(now);
        if self.installed.len() >= CAPACITY {
            let oldest = self.installed.iter().min_by_key(|(_, filter)| filter.polled).map(|(id, _)| *id);
            if let Some(id) = oldest {
                self.installed.remove(&id);
            }
        }
        self.count += 1;
        // Ids that look like a node's and differ between chains and filters.
        let mut seed = chain_id.to_be_bytes().to_vec();
        seed.extend_from_slice(&self.count.to_be_bytes());
        seed.extend_from_slice(&std::process::id().to_be_bytes());
        let mut name = [0; 16];
        name.copy_from_slice(&keccak256(seed)[..16]);
        // A hex number has no leading zero, and ids have a fixed length.
        let id = U128::from_be_bytes(name) | U128::ONE << 127;
        self.installed.insert(id, Installed { kind, cursor, polled: now });
        id
    }

    /// A filter's kind and cursor; `None` if it has expired.
    pub(crate) fn poll(&mut self, id: U128, now: Instant) -> Option<(FilterKind, u64)> {
        self.expire(now);
        let filter = self.installed.get_mut(&id)?;
        filter.polled = now;
        Some((filter.kind.clone(), filter.cursor))
    }

    /// Moves a filter's cursor after its events were reported.
    pub(crate) fn advance(&mut self, id: U128, cursor: u64) {
        if let Some(filter) = self.installed.get_mut(&id) {
            filter.cursor = cursor;
        }
    }

    pub(crate) fn uninstall(&mut self, id: U128) -> bool {
        self.installed.remove(&id).is_some()
    }

    fn expire(&mut self, now: Instant) {
        self.installed.retain(|_, filter| now.duration_since(filter.polled) <= LIFETIME);
    }
}
