use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior};

/// Turns that come at once and then `every` so often; one that took long delays the rest instead of hurrying them.
pub(crate) fn turns(every: Duration) -> Interval {
    let mut turns = tokio::time::interval(every);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    turns
}
