use std::time::{SystemTime, UNIX_EPOCH};

use super::Node;
use crate::solana::config::SolanaError;
use crate::solana::ledger::{Landing, MAX_AGE};

/// The most slots that one command may pass.
const MAX_ADVANCE: u64 = 100_000;

impl Node {
    /// Closes the open slot, keeps it, and opens the next with the transactions that waited for it.
    pub(crate) fn tick(&mut self) {
        self.next_slot();
        self.ledger.tell_programs();
        self.land_waiting();
    }

    fn land_waiting(&mut self) {
        let slot = self.ledger.slots.open().slot;
        for _ in 0..self.waiting.len() {
            let Some(waiting) = self.waiting.pop_front() else { break };
            if waiting.from > slot {
                self.waiting.push_back(waiting);
            } else if let Landing::Rejected(error) = self.ledger.land(&waiting.transaction) {
                let signature = waiting.transaction.signature();
                tracing::debug!(%signature, %error, "a transaction never landed");
            }
        }
    }

    fn next_slot(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.closed(&self.ledger, self.ahead);
        }
        let time = self.now();
        self.ledger.next_slot(time);
    }

    /// Passes slots at once.
    pub(crate) fn advance(&mut self, slots: u64) -> Result<u64, SolanaError> {
        if slots > MAX_ADVANCE {
            let message = format!("{slots} slots are too many at once: pass at most {MAX_ADVANCE}");
            return Err(SolanaError::Refused(message));
        }
        for _ in 0..slots {
            self.next_slot();
            if !self.waiting.is_empty() {
                self.ledger.tell_programs();
                self.land_waiting();
            }
        }
        self.ledger.tell_programs();
        Ok(self.ledger.slots.open().slot)
    }

    /// Passes so many blocks that no transaction signed until now can land any more, the waiting ones
    /// included.
    pub(crate) fn expire_blockhashes(&mut self) -> u64 {
        for _ in 0..=MAX_AGE {
            self.next_slot();
        }
        self.ledger.tell_programs();
        self.waiting.retain(|waiting| self.ledger.check_age(&waiting.transaction).is_ok());
        self.ledger.slots.open().slot
    }

    /// Opens a slot at the given time; later slots follow from there.
    pub(crate) fn set_time(&mut self, time: i64) -> Result<u64, SolanaError> {
        let newest = self.ledger.slots.open().time;
        if time < newest {
            let message = format!("the chain is at {newest} already and time does not run backwards");
            return Err(SolanaError::Refused(message));
        }
        self.ahead = time.saturating_sub(machine_time());
        self.tick();
        Ok(self.ledger.slots.open().slot)
    }

    pub(super) fn now(&self) -> i64 {
        machine_time().saturating_add(self.ahead)
    }

    /// Puts everything on the disk; nothing happens on this chain afterwards.
    pub(crate) fn stop(&mut self) {
        if let Some(journal) = &mut self.journal {
            journal.closed(&self.ledger, self.ahead);
            journal.stop(&self.ledger, self.ahead);
        }
        self.stopped = true;
    }
}

pub(super) fn machine_time() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
