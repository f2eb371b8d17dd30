use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior};

/// Ticks at once and then once per period. A late tick delays the following ones instead of causing a burst.
pub(crate) fn ticker(every: Duration) -> Interval {
    let mut ticker = tokio::time::interval(every);
    ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticker
}
