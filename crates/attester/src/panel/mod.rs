//! Asking attesters, from the side that needs their signatures.

mod collect;
mod http_attester;

use async_trait::async_trait;
use causeway_domain::ports::NoAttestation;
use causeway_domain::{SignedAttestation, Terms};

pub use collect::{Panel, PanelError};
pub use http_attester::{HttpAttester, HttpAttesterError};

/// One attester, inside the process or elsewhere.
#[async_trait]
pub trait Attest: Send + Sync {
    async fn attest(&self, terms: &Terms) -> Result<SignedAttestation, NoAttestation>;
}
