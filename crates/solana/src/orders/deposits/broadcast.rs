use causeway_domain::ports::{BroadcastError, ChainError};
use serde_json::json;
use solana_message::VersionedMessage;

use super::signed::split;
use crate::commitment::{Commitment, Contextual};
use crate::rpc::Call;
use crate::{SendError, SignedTransaction, SolanaRpc};

const BLOCKHASH_UNCERTAIN: &str = "the nodes do not know the transaction's blockhash yet, or no longer; submit it again in a moment, \
or build the deposit again and sign the newest one";

/// Sends a signed transaction of a payer to every endpoint. One that has already landed counts as sent.
pub(in crate::orders) async fn broadcast(rpc: &SolanaRpc, raw: &[u8]) -> Result<(), BroadcastError> {
    let refused = |reason: String| BroadcastError::Refused(reason);
    let (_, message) = split(raw).map_err(refused)?;
    // The last valid height is unknown here; the nodes check the blockhash.
    let signed = SignedTransaction::check(raw, message, u64::MAX).map_err(|why| refused(why.to_string()))?;
    let reason = match rpc.send(&signed, true).await {
        Ok(()) => return Ok(()),
        Err(SendError::Chain(ChainError::Refused(_, reason)) | SendError::WouldFail(reason)) => Some(reason),
        Err(SendError::UnknownBlockhash) => None,
        Err(SendError::Chain(error)) => return Err(error.into()),
    };
    // A transaction that has landed is refused too, because the order is open or its blockhash is old.
    let known = rpc.statuses(&[signed.signature()]).await?.value.pop().flatten();
    match (known, reason) {
        (Some(status), _) => status.failure.map_or(Ok(()), |why| Err(refused(why))),
        (None, Some(reason)) => Err(refused(reason)),
        (None, None) if is_blockhash_valid(rpc, message).await? => {
            // The newest and the final state differ: the blockhash is new, or about to expire.
            Err(refused(BLOCKHASH_UNCERTAIN.to_owned()))
        }
        (None, None) => Err(BroadcastError::Expired { tx: signed.signature().to_string() }),
    }
}

/// Whether a node would still accept this message's blockhash.
async fn is_blockhash_valid(rpc: &SolanaRpc, message: &[u8]) -> Result<bool, ChainError> {
    let Ok(message) = wincode::deserialize::<VersionedMessage>(message) else { return Ok(false) };
    let blockhash = message.recent_blockhash().to_string();
    // A new blockhash is known to the newest state first.
    let call = |commitment| {
        let params = json!([blockhash, { "commitment": commitment }]);
        Call { method: "isBlockhashValid", params }
    };
    let calls = [Commitment::Processed, Commitment::Finalized].map(call);
    let answers = rpc.request_batch(&calls, |_, answer: Contextual<bool>| Ok(answer.value)).await?;
    Ok(answers.into_iter().any(|is_valid| is_valid))
}
