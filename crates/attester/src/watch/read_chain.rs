use std::sync::Arc;
use std::time::Instant;

use causeway_domain::Terms;
use causeway_domain::ports::{Care, ChainContracts, ChainError, ChainView, FinalBlock, Sighting};

use super::Desk;
use crate::attester::Attester;
use crate::contracts::admit;
use crate::journal::Note;

/// How many quiet blocks may be read again after a restart.
const FORGETTABLE: u64 = 500;

/// Reads a chain's final blocks as they come, for ever.
pub(super) async fn read_chain(
    attester: Attester,
    view: Arc<dyn ChainView>,
    contracts: ChainContracts,
    desk: Arc<Desk>,
) {
    let poll = attester.0.config.poll;
    let noted = attester.0.ledger.read_to(contracts.chain);
    let mut reader = Reader {
        next: noted.map_or(contracts.from_block, |block| block.saturating_add(1)),
        noted: noted.unwrap_or(0),
        attester,
        view,
        contracts,
        desk,
    };
    loop {
        let look = reader.advance().await;
        if let Err(error) = &look {
            tracing::warn!(%error, "a chain could not be watched");
        }
        reader.attester.0.pulse.beat(reader.contracts.chain, look.as_ref().copied());
        tokio::time::sleep(poll).await;
    }
}

struct Reader {
    attester: Attester,
    view: Arc<dyn ChainView>,
    contracts: ChainContracts,
    desk: Arc<Desk>,
    /// The first block that was not read.
    next: u64,
    /// The last block that is known to have been read after a restart.
    noted: u64,
}

impl Reader {
    async fn advance(&mut self) -> Result<FinalBlock, ChainError> {
        let newest = self.view.final_block(Care::Usual).await?;
        while self.next <= newest.number {
            let to = newest.number.min(self.next.saturating_add(self.view.span().saturating_sub(1)));
            match self.view.sightings(&self.contracts, self.next, to).await {
                Ok(sightings) => {
                    self.take(sightings, to);
                    self.next = to.saturating_add(1);
                }
                Err(error @ ChainError::Refused(..)) => self.skip(newest.number, error).await?,
                Err(error) => return Err(error),
            }
        }
        self.desk.list().time(self.contracts.chain.get(), newest.time, Instant::now());
        self.desk.news.notify_one();
        Ok(newest)
    }

    /// Goes on at the first block whose logs the chain still has. Orders from before it are signed about when asked.
    async fn skip(&mut self, newest: u64, error: ChainError) -> Result<(), ChainError> {
        let (mut gone, mut kept) = (self.next, newest);
        if self.has_logs(gone).await? || !self.has_logs(kept).await? {
            return Err(error);
        }
        while kept - gone > 1 {
            let middle = gone.midpoint(kept);
            if self.has_logs(middle).await? {
                kept = middle;
            } else {
                gone = middle;
            }
        }
        let (chain, from) = (self.contracts.chain, self.next);
        tracing::warn!(%chain, from, to = gone, "the chain no longer has the logs of these blocks");
        self.next = kept;
        Ok(())
    }

    async fn has_logs(&self, block: u64) -> Result<bool, ChainError> {
        match self.view.sightings(&self.contracts, block, block).await {
            Ok(_) => Ok(true),
            Err(ChainError::Refused(..)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn take(&mut self, sightings: Vec<Sighting>, to: u64) {
        let mut notes = Vec::new();
        {
            let (mut list, now) = (self.desk.list(), Instant::now());
            for sighting in sightings {
                match sighting {
                    Sighting::Opened(terms) if self.concerns(&terms) => {
                        list.opened(&terms, now);
                        notes.push(Note::Opened(terms));
                    }
                    Sighting::Opened(_) => {}
                    Sighting::Filled(order) => list.filled(&order, now),
                    Sighting::Ended(order) => {
                        if list.ended(&order) {
                            notes.push(Note::Ended(order));
                        }
                    }
                }
            }
        }
        if !notes.is_empty() || to.saturating_sub(self.noted) >= FORGETTABLE {
            notes.push(Note::Read { chain: self.contracts.chain, block: to });
            match self.attester.0.ledger.note(notes) {
                Ok(()) => self.noted = to,
                Err(error) => tracing::error!(%error, "what was seen could not be kept"),
            }
        }
    }

    /// Whether there will be something to sign.
    fn concerns(&self, terms: &Terms) -> bool {
        let signed = self.attester.attestation(&terms.id()).is_some();
        !signed && admit(&self.attester.0.config.contracts, terms).is_ok()
    }
}
