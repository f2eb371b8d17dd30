use async_trait::async_trait;
use causeway_domain::ports::{Attempt, Outbox, OutboxPut, Outgoing, OutgoingEnd, StoreError};
use causeway_domain::{Address, ChainId};
use jiff::Timestamp;

use super::MemoryStore;

impl MemoryStore {
    /// Every signed transaction, oldest first.
    pub fn outgoing(&self) -> Vec<Outgoing> {
        self.outbox.lock().unwrap().clone()
    }
}

fn is_alive(row: &Outgoing) -> bool {
    row.end != Some(OutgoingEnd::Superseded)
}

#[async_trait]
impl Outbox for MemoryStore {
    async fn put(&self, outgoing: &Outgoing) -> Result<OutboxPut, StoreError> {
        self.call("put")?;
        let mut rows = self.outbox.lock().unwrap();
        let same_purpose = rows
            .iter()
            .find(|row| row.chain == outgoing.chain && row.purpose == outgoing.purpose && is_alive(row));
        if let Some(existing) = same_purpose {
            return Ok(OutboxPut::Existing(Box::new(existing.clone())));
        }
        let key = |row: &Outgoing| (row.chain, row.signer, row.nonce);
        if rows.iter().any(|row| key(row) == key(outgoing)) {
            return Ok(OutboxPut::NonceTaken);
        }
        rows.push(outgoing.clone());
        Ok(OutboxPut::Written)
    }

    async fn add_attempt(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
        attempt: &Attempt,
    ) -> Result<(), StoreError> {
        self.call("add_attempt")?;
        let mut rows = self.outbox.lock().unwrap();
        let row = rows.iter_mut().find(|row| (row.chain, row.signer, row.nonce) == (chain, signer, nonce));
        match row {
            Some(row) if row.end.is_none() => {
                if !row.attempts.contains(attempt) {
                    row.attempts.push(attempt.clone());
                }
                Ok(())
            }
            _ => Err(StoreError::Conflict("the transaction has ended")),
        }
    }

    async fn for_purpose(&self, chain: ChainId, purpose: &str) -> Result<Option<Outgoing>, StoreError> {
        self.call("for_purpose")?;
        let rows = self.outbox.lock().unwrap();
        let mine = |row: &&Outgoing| row.chain == chain && row.purpose == purpose && is_alive(row);
        Ok(rows.iter().find(mine).cloned())
    }

    async fn open(&self, chain: ChainId, signer: Address) -> Result<Vec<Outgoing>, StoreError> {
        self.call("open")?;
        let rows = self.outbox.lock().unwrap();
        let mine = |row: &&Outgoing| row.chain == chain && row.signer == signer && row.end.is_none();
        let mut open: Vec<Outgoing> = rows.iter().filter(mine).cloned().collect();
        open.sort_by_key(|row| row.nonce);
        Ok(open)
    }

    async fn signed_since(
        &self,
        chain: ChainId,
        signer: Address,
        since: Timestamp,
    ) -> Result<Vec<Outgoing>, StoreError> {
        self.call("signed_since")?;
        let rows = self.outbox.lock().unwrap();
        let mine = rows.iter().filter(|row| row.chain == chain && row.signer == signer);
        let recent = mine.filter_map(|row| {
            let attempts: Vec<Attempt> =
                row.attempts.iter().filter(|attempt| attempt.made_at >= since).cloned().collect();
            (!attempts.is_empty()).then(|| Outgoing { attempts, ..row.clone() })
        });
        Ok(recent.collect())
    }

    async fn highest_nonce(&self, chain: ChainId, signer: Address) -> Result<Option<u64>, StoreError> {
        self.call("highest_nonce")?;
        let rows = self.outbox.lock().unwrap();
        let mine = rows.iter().filter(|row| row.chain == chain && row.signer == signer);
        Ok(mine.map(|row| row.nonce).max())
    }

    async fn end(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
        end: OutgoingEnd,
    ) -> Result<bool, StoreError> {
        self.call("end")?;
        let mut rows = self.outbox.lock().unwrap();
        let mut is_first = false;
        for row in rows.iter_mut() {
            if (row.chain, row.signer, row.nonce) == (chain, signer, nonce) && row.end.is_none() {
                row.end = Some(end);
                is_first = true;
            }
        }
        Ok(is_first)
    }

    async fn unknown_below(&self, chain: ChainId, signer: Address) -> Result<Option<u64>, StoreError> {
        self.call("unknown_below")?;
        Ok(self.unknown_below.lock().unwrap().get(&(chain, signer)).copied())
    }

    async fn record_unknown_below(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
    ) -> Result<(), StoreError> {
        self.call("record_unknown_below")?;
        let mut recorded = self.unknown_below.lock().unwrap();
        let below = recorded.entry((chain, signer)).or_default();
        *below = nonce.max(*below);
        Ok(())
    }

    async fn forget_unknown_below(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
    ) -> Result<(), StoreError> {
        self.call("forget_unknown_below")?;
        self.unknown_below.lock().unwrap().retain(|key, below| *key != (chain, signer) || *below > nonce);
        Ok(())
    }
}
