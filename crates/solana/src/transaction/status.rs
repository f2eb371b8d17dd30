use causeway_domain::ports::ChainError;
use serde::Deserialize;
use serde_json::{Value, json};
use solana_signature::Signature;

use super::words::explain;
use crate::commitment::{Commitment, Contextual, Seen};
use crate::rpc::{Call, SolanaRpc};

/// As many as a node takes in one `getSignatureStatuses`.
const SIGNATURES_PER_CALL: usize = 256;

/// What has become of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureStatus {
    pub slot: u64,
    pub commitment: Commitment,
    /// Why it failed, in words, if it did.
    pub failure: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireStatus {
    slot: u64,
    err: Option<Value>,
    #[serde(default)]
    confirmations: Option<u64>,
    #[serde(default)]
    confirmation_status: Option<Commitment>,
}

impl From<WireStatus> for SignatureStatus {
    fn from(wire: WireStatus) -> Self {
        // Before nodes named the commitment, only a rooted transaction had no count of confirmations.
        let unnamed =
            if wire.confirmations.is_none() { Commitment::Finalized } else { Commitment::Processed };
        Self {
            slot: wire.slot,
            commitment: wire.confirmation_status.unwrap_or(unnamed),
            failure: wire.err.as_ref().map(explain),
        }
    }
}

impl SolanaRpc {
    /// What has become of each transaction, `None` for one that the node does not know. The slot is the earliest at
    /// which the node looked.
    pub async fn statuses(
        &self,
        signatures: &[Signature],
    ) -> Result<Seen<Vec<Option<SignatureStatus>>>, ChainError> {
        let chunks: Vec<&[Signature]> = signatures.chunks(SIGNATURES_PER_CALL).collect();
        let call = |chunk: &&[Signature]| {
            let texts: Vec<String> = chunk.iter().map(ToString::to_string).collect();
            let options = json!({ "searchTransactionHistory": true });
            Call { method: "getSignatureStatuses", params: json!([texts, options]) }
        };
        let calls: Vec<Call> = chunks.iter().map(call).collect();
        let read = |index: usize, wire: Contextual<Vec<Option<WireStatus>>>| {
            if chunks.get(index).map(|chunk| chunk.len()) != Some(wire.value.len()) {
                return Err("not one status for each signature".to_owned());
            }
            let statuses: Vec<_> =
                wire.value.into_iter().map(|status| status.map(SignatureStatus::from)).collect();
            Ok(Seen { slot: wire.context.slot, value: statuses })
        };
        let parts = self.ask_all(&calls, read).await?;
        let slot = parts.iter().map(|part| part.slot).min().unwrap_or_default();
        Ok(Seen { slot, value: parts.into_iter().flat_map(|part| part.value).collect() })
    }
}
