use std::collections::{HashMap, HashSet};

use alloy_primitives::{Address, B256, U64};
use causeway_domain::ports::Outgoing;
use causeway_jsonrpc_client::{Disagreement, agreed, median};
use serde_json::{Value, json};

use crate::blocks::{BlockTag, Receipt};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

/// The chain state of all pending transactions of an account, read in a constant number of requests.
#[derive(Debug)]
pub(super) struct PendingSnapshot {
    /// Blocks up to this number are final.
    pub(super) final_block: u64,
    /// The account's next nonce in the newest block.
    pub(super) nonce: u64,
    /// The account's next nonce in the final block.
    pub(super) final_nonce: u64,
    receipts: HashMap<B256, Receipt>,
    known: HashSet<B256>,
}

impl PendingSnapshot {
    /// What was sent a moment ago counts as known: a node has just accepted it.
    pub(super) async fn read(
        client: &EvmClient,
        account: Address,
        depth: u64,
        (open, young): (&[Outgoing], &HashSet<B256>),
    ) -> Result<Self, CallError> {
        let head = client.median_block(BlockTag::Latest).await?.map_or(0, |block| block.number);
        let final_block = head.saturating_sub(depth);
        let (nonce, final_nonce) = nonces(client, account, final_block).await?;
        // The nonce shows what is mined. The receipt matters once it is final, so it is read about once.
        let ended = open.iter().filter(|outgoing| outgoing.nonce < final_nonce);
        let hashes: Vec<B256> =
            ended.flat_map(|outgoing| &outgoing.attempts).map(|attempt| attempt.hash).collect();
        let found = client.receipts(&hashes).await?.into_iter().flatten();
        let receipts: HashMap<B256, Receipt> =
            found.map(|receipt| (receipt.transaction_hash, receipt)).collect();
        let waiting = open.iter().filter(|outgoing| outgoing.nonce >= nonce);
        let newest = waiting.filter_map(|outgoing| Some(outgoing.attempts.last()?.hash));
        let (fresh, older): (Vec<B256>, Vec<B256>) = newest.partition(|hash| young.contains(hash));
        let mut known = known(client, &older).await?;
        known.extend(fresh);
        Ok(Self { final_block, nonce, final_nonce, receipts, known })
    }

    /// The receipt of the attempt that is in a final block, and whether its absence is certain. No endpoint is believed alone
    /// that a transaction ended so (rule 27): a fill that reverted ends in a refund of its deposit, and one that succeeded is
    /// never sent again.
    pub(super) async fn receipt(&self, client: &EvmClient, outgoing: &Outgoing) -> (Option<Receipt>, bool) {
        let (found, certain) = self.find_receipt(client, outgoing).await;
        if found.is_none() || client.endpoint_count() < 2 {
            return (found, certain);
        }
        for attempt in outgoing.attempts.iter().rev() {
            if let Some(receipt) = agreed_receipt(client, attempt.hash).await {
                return (Some(receipt), true);
            }
        }
        (None, false)
    }

    /// The receipt that any endpoint shows. Every endpoint must report that it has none before the nonce counts as used by
    /// another transaction.
    async fn find_receipt(&self, client: &EvmClient, outgoing: &Outgoing) -> (Option<Receipt>, bool) {
        let hashes = outgoing.attempts.iter().map(|attempt| attempt.hash);
        let found = hashes.clone().find_map(|hash| self.receipts.get(&hash).cloned());
        if found.is_some() || self.final_nonce <= outgoing.nonce {
            return (found, true);
        }
        let mut certain = true;
        let calls = hashes.map(|hash| Call::new("eth_getTransactionReceipt", json!([hash])));
        for call in calls {
            for (_, answer) in client.each::<Option<Receipt>>(&call).await {
                match answer {
                    Ok(Some(receipt)) => return (Some(receipt), true),
                    Ok(None) => {}
                    Err(_) => certain = false,
                }
            }
        }
        (None, certain)
    }

    /// Whether a node knows the newest attempt.
    pub(super) fn is_known(&self, outgoing: &Outgoing) -> bool {
        outgoing.attempts.last().is_some_and(|last| self.known.contains(&last.hash))
    }
}

/// The receipt whose block and status enough endpoints show, if none shows others; with the lower of the middle two of the
/// fees that they name.
async fn agreed_receipt(client: &EvmClient, hash: B256) -> Option<Receipt> {
    let call = Call::new("eth_getTransactionReceipt", json!([hash]));
    let asked = client.ask_all::<Option<Receipt>>(std::slice::from_ref(&call)).await;
    let shown: Vec<_> = asked
        .into_iter()
        .map(|asked| {
            let receipt = asked.answers.into_iter().next().and_then(Result::ok).flatten();
            let receipt = receipt.filter(|receipt| receipt.transaction_hash == hash);
            (asked.endpoint, asked.trusted, receipt)
        })
        .collect();
    let key = |receipt: &Receipt| (receipt.block_hash, receipt.block_number, receipt.status);
    let keys =
        shown.iter().map(|(name, trusted, receipt)| (name.clone(), *trusted, receipt.as_ref().map(key)));
    match agreed(client.quorum(), keys) {
        Ok(_) => {}
        Err(Disagreement::Contradiction(one, other)) => {
            tracing::error!(chain = %client.chain_id(), %hash, one, other, "endpoints show a receipt differently");
            return None;
        }
        Err(Disagreement::TooFew(_)) => return None,
    }
    let mut receipts: Vec<Receipt> = shown.into_iter().filter_map(|(.., receipt)| receipt).collect();
    receipts.sort_by_key(Receipt::fee);
    let middle = receipts.len().checked_sub(1)? / 2;
    receipts.into_iter().nth(middle)
}

/// The account's next nonce in the newest and in the final block. One endpoint alone raises neither: the first would keep us
/// from replacing what is stuck, the second would free purposes whose transactions are pending.
async fn nonces(client: &EvmClient, account: Address, final_block: u64) -> Result<(u64, u64), CallError> {
    let call = |tag: BlockTag| Call::new("eth_getTransactionCount", json!([account, tag.json()]));
    let calls = [call(BlockTag::Latest), call(BlockTag::Number(final_block))];
    let (mut newest, mut finalized, mut fault) = (Vec::new(), Vec::new(), None);
    for asked in client.ask_all::<U64>(&calls).await {
        for (counts, answer) in [&mut newest, &mut finalized].into_iter().zip(asked.answers) {
            match answer {
                Ok(count) => counts.push(count.to::<u64>()),
                Err(error) => fault = Some(error),
            }
        }
    }
    match (median(newest), median(finalized), fault) {
        (Some(newest), Some(finalized), _) => Ok((newest, finalized)),
        (.., Some(error)) => Err(error),
        (.., None) => Err(client.invalid_response("no endpoint returned the account's nonce")),
    }
}

async fn known(client: &EvmClient, hashes: &[B256]) -> Result<HashSet<B256>, CallError> {
    let call = |hash: &B256| Call::new("eth_getTransactionByHash", json!([hash]));
    let calls: Vec<Call> = hashes.iter().map(call).collect();
    let mut known = HashSet::new();
    for (hash, answer) in hashes.iter().zip(client.batch::<Option<Value>>(&calls).await) {
        if answer?.is_some() {
            known.insert(*hash);
        }
    }
    Ok(known)
}
