use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use causeway_domain::{ChainId, UsdAmount};

/// The USD value filled and not yet claimed, by origin chain.
#[derive(Debug, Default)]
pub struct Unclaimed(RwLock<HashMap<ChainId, UsdAmount>>);

impl Unclaimed {
    /// Sets the value for one origin chain.
    pub fn set(&self, origin: ChainId, amount: UsdAmount) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(origin, amount);
    }

    /// The value for one origin chain; zero if none was set.
    pub fn get(&self, origin: ChainId) -> UsdAmount {
        let amounts = self.0.read().unwrap_or_else(PoisonError::into_inner);
        amounts.get(&origin).copied().unwrap_or(UsdAmount::from_cents(causeway_domain::RawAmount::ZERO))
    }
}
