use std::collections::HashMap;

use causeway_domain::ChainId;
use parking_lot::RwLock;

/// How many orders each of the recent claims had, by origin chain.
#[derive(Debug, Default)]
pub struct ClaimSizes(RwLock<HashMap<ChainId, Vec<u32>>>);

impl ClaimSizes {
    /// Sets the sizes for one origin chain.
    pub fn set(&self, origin: ChainId, sizes: Vec<u32>) {
        self.0.write().insert(origin, sizes);
    }

    /// Reads the sizes for one origin chain; none if none were set.
    pub(super) fn read<T>(&self, origin: ChainId, read: impl FnOnce(&[u32]) -> T) -> T {
        read(self.0.read().get(&origin).map(Vec::as_slice).unwrap_or_default())
    }
}
