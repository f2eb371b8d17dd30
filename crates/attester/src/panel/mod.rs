//! Collecting signatures from several attesters.

mod collect;
mod collect_batch;
mod epochs;
mod http_attester;

use async_trait::async_trait;
use causeway_domain::ports::{AttestationRefusal, BatchRefusal};
use causeway_domain::{IntentTerms, SignedAttestation, SignedBatch};

pub use collect::{Panel, PanelError};
pub use epochs::EpochPanels;
pub use http_attester::{HttpAttester, HttpAttesterError};

/// One attester, in the process or over HTTP.
#[async_trait]
pub trait Attest: Send + Sync {
    async fn attest(&self, terms: &IntentTerms) -> Result<SignedAttestation, AttestationRefusal>;
    /// Signs the fills of these orders as one list.
    async fn attest_batch(&self, orders: &[IntentTerms]) -> Result<SignedBatch, BatchRefusal> {
        let _ = orders;
        Err(AttestationRefusal::NoBatches.into())
    }
    /// Whether it answers now and reads both chains of the order.
    async fn is_ready(&self, terms: &IntentTerms) -> bool;
}
