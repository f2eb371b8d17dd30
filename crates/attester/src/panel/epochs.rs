use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy_primitives::Address;
use async_trait::async_trait;
use causeway_domain::ports::{
    AttestationRefusal, AttestationVerifier, Attestations, AttesterRegistry, BatchRefusal, CollectBatchError,
    CollectError, EpochAttesters,
};
use causeway_domain::{
    ChainId, CollectedAttestation, CollectedBatch, IntentTerms, SignedAttestation, SignedBatch,
};
use parking_lot::Mutex;

use super::{Attest, Panel};

/// How long a registry's answer is used. A resignation within this time costs one rejected claim, which is sent again.
const TTL: Duration = Duration::from_secs(15);

/// The attesters of every epoch: an order is attested by the members that the registry of its origin chain has for the order's own
/// epoch, without those that have resigned.
pub struct EpochPanels {
    attesters: BTreeMap<Address, Arc<dyn Attest>>,
    registries: HashMap<ChainId, Arc<dyn AttesterRegistry>>,
    verifier: Arc<dyn AttestationVerifier>,
    known: Mutex<HashMap<(ChainId, u64), (Instant, EpochAttesters)>>,
}

impl fmt::Debug for EpochPanels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EpochPanels({:?})", self.attesters.keys())
    }
}

impl EpochPanels {
    /// `attesters` are all that can be asked, of any epoch; `registries` one for each origin chain.
    pub fn new(
        attesters: impl IntoIterator<Item = (Address, Arc<dyn Attest>)>,
        registries: impl IntoIterator<Item = Arc<dyn AttesterRegistry>>,
        verifier: Arc<dyn AttestationVerifier>,
    ) -> Self {
        Self {
            attesters: attesters.into_iter().collect(),
            registries: registries.into_iter().map(|registry| (registry.chain(), registry)).collect(),
            verifier,
            known: Mutex::default(),
        }
    }

    async fn panel(&self, terms: &IntentTerms) -> Result<Panel, CollectError> {
        let unavailable = || CollectError {
            have: 0,
            need: 1,
            retry: true,
            answers: vec![(Address::ZERO, AttestationRefusal::Unavailable(terms.origin_chain_id))],
        };
        let chain = ChainId::new(terms.origin_chain_id).ok_or_else(unavailable)?;
        let epoch = self.epoch_attesters(chain, terms.epoch).await.ok_or_else(unavailable)?;
        let members = epoch.members.into_iter().map(|member| {
            let attester = self.attesters.get(&member).cloned();
            (member, attester.unwrap_or_else(|| Arc::new(Unlisted)))
        });
        let threshold = NonZeroUsize::new(epoch.threshold).unwrap_or(NonZeroUsize::MIN);
        // The registry keeps at least a threshold of members.
        Panel::new(members, threshold, Arc::clone(&self.verifier)).map_err(|_| unavailable())
    }

    /// What the registry says; while it does not answer, what it said last.
    async fn epoch_attesters(&self, chain: ChainId, epoch: u64) -> Option<EpochAttesters> {
        let known = self.known.lock().get(&(chain, epoch)).cloned();
        if let Some((_, fresh)) = known.as_ref().filter(|(at, _)| at.elapsed() < TTL) {
            return Some(fresh.clone());
        }
        match self.registries.get(&chain)?.epoch_attesters(epoch).await {
            Ok(read) => {
                self.known.lock().insert((chain, epoch), (Instant::now(), read.clone()));
                Some(read)
            }
            Err(error) => {
                tracing::warn!(%chain, epoch, %error, "attester registry could not be read");
                known.map(|(_, last)| last)
            }
        }
    }
}

#[async_trait]
impl Attestations for EpochPanels {
    async fn collect(&self, terms: &IntentTerms) -> Result<CollectedAttestation, CollectError> {
        self.panel(terms).await?.collect(terms).await
    }

    async fn collect_batch(&self, orders: &[IntentTerms]) -> Result<CollectedBatch, CollectBatchError> {
        let nobody = |error: CollectError| CollectBatchError {
            have: 0,
            need: error.need,
            leave_out: Vec::new(),
            answers: error.answers.into_iter().map(|(member, why)| (member, why.into())).collect(),
        };
        match orders.first() {
            Some(first) => self.panel(first).await.map_err(nobody)?.collect_batch(orders).await,
            None => Ok(CollectedBatch { fills: Vec::new(), signatures: Vec::new() }),
        }
    }

    async fn is_available(&self, terms: &IntentTerms) -> bool {
        match self.panel(terms).await {
            Ok(panel) => panel.is_available(terms).await,
            Err(_) => false,
        }
    }
}

/// A member of an epoch whose URL is not configured.
struct Unlisted;

#[async_trait]
impl Attest for Unlisted {
    async fn attest(&self, _: &IntentTerms) -> Result<SignedAttestation, AttestationRefusal> {
        Err(unlisted())
    }

    async fn attest_batch(&self, _: &[IntentTerms]) -> Result<SignedBatch, BatchRefusal> {
        Err(unlisted().into())
    }

    async fn is_ready(&self, _: &IntentTerms) -> bool {
        false
    }
}

fn unlisted() -> AttestationRefusal {
    let words = "its URL is not configured; add it to contracts.other_attesters";
    AttestationRefusal::Unreachable(words.to_owned())
}

#[cfg(test)]
mod tests;
