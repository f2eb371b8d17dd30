use causeway_domain::ports::{BroadcastError, ChainError};
use serde_json::json;
use solana_message::VersionedMessage;

use super::desk::SolanaDesk;
use super::signed::split;
use crate::commitment::{Commitment, Contextual};
use crate::rpc::Call;
use crate::{SendError, SignedTransaction};

const UNCERTAIN: &str = "the nodes do not know the transaction's blockhash yet, or no longer; submit it again in a moment, \
or build the deposit again and sign the newest one";

impl SolanaDesk {
    /// Hands a signed deposit to every endpoint. One that the chain has, or had, counts as brought.
    pub(super) async fn bring(&self, raw: &[u8]) -> Result<(), BroadcastError> {
        let refused = |words: String| BroadcastError::Refused(words);
        let (_, message) = split(raw).map_err(refused)?;
        // Until when it can land is not ours to know here: whoever is asked says so.
        let signed =
            SignedTransaction::check(raw, message, u64::MAX).map_err(|why| refused(why.to_string()))?;
        let words = match self.rpc.send(&signed, true).await {
            Ok(()) => return Ok(()),
            Err(SendError::Chain(ChainError::Refused(_, words)) | SendError::WouldFail(words)) => Some(words),
            Err(SendError::UnknownBlockhash) => None,
            Err(SendError::Chain(error)) => return Err(error.into()),
        };
        // What has landed is refused too, as what opens an order twice or uses an old blockhash.
        let known = self.rpc.statuses(&[signed.signature()]).await?.value.pop().flatten();
        match (known, words) {
            (Some(status), _) => status.failure.map_or(Ok(()), |why| Err(refused(why))),
            (None, Some(words)) => Err(refused(words)),
            (None, None) if self.is_alive(message).await? => {
                // The newest state and the final one contradict each other: young, or dying at this moment.
                Err(refused(UNCERTAIN.to_owned()))
            }
            (None, None) => Err(BroadcastError::Expired { tx: signed.signature().to_string() }),
        }
    }

    /// Whether some node would still take a transaction with this message's blockhash.
    async fn is_alive(&self, message: &[u8]) -> Result<bool, ChainError> {
        let Ok(message) = wincode::deserialize::<VersionedMessage>(message) else { return Ok(false) };
        let blockhash = message.recent_blockhash().to_string();
        // A young blockhash is known to the newest state before it is to the rest.
        let ask = |commitment| {
            let params = json!([blockhash, { "commitment": commitment }]);
            Call { method: "isBlockhashValid", params }
        };
        let calls = [Commitment::Processed, Commitment::Finalized].map(ask);
        let said = self.rpc.ask_all(&calls, |_, answer: Contextual<bool>| Ok(answer.value)).await?;
        Ok(said.into_iter().any(|alive| alive))
    }
}
