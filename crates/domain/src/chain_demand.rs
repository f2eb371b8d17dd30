use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::RwLock;

use crate::ChainId;

/// Which chains have pending work; idle chains are polled less often.
#[derive(Debug, Default)]
pub struct ChainDemand(RwLock<HashMap<ChainId, Instant>>);

impl ChainDemand {
    /// Records that the chain is awaited for that long.
    pub fn wait_for(&self, chain: ChainId, duration: Duration) {
        let Some(until) = Instant::now().checked_add(duration) else { return };
        let mut chains = self.0.write();
        let known = chains.entry(chain).or_insert(until);
        *known = until.max(*known);
    }

    pub fn is_awaited(&self, chain: ChainId) -> bool {
        let chains = self.0.read();
        chains.get(&chain).is_some_and(|until| Instant::now() < *until)
    }
}

/// How often idle chains are polled.
#[derive(Clone, Debug)]
pub struct IdlePolling {
    pub demand: Arc<ChainDemand>,
    /// The time between two polls.
    pub interval: Duration,
}

impl IdlePolling {
    /// Whether the chain can be skipped, given the time since its last poll.
    pub fn should_skip(&self, chain: ChainId, since: Duration) -> bool {
        since < self.interval && !self.demand.is_awaited(chain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    #[test]
    fn an_idle_chain_is_skipped_until_its_interval_has_passed() {
        let chain = |id| ChainId::new(id).unwrap();
        let idle_polling = IdlePolling { demand: Arc::default(), interval: Duration::from_secs(2) };
        assert!(idle_polling.should_skip(chain(1), Duration::ZERO));
        assert!(!idle_polling.should_skip(chain(1), Duration::from_secs(2)));
        idle_polling.demand.wait_for(chain(1), HOUR);
        idle_polling.demand.wait_for(chain(1), Duration::ZERO);
        assert!(
            !idle_polling.should_skip(chain(1), Duration::ZERO),
            "a shorter wait does not end a longer one"
        );
        assert!(idle_polling.should_skip(chain(10), Duration::ZERO));
        idle_polling.demand.wait_for(chain(10), Duration::ZERO);
        assert!(idle_polling.should_skip(chain(10), Duration::ZERO), "the wait is over");
    }
}
