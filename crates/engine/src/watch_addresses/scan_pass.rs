use std::time::Duration;

use causeway_domain::RowKey;
use tokio::time::Instant;

/// How many blocks the first pass searches back for the transaction of a payment.
const FIRST_PASS_BLOCKS: u64 = 64;

/// One pass over all addresses of a kind, spread over as many scans as it takes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScanPass {
    started: Option<Instant>,
    /// The block at which it started.
    block: u64,
    is_running: bool,
    /// The last address that was scanned.
    pub(super) after: Option<RowKey>,
    /// Whether an address could not be scanned.
    pub(super) has_gap: bool,
    /// The block at which the last complete pass started.
    covered: Option<u64>,
}

impl ScanPass {
    /// Resumes the pass, or starts the next one when it is due; `false` when nothing is to be scanned now.
    pub(super) fn resume(&mut self, every: Duration, block: u64) -> bool {
        if !self.is_running && self.started.is_none_or(|then| then.elapsed() >= every) {
            *self = Self {
                started: Some(Instant::now()),
                block,
                is_running: true,
                covered: self.covered,
                ..Self::default()
            };
        }
        self.is_running
    }

    pub(super) fn end(&mut self) {
        self.is_running = false;
        if !self.has_gap {
            self.covered = Some(self.block);
        }
    }

    /// The first block that no complete pass has covered.
    pub(super) fn from(&self) -> u64 {
        self.covered.unwrap_or_else(|| self.block.saturating_sub(FIRST_PASS_BLOCKS)).saturating_add(1)
    }
}
