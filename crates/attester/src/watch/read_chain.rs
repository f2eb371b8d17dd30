use std::sync::Arc;
use std::time::Instant;

use causeway_domain::IntentTerms;
use causeway_domain::ports::{
    ChainContracts, ChainError, ChainView, FinalBlock, FinalityTier, ObservedEvent,
};

use super::WatchState;
use crate::attester::Attester;
use crate::contracts::known_chains;
use crate::journal::JournalEntry;

/// How many blocks without events may be read again after a restart.
const MAX_UNRECORDED_BLOCKS: u64 = 500;

/// Reads a chain's final blocks as they come, until cancelled.
pub(super) async fn read_chain(
    attester: Attester,
    view: Arc<dyn ChainView>,
    contracts: ChainContracts,
    state: Arc<WatchState>,
) {
    let poll_interval = attester.0.config.poll;
    let recorded = attester.0.ledger.read_to(contracts.chain);
    let mut reader = Reader {
        next: recorded.map_or(contracts.from_block, |block| block.saturating_add(1)),
        recorded: recorded.unwrap_or(0),
        attester,
        view,
        contracts,
        state,
    };
    loop {
        let poll = reader.advance().await;
        if let Err(error) = &poll {
            tracing::warn!(chain = %reader.contracts.chain, %error, "chain poll failed");
        }
        reader.attester.0.health_tracker.record(reader.contracts.chain, poll.as_ref().copied());
        tokio::time::sleep(poll_interval).await;
    }
}

struct Reader {
    attester: Attester,
    view: Arc<dyn ChainView>,
    contracts: ChainContracts,
    state: Arc<WatchState>,
    /// The first block that was not read.
    next: u64,
    /// The last block that the journal records as read.
    recorded: u64,
}

impl Reader {
    async fn advance(&mut self) -> Result<FinalBlock, ChainError> {
        let newest = self.view.final_block(FinalityTier::Standard).await?;
        while self.next <= newest.number {
            let to = newest.number.min(self.next.saturating_add(self.view.span().saturating_sub(1)));
            match self.view.observed_events(&self.contracts, self.next, to).await {
                Ok(observed_events) => {
                    self.process(observed_events, to);
                    self.next = to.saturating_add(1);
                }
                Err(error @ ChainError::Refused(..)) => self.skip_pruned(newest.number, error).await?,
                Err(error) => return Err(error),
            }
        }
        self.state.list.lock().advance_time(self.contracts.chain.get(), newest.time, Instant::now());
        self.state.wake.notify_one();
        Ok(newest)
    }

    /// Continues at the first block whose logs the chain still has. Orders opened before it are only signed on request.
    async fn skip_pruned(&mut self, newest: u64, error: ChainError) -> Result<(), ChainError> {
        let (mut last_pruned, mut first_available) = (self.next, newest);
        if self.has_logs(last_pruned).await? || !self.has_logs(first_available).await? {
            return Err(error);
        }
        while first_available - last_pruned > 1 {
            let middle = last_pruned.midpoint(first_available);
            if self.has_logs(middle).await? {
                first_available = middle;
            } else {
                last_pruned = middle;
            }
        }
        let (chain, from) = (self.contracts.chain, self.next);
        tracing::warn!(%chain, from, to = last_pruned, "logs pruned by the chain, blocks skipped");
        self.next = first_available;
        Ok(())
    }

    async fn has_logs(&self, block: u64) -> Result<bool, ChainError> {
        match self.view.observed_events(&self.contracts, block, block).await {
            Ok(_) => Ok(true),
            Err(ChainError::Refused(..)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn process(&mut self, observed_events: Vec<ObservedEvent>, to: u64) {
        let mut entries = Vec::new();
        {
            let (mut list, now) = (self.state.list.lock(), Instant::now());
            for sighting in observed_events {
                match sighting {
                    ObservedEvent::Opened(terms) if self.is_relevant(&terms) => {
                        if list.opened(&terms, now) {
                            entries.push(JournalEntry::Opened(terms));
                        }
                    }
                    ObservedEvent::Opened(_) => {}
                    ObservedEvent::Filled(order) => list.filled(&order, now),
                    ObservedEvent::Ended(order) => {
                        if list.ended(&order) {
                            entries.push(JournalEntry::Ended(order));
                        }
                    }
                }
            }
        }
        if !entries.is_empty() || to.saturating_sub(self.recorded) >= MAX_UNRECORDED_BLOCKS {
            entries.push(JournalEntry::Read { chain: self.contracts.chain, block: to });
            match self.attester.0.ledger.record(entries) {
                Ok(()) => self.recorded = to,
                Err(error) => tracing::error!(%error, "journal write failed, events not recorded"),
            }
        }
    }

    /// Whether this attester will have an outcome to sign.
    fn is_relevant(&self, terms: &IntentTerms) -> bool {
        let signed = self.attester.attestation(&terms.id()).is_some();
        !signed && known_chains(&self.attester.0.config.contracts, terms).is_ok()
    }
}
