use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::ChainId;

/// Which chains somebody waits for. Those that nobody waits for need not be looked at as often.
#[derive(Debug, Default)]
pub struct Interest(RwLock<HashMap<ChainId, Instant>>);

impl Interest {
    /// Somebody waits for something on the chain, for so long at most.
    pub fn wait_for(&self, chain: ChainId, lasting: Duration) {
        let Some(until) = Instant::now().checked_add(lasting) else { return };
        let mut chains = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let known = chains.entry(chain).or_insert(until);
        *known = until.max(*known);
    }

    pub fn is_awaited(&self, chain: ChainId) -> bool {
        let chains = self.0.read().unwrap_or_else(PoisonError::into_inner);
        chains.get(&chain).is_some_and(|until| Instant::now() < *until)
    }
}

/// How a chain is looked at while nobody waits for it.
#[derive(Clone, Debug)]
pub struct Leisure {
    pub interest: Arc<Interest>,
    /// The time between two looks.
    pub every: Duration,
}

impl Leisure {
    /// Whether there is no need to look at the chain again, so long after the last look.
    pub fn rests(&self, chain: ChainId, since: Duration) -> bool {
        since < self.every && !self.interest.is_awaited(chain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    #[test]
    fn a_chain_rests_while_nobody_waits_for_it() {
        let chain = |id| ChainId::new(id).unwrap();
        let leisure = Leisure { interest: Arc::default(), every: Duration::from_secs(2) };
        assert!(leisure.rests(chain(1), Duration::ZERO));
        assert!(!leisure.rests(chain(1), Duration::from_secs(2)));
        leisure.interest.wait_for(chain(1), HOUR);
        leisure.interest.wait_for(chain(1), Duration::ZERO);
        assert!(!leisure.rests(chain(1), Duration::ZERO), "a shorter wait ends no longer one");
        assert!(leisure.rests(chain(10), Duration::ZERO));
        leisure.interest.wait_for(chain(10), Duration::ZERO);
        assert!(leisure.rests(chain(10), Duration::ZERO), "the wait is over");
    }
}
