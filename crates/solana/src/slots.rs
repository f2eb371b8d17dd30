use std::fmt;

use causeway_domain::SOLANA_CHAIN_ID;
use causeway_domain::ports::{ChainCursor, ChainError};
use causeway_jsonrpc_client::median;
use serde::Deserialize;
use serde_json::json;
use solana_hash::Hash;

use crate::RpcError;
use crate::commitment::Commitment;
use crate::rpc::{Call, SolanaRpc};

/// The newest slot of a node, and the newest final slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heads {
    pub processed: u64,
    pub finalized: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireBlock {
    blockhash: String,
    #[serde(default)]
    block_time: Option<i64>,
}

impl SolanaRpc {
    /// The newest slot and the newest final slot of one endpoint.
    pub async fn heads(&self) -> Result<Heads, ChainError> {
        let call = |commitment| Call { method: "getSlot", params: json!([{ "commitment": commitment }]) };
        let calls = [call(Commitment::Finalized), call(Commitment::Processed)];
        let slots = self.request_batch(&calls, |_, slot: u64| Ok(slot)).await?;
        match slots[..] {
            // The second response may come from a node that lags behind the first.
            [finalized, processed] => Ok(Heads { processed: processed.max(finalized), finalized }),
            _ => Err(RpcError::InvalidResponse(
                "the number of responses differs from the number of calls".to_owned(),
            )
            .into()),
        }
    }

    /// The newest final slot, which has a block: the median of the endpoints', and the lower of the middle two, so that
    /// none moves it by naming a huge slot. An endpoint that does not answer is left out.
    pub async fn final_slot(&self) -> Result<u64, ChainError> {
        let call = Call { method: "getSlot", params: json!([{ "commitment": Commitment::Finalized }]) };
        if self.endpoints().len() < 2 {
            return Ok(self.request(call, Ok::<u64, String>).await?);
        }
        let (mut slots, mut fault) = (Vec::new(), None);
        for answer in self.request_all_endpoints::<u64>(call).await {
            match answer {
                Ok(slot) => slots.push(slot),
                Err(error) => fault = Some(error),
            }
        }
        let unknown = || RpcError::WrongChain("no endpoint serves it".to_owned());
        Ok(median(slots).ok_or_else(|| fault.unwrap_or_else(unknown))?)
    }

    /// The block hash of a final slot; all endpoints that know it must agree. `None` if the slot was skipped.
    pub async fn agreed_block(&self, slot: u64) -> Result<Option<String>, ChainError> {
        let responses = self.block_responses(slot).await;
        agree(slot, responses.map(|response| response.map(|block| block.map(|block| block.blockhash))))
    }

    /// The block of a final slot with its time; all endpoints that know it must agree. `None` if the slot was skipped.
    pub async fn agreed_cursor(&self, slot: u64) -> Result<Option<ChainCursor>, ChainError> {
        let responses = self.block_responses(slot).await;
        let block_cursors =
            responses.map(|response| response?.map(|block| read_cursor(slot, &block)).transpose());
        agree(slot, block_cursors)
    }

    /// The block of a final slot as each endpoint reports it.
    pub(crate) async fn block_cursors(&self, slot: u64) -> Vec<Result<Option<ChainCursor>, RpcError>> {
        let responses = self.block_responses(slot).await;
        responses.map(|response| response?.map(|block| read_cursor(slot, &block)).transpose()).collect()
    }

    async fn block_responses(
        &self,
        slot: u64,
    ) -> impl Iterator<Item = Result<Option<WireBlock>, RpcError>> + use<> {
        let options = json!({
            "commitment": Commitment::Finalized,
            "transactionDetails": "none",
            "rewards": false,
            "maxSupportedTransactionVersion": 0,
        });
        let call = Call { method: "getBlock", params: json!([slot, options]) };
        self.request_all_endpoints::<Option<WireBlock>>(call).await.into_iter()
    }
}

fn read_cursor(slot: u64, block: &WireBlock) -> Result<ChainCursor, RpcError> {
    let invalid = |what: &str| RpcError::InvalidResponse(format!("slot {slot} has no {what}"));
    let hash: Hash = block.blockhash.parse().map_err(|_| invalid("block hash"))?;
    let time = block.block_time.and_then(|time| u64::try_from(time).ok());
    Ok(ChainCursor { number: slot, hash: hash.to_bytes().into(), time: time.ok_or_else(|| invalid("time"))? })
}

pub(crate) const SLOT_SKIPPED: [i64; 2] = [-32_007, -32_009];

fn agree<T: PartialEq + fmt::Debug>(
    slot: u64,
    responses: impl Iterator<Item = Result<Option<T>, RpcError>>,
) -> Result<Option<T>, ChainError> {
    let mut agreed: Option<Option<T>> = None;
    let mut error = RpcError::WrongChain("no endpoint serves it".to_owned());
    for response in responses {
        let block = match response {
            Ok(Some(hash)) => Some(hash),
            Ok(None) => None,
            Err(RpcError::Refused { code, .. }) if SLOT_SKIPPED.contains(&code) => None,
            Err(other) => {
                error = other;
                continue;
            }
        };
        match &agreed {
            Some(first) if *first != block => {
                let name = |block: &Option<T>| {
                    block.as_ref().map_or_else(|| "skipped".to_owned(), |block| format!("{block:?}"))
                };
                let reason = format!("slot {slot} is {} and {}", name(first), name(&block));
                return Err(ChainError::Disagreement(SOLANA_CHAIN_ID, reason));
            }
            Some(_) => {}
            None => agreed = Some(block),
        }
    }
    agreed.ok_or_else(|| error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradiction_about_a_final_slot_is_a_disagreement() {
        let block = |text: &str| Ok(Some(text.to_owned()));
        let skipped = || Err(RpcError::Refused { code: -32_007, message: "skipped".to_owned(), data: None });
        let unavailable = || Err(RpcError::Unavailable("x".to_owned()));
        assert_eq!(
            agree(1, [block("a"), unavailable(), block("a")].into_iter()).unwrap(),
            Some("a".to_owned())
        );
        assert_eq!(agree(1, [skipped(), Ok(None)].into_iter()).unwrap(), None);
        for responses in [[block("a"), block("b")], [block("a"), skipped()]] {
            let error = agree(1, responses.into_iter()).unwrap_err();
            assert!(matches!(error, ChainError::Disagreement(..)), "{error}");
        }
        assert!(matches!(agree(1, [unavailable()].into_iter()), Err(ChainError::Unavailable(_))));
    }
}
