use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::options::Timing;

/// How long a paused chain sleeps.
const PAUSED_SLEEP: Duration = Duration::from_hours(1);

/// A chain's clock: block timestamps, and when the next block is due.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Seconds by which the chain is ahead of (or behind) real time.
    offset: i64,
    /// The next block's timestamp, if it was set.
    next: Option<u64>,
    paused: bool,
    last_block: Instant,
    last_activity: Option<Instant>,
}

impl Clock {
    /// A clock that continues from the newest block's timestamp.
    pub(crate) fn new(head: u64) -> Self {
        let offset = i64::try_from(head.saturating_sub(now())).unwrap_or(i64::MAX);
        Self { offset, next: None, paused: false, last_block: Instant::now(), last_activity: None }
    }

    /// The timestamp of a block made now on a parent with the given timestamp.
    ///
    /// Several blocks may be made in one second, and share it, as they do on chains with short blocks.
    pub(crate) fn timestamp(&self, parent: u64) -> u64 {
        self.next.unwrap_or_else(|| now().saturating_add_signed(self.offset)).max(parent)
    }

    /// Records that a block was made; time continues from its timestamp.
    pub(crate) fn block_made(&mut self, timestamp: u64, at: Instant) {
        if self.next.take().is_some() {
            self.set_offset(timestamp);
        }
        self.last_block = at;
    }

    /// Sets the timestamp of the next block.
    pub(crate) fn set_next(&mut self, timestamp: u64) {
        self.next = Some(timestamp);
    }

    /// Moves the chain's time ahead.
    pub(crate) fn increase(&mut self, seconds: u64) {
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        self.offset = self.offset.saturating_add(seconds);
        self.next = self.next.map(|next| next.saturating_add_signed(seconds));
    }

    fn set_offset(&mut self, timestamp: u64) {
        let (now, then) = (i64::try_from(now()), i64::try_from(timestamp));
        self.offset = then.unwrap_or(i64::MAX).saturating_sub(now.unwrap_or(i64::MAX));
    }

    pub(crate) fn pause(&mut self, paused: bool) {
        self.paused = paused;
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.paused
    }

    pub(crate) fn mark_active(&mut self, at: Instant) {
        self.last_activity = Some(at);
    }

    /// How long until the next block, when the first waiting transaction is ready at `ready`.
    pub(crate) fn due_in(&self, timing: &Timing, ready: Option<Instant>, at: Instant) -> Duration {
        if self.paused {
            return PAUSED_SLEEP;
        }
        let active =
            self.last_activity.is_some_and(|mark_active| at.duration_since(mark_active) < timing.active_for);
        let empty = self.last_block + if active { timing.active } else { timing.idle };
        let full = ready.map(|ready| (ready + timing.gather).max(self.last_block + timing.spacing));
        full.map_or(empty, |full| full.min(empty)).saturating_duration_since(at)
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
