use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{ClaimBatch, ClaimBatchPut, ClaimBatchStore, StoreError};
use causeway_domain::{ChainId, IntentTerms};
use jiff::Timestamp;

use super::MemoryStore;

fn has(batch: &ClaimBatch, order: B256) -> bool {
    batch.orders.iter().map(IntentTerms::id).any(|id| id == order)
}

#[async_trait]
impl ClaimBatchStore for MemoryStore {
    async fn put_batch(&self, batch: &ClaimBatch) -> Result<ClaimBatchPut, StoreError> {
        self.call("put_batch")?;
        let mut batches = self.claim_batches.lock().unwrap();
        if batches.iter().any(|known| known.id == batch.id) {
            return Ok(ClaimBatchPut::Written);
        }
        let ids = batch.orders.iter().map(IntentTerms::id);
        let taken: Vec<_> = ids.filter(|id| batches.iter().any(|known| has(known, *id))).collect();
        if !taken.is_empty() {
            return Ok(ClaimBatchPut::Taken(taken));
        }
        batches.push(batch.clone());
        Ok(ClaimBatchPut::Written)
    }

    async fn put_single_claim(
        &self,
        filler: &str,
        chain: ChainId,
        order: B256,
        _: Timestamp,
    ) -> Result<(), StoreError> {
        self.call("put_single_claim")?;
        let mut claims = self.single_claims.lock().unwrap();
        if !claims.iter().any(|(_, _, known)| *known == order) {
            claims.push((filler.to_owned(), chain, order));
        }
        Ok(())
    }

    async fn batch_of(&self, order: B256) -> Result<Option<ClaimBatch>, StoreError> {
        self.call("batch_of")?;
        Ok(self.claim_batches.lock().unwrap().iter().find(|batch| has(batch, order)).cloned())
    }

    async fn claim_batch(&self, id: B256) -> Result<Option<ClaimBatch>, StoreError> {
        self.call("claim_batch")?;
        Ok(self.claim_batches.lock().unwrap().iter().find(|batch| batch.id == id).cloned())
    }

    async fn dissolve_batch(&self, id: B256) -> Result<(), StoreError> {
        self.call("dissolve_batch")?;
        for batch in self.claim_batches.lock().unwrap().iter_mut().filter(|batch| batch.id == id) {
            batch.is_dissolved = true;
        }
        Ok(())
    }

    async fn claim_sizes(&self, filler: &str, chain: ChainId, limit: u32) -> Result<Vec<u32>, StoreError> {
        self.call("claim_sizes")?;
        let batches = self.claim_batches.lock().unwrap();
        let batches = batches.iter().filter(|batch| (batch.filler.as_str(), batch.chain) == (filler, chain));
        let mut sizes: Vec<u32> = batches.map(|batch| u32::try_from(batch.orders.len()).unwrap()).collect();
        let singles = self.single_claims.lock().unwrap();
        sizes.extend(singles.iter().filter(|one| (one.0.as_str(), one.1) == (filler, chain)).map(|_| 1));
        sizes.reverse();
        sizes.truncate(usize::try_from(limit).unwrap());
        Ok(sizes)
    }
}
