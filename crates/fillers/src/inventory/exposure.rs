use std::collections::HashMap;

use causeway_domain::{ChainId, UsdAmount};
use parking_lot::RwLock;

/// The USD value filled and not yet claimed, by origin chain.
#[derive(Debug, Default)]
pub struct Unclaimed(RwLock<HashMap<ChainId, UsdAmount>>);

impl Unclaimed {
    /// Sets the value for one origin chain.
    pub fn set(&self, origin: ChainId, amount: UsdAmount) {
        self.0.write().insert(origin, amount);
    }

    /// The value for one origin chain; zero if none was set.
    pub fn get(&self, origin: ChainId) -> UsdAmount {
        let amounts = self.0.read();
        amounts.get(&origin).copied().unwrap_or(UsdAmount::from_cents(causeway_domain::RawAmount::ZERO))
    }
}
