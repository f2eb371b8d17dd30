use std::time::{SystemTime, UNIX_EPOCH};

use super::Node;
use crate::solana::config::SolanaError;
use crate::solana::ledger::{Landing, MAX_BLOCKHASH_AGE};

/// The limit of slots of one command.
const MAX_ADVANCE: u64 = 100_000;

impl Node {
    /// Closes and stores the open slot, and opens the next with its pending transactions.
    pub(crate) fn tick(&mut self) {
        self.next_slot();
        self.ledger.update_sysvars();
        self.land_pending();
    }

    fn land_pending(&mut self) {
        let slot = self.ledger.slots.open().slot;
        for _ in 0..self.pending.len() {
            let Some(pending) = self.pending.pop_front() else { break };
            if pending.from > slot {
                self.pending.push_back(pending);
            } else if let Landing::Rejected(error) = self.ledger.land(&pending.transaction) {
                let signature = pending.transaction.signature();
                tracing::debug!(%signature, %error, "transaction rejected");
            }
        }
    }

    fn next_slot(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.append_block(&self.ledger, self.ahead);
        }
        let time = self.now();
        self.ledger.next_slot(time);
    }

    /// Advances slots at once.
    pub(crate) fn advance(&mut self, slots: u64) -> Result<u64, SolanaError> {
        if slots > MAX_ADVANCE {
            let message = format!("{slots} slots are too many at once: at most {MAX_ADVANCE}");
            return Err(SolanaError::Refused(message));
        }
        for _ in 0..slots {
            self.next_slot();
            if !self.pending.is_empty() {
                self.ledger.update_sysvars();
                self.land_pending();
            }
        }
        self.ledger.update_sysvars();
        Ok(self.ledger.slots.open().slot)
    }

    /// Advances until no transaction signed so far can land any more, pending ones included.
    pub(crate) fn expire_blockhashes(&mut self) -> u64 {
        for _ in 0..=MAX_BLOCKHASH_AGE {
            self.next_slot();
        }
        self.ledger.update_sysvars();
        self.pending.retain(|pending| self.ledger.check_age(&pending.transaction).is_ok());
        self.ledger.slots.open().slot
    }

    /// Opens a slot at the given time; later slots follow from there.
    pub(crate) fn set_time(&mut self, time: i64) -> Result<u64, SolanaError> {
        let newest = self.ledger.slots.open().time;
        if time < newest {
            let message = format!("the chain is at {newest} already and time does not run backwards");
            return Err(SolanaError::Refused(message));
        }
        self.ahead = time.saturating_sub(system_time());
        self.tick();
        Ok(self.ledger.slots.open().slot)
    }

    pub(super) fn now(&self) -> i64 {
        system_time().saturating_add(self.ahead)
    }

    /// Writes everything to disk and stops the chain.
    pub(crate) fn stop(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.append_block(&self.ledger, self.ahead);
            journal.stop(&self.ledger, self.ahead);
        }
        self.stopped = true;
    }
}

pub(super) fn system_time() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
