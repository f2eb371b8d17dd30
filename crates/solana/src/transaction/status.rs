use causeway_domain::ports::ChainError;
use causeway_jsonrpc_client::agreed;
use serde::Deserialize;
use serde_json::{Value, json};
use solana_signature::Signature;

use super::error_text::explain;
use crate::commitment::{AtSlot, Commitment, Contextual};
use crate::rpc::{Call, SolanaRpc};

/// The limit of `getSignatureStatuses`.
const SIGNATURES_PER_CALL: usize = 256;

/// The status of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureStatus {
    pub slot: u64,
    pub commitment: Commitment,
    /// Why it failed, if it did.
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
        // Old nodes do not name the commitment; only a rooted transaction has no confirmation count.
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
    /// The status of each transaction; `None` for one that the node does not know. The slot is the earliest at which
    /// any status was read.
    pub async fn statuses(
        &self,
        signatures: &[Signature],
    ) -> Result<AtSlot<Vec<Option<SignatureStatus>>>, ChainError> {
        let chunks: Vec<&[Signature]> = signatures.chunks(SIGNATURES_PER_CALL).collect();
        let call = |chunk: &&[Signature]| {
            let texts: Vec<String> = chunk.iter().map(ToString::to_string).collect();
            let options = json!({ "searchTransactionHistory": true });
            Call { method: "getSignatureStatuses", params: json!([texts, options]) }
        };
        let calls: Vec<Call> = chunks.iter().map(call).collect();
        let read = |index: usize, wire: Contextual<Vec<Option<WireStatus>>>| {
            if chunks.get(index).map(|chunk| chunk.len()) != Some(wire.value.len()) {
                return Err("the number of statuses differs from the number of signatures".to_owned());
            }
            let statuses: Vec<_> =
                wire.value.into_iter().map(|status| status.map(SignatureStatus::from)).collect();
            Ok(AtSlot { slot: wire.context.slot, value: statuses })
        };
        let parts = self.request_batch(&calls, read).await?;
        let slot = parts.iter().map(|part| part.slot).min().unwrap_or_default();
        Ok(AtSlot { slot, value: parts.into_iter().flat_map(|part| part.value).collect() })
    }

    /// Whether enough endpoints say that a transaction is final and failed, and none that it succeeded. A fill that failed
    /// ends in a refund of its deposit, so no endpoint is believed alone (rule 27).
    pub async fn is_agreed_failure(&self, signature: &Signature) -> bool {
        let params = json!([[signature.to_string()], { "searchTransactionHistory": true }]);
        let calls = [Call { method: "getSignatureStatuses", params }];
        let asked = self.ask_all::<Contextual<Vec<Option<WireStatus>>>>(&calls).await;
        let said = asked.into_iter().map(|asked| {
            let answer = asked.answers.into_iter().next().and_then(Result::ok);
            let status = answer.and_then(|wire| wire.value.into_iter().next().flatten());
            // A status that is not final neither agrees nor contradicts.
            let status =
                status.map(SignatureStatus::from).filter(|it| it.commitment == Commitment::Finalized);
            (asked.endpoint, asked.trusted, status.map(|status| status.failure.is_some()))
        });
        agreed(self.quorum(), said) == Ok(true)
    }

    /// Whether enough endpoints are past the last height at which a transaction is valid and do not know it, and none knows
    /// it. What counts as expired is signed anew, so no endpoint is believed alone (rule 27).
    pub async fn is_agreed_absence(&self, signature: &Signature, last_valid_block_height: u64) -> bool {
        let statuses = json!([[signature.to_string()], { "searchTransactionHistory": true }]);
        let calls = [
            Call { method: "getBlockHeight", params: json!([{ "commitment": Commitment::Finalized }]) },
            Call { method: "getSignatureStatuses", params: statuses },
        ];
        let asked = self.ask_all::<Value>(&calls).await;
        let said = asked.into_iter().map(|asked| {
            let mut answers = asked.answers.into_iter();
            let height = answers.next().and_then(Result::ok).and_then(|height| height.as_u64());
            let wire = answers.next().and_then(Result::ok);
            let wire: Option<Contextual<Vec<Option<WireStatus>>>> =
                wire.and_then(|wire| serde_json::from_value(wire).ok());
            let is_known = wire.and_then(|wire| wire.value.first().map(Option::is_some));
            let is_absent = match (is_known, height) {
                (Some(true), _) => Some(false),
                // Before that height, it may still land.
                (Some(false), Some(height)) if height > last_valid_block_height => Some(true),
                _ => None,
            };
            (asked.endpoint, asked.trusted, is_absent)
        });
        agreed(self.quorum(), said) == Ok(true)
    }
}
