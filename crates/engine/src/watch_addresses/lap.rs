use std::time::Duration;

use causeway_domain::RowKey;
use tokio::time::Instant;

/// How many blocks the first lap reaches back for what brought something.
const FIRST_LOOK: u64 = 64;

/// A way past all addresses of one kind, as many looks long as it takes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lap {
    began: Option<Instant>,
    /// The block as of which it began.
    block: u64,
    is_on: bool,
    /// The last address that had its turn.
    pub(super) after: Option<RowKey>,
    /// Whether an address could not be looked at.
    pub(super) has_gap: bool,
    /// The block as of which the last lap without a gap began.
    seen: Option<u64>,
}

impl Lap {
    /// Goes on, or begins anew where it is time for that; `false` where nothing is to be looked at now.
    pub(super) fn go_on(&mut self, every: Duration, block: u64) -> bool {
        if !self.is_on && self.began.is_none_or(|then| then.elapsed() >= every) {
            *self =
                Self { began: Some(Instant::now()), block, is_on: true, seen: self.seen, ..Self::default() };
        }
        self.is_on
    }

    pub(super) fn end(&mut self) {
        self.is_on = false;
        if !self.has_gap {
            self.seen = Some(self.block);
        }
    }

    /// The first block in which something may have come that no lap has seen.
    pub(super) fn from(&self) -> u64 {
        self.seen.unwrap_or_else(|| self.block.saturating_sub(FIRST_LOOK)).saturating_add(1)
    }
}
