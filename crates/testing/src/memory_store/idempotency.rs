use async_trait::async_trait;
use causeway_domain::ports::{IdempotencyStore, KeptAnswer, KeyUse, KeyedRequest, StoreError};
use jiff::Timestamp;

use super::MemoryStore;

#[async_trait]
impl IdempotencyStore for MemoryStore {
    async fn claim_request(
        &self,
        request: &KeyedRequest,
        abandoned_before: Timestamp,
        expired_before: Timestamp,
    ) -> Result<KeyUse, StoreError> {
        self.call("claim_request")?;
        let mut all = self.keyed_requests.lock().unwrap();
        let known = all.get(&request.key).filter(|(known, answer)| {
            let is_lost = answer.is_none() && known.request == request.request && known.at < abandoned_before;
            known.at >= expired_before && !is_lost
        });
        let usage = match known {
            None => KeyUse::Claimed,
            Some((known, _)) if known.request != request.request => KeyUse::OtherRequest,
            Some((_, Some(answer))) => KeyUse::Answered(answer.clone()),
            Some((_, None)) => KeyUse::InProgress,
        };
        if usage == KeyUse::Claimed {
            all.insert(request.key, (*request, None));
        }
        Ok(usage)
    }

    async fn keep_answer(&self, request: &KeyedRequest, answer: &KeptAnswer) -> Result<(), StoreError> {
        self.call("keep_answer")?;
        let mut all = self.keyed_requests.lock().unwrap();
        if let Some((known, kept)) = all.get_mut(&request.key)
            && known.attempt == request.attempt
        {
            kept.get_or_insert_with(|| answer.clone());
        }
        Ok(())
    }

    async fn release_request(&self, request: &KeyedRequest) -> Result<(), StoreError> {
        self.call("release_request")?;
        let mut all = self.keyed_requests.lock().unwrap();
        if all
            .get(&request.key)
            .is_some_and(|(known, kept)| known.attempt == request.attempt && kept.is_none())
        {
            all.remove(&request.key);
        }
        Ok(())
    }
}
