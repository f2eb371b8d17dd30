use std::num::NonZeroUsize;

use alloy_primitives::{Address, Bytes, U64};
use causeway_jsonrpc_client::{Disagreement, agreed, median, prevailing};
use serde_json::{Value, json};

use crate::blocks::{Block, BlockTag, block_call, check_block};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

/// How many endpoints must agree before money leaves (rule 27).
const QUORUM: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

impl EvmClient {
    /// How many endpoints must agree: two, or the only one there is.
    pub(crate) fn quorum(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.endpoint_count()).map_or(QUORUM, |count| count.min(QUORUM))
    }

    /// Whether the chain is known through one endpoint alone, and the operator has not said that it is trusted.
    pub fn rests_on_one_endpoint(&self) -> bool {
        matches!(self.endpoints().as_slice(), [only] if !only.trusted)
    }

    /// What most endpoints answer to a call of a contract: one alone neither makes an answer up nor refuses it (rule 27).
    pub(crate) async fn prevailing_call(&self, to: Address, data: &Bytes) -> Result<Bytes, CallError> {
        let call = Call::new("eth_call", json!([{ "to": to, "data": data }, "latest"]));
        if self.endpoint_count() < 2 {
            return self.call(call).await;
        }
        let (mut shown, mut refusal, mut fault) = (Vec::new(), None, None);
        for asked in self.ask_all::<Bytes>(&[call]).await {
            match asked.answers.into_iter().next() {
                Some(Ok(answer)) => shown.push((asked.trusted, Some(Some(answer)))),
                Some(Err(error @ CallError::Refused { .. })) => {
                    refusal = Some(error);
                    shown.push((asked.trusted, Some(None)));
                }
                Some(Err(error)) => fault = Some(error),
                None => {}
            }
        }
        let too_few = || self.invalid_response(format!("too few endpoints show alike what {to} answers"));
        match (prevailing(self.quorum(), shown), refusal) {
            (Some(Some(answer)), _) => Ok(answer),
            (Some(None), Some(refusal)) => Err(refusal),
            _ => Err(fault.unwrap_or_else(too_few)),
        }
    }

    /// The block of the tag at the endpoint with the median number, and the lower of the middle two. No endpoint moves
    /// the chain's head by naming a huge block; one that does not answer is left out.
    pub async fn median_block(&self, tag: BlockTag) -> Result<Option<Block>, CallError> {
        if self.endpoint_count() < 2 {
            return self.block(tag).await;
        }
        let (mut blocks, mut fault, mut lacks_tag) = (Vec::new(), None, None);
        for (_, answer) in self.each::<Option<Block>>(&block_call(tag)).await {
            match answer.and_then(|block| check_block(self.chain_id(), tag, block)) {
                Ok(Some(block)) => blocks.push(block),
                Ok(None) => {}
                Err(error @ CallError::Refused { .. }) => lacks_tag = Some(error),
                Err(error) => fault = Some(error),
            }
        }
        blocks.sort_by_key(|block| block.number);
        let middle = blocks.len().saturating_sub(1) / 2;
        match (blocks.get(middle), fault, lacks_tag) {
            (Some(block), ..) => Ok(Some(*block)),
            // An endpoint that fails may know the tag.
            (None, Some(error), _) | (None, None, Some(error)) => Err(error),
            (None, None, None) => Ok(None),
        }
    }

    /// The account's next nonce as of `tag`: the median of what the endpoints count, and the lower of the middle two, so
    /// that none of them raises it alone. At least so many must answer, or one that is trusted.
    pub async fn median_nonce(
        &self,
        account: Address,
        tag: BlockTag,
        at_least: usize,
    ) -> Result<u64, CallError> {
        if self.endpoint_count() < 2 {
            return self.nonce(account, tag).await;
        }
        let call = Call::new("eth_getTransactionCount", json!([account, tag.json()]));
        let (mut counts, mut has_trusted, mut fault) = (Vec::new(), false, None);
        for asked in self.ask_all::<U64>(std::slice::from_ref(&call)).await {
            match asked.answers.into_iter().next() {
                Some(Ok(count)) => {
                    counts.push(count.to::<u64>());
                    has_trusted |= asked.trusted;
                }
                Some(Err(error)) => fault = Some(error),
                None => {}
            }
        }
        let is_enough = has_trusted || counts.len() >= at_least;
        let too_few = || self.invalid_response("too few endpoints returned the account's nonce");
        median(counts).filter(|_| is_enough).ok_or_else(|| fault.unwrap_or_else(too_few))
    }

    /// The newest block that enough endpoints have, if none of them contradicts.
    pub async fn agreed_head(&self) -> Result<Block, CallError> {
        let read = |answer: &Value| serde_json::from_value::<Block>(answer.clone()).ok();
        self.agreed_at_head("the block", block_call, read).await
    }

    /// What the call returns at one block, the chain's head, at every endpoint that has this block: at least two agree
    /// on block and answer, and none contradicts. An error is no answer.
    pub(crate) async fn agreed_at_head<T: PartialEq>(
        &self,
        what: &str,
        call: impl Fn(BlockTag) -> Call,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, CallError> {
        let chain = self.chain_id();
        let unavailable = |faults: String| CallError::Unavailable { chain, faults };
        let head = self.median_block(BlockTag::Latest).await?;
        let number = head.ok_or_else(|| unavailable("no endpoint has a block".to_owned()))?.number;
        let tag = BlockTag::Number(number);
        let calls = [block_call(tag), call(tag)];
        let answers = self.ask_all::<Value>(&calls).await.into_iter().map(|asked| {
            let answer = |place: usize| asked.answers.get(place).and_then(|answer| answer.as_ref().ok());
            let block: Option<Block> = answer(0).and_then(|block| serde_json::from_value(block.clone()).ok());
            let block = block.filter(|block| block.number == number);
            let value = block.zip(answer(1).and_then(&read)).map(|(block, value)| (block.hash, value));
            (asked.endpoint, asked.trusted, value)
        });
        match agreed(self.quorum(), answers.collect::<Vec<_>>()) {
            Ok((_, value)) => Ok(value),
            Err(Disagreement::Contradiction(one, other)) => {
                let message = format!("{one} and {other} show {what} in block {number} differently");
                tracing::error!(%chain, message, "endpoints contradict each other");
                Err(CallError::Disagreement { chain, message })
            }
            Err(Disagreement::TooFew(count)) => Err(unavailable(format!(
                "{count} of the {} endpoints that must agree show {what} in block {number}",
                self.quorum()
            ))),
        }
    }
}
