use std::fmt;

use alloy_primitives::{Address, B256, Bytes, U64, U256};
use causeway_domain::ChainId;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

/// A block header: what identifies the block and links it to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Block {
    #[serde(deserialize_with = "number")]
    pub number: u64,
    pub hash: B256,
    #[serde(rename = "parentHash")]
    pub parent: B256,
    #[serde(deserialize_with = "number")]
    pub timestamp: u64,
}

/// A log that a contract emitted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Log {
    pub address: Address,
    pub topics: Vec<B256>,
    pub data: Bytes,
    pub block_hash: B256,
    #[serde(deserialize_with = "number")]
    pub block_number: u64,
    pub transaction_hash: B256,
    #[serde(rename = "logIndex", deserialize_with = "number")]
    pub index: u64,
    #[serde(default)]
    pub removed: bool,
}

/// A transaction receipt.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    pub transaction_hash: B256,
    pub block_hash: B256,
    #[serde(deserialize_with = "number")]
    pub block_number: u64,
    /// 1 on success, 0 when the transaction reverted.
    #[serde(deserialize_with = "number")]
    pub status: u64,
    #[serde(deserialize_with = "number")]
    pub gas_used: u64,
    #[serde(default)]
    pub effective_gas_price: U256,
    /// What the OP stack charges for data besides gas; absent on other chains.
    #[serde(default)]
    pub l1_fee: Option<U256>,
}

impl Receipt {
    /// What the transaction cost: its gas, and its data where they are charged apart.
    pub fn fee(&self) -> U256 {
        let gas = U256::from(self.gas_used).saturating_mul(self.effective_gas_price);
        gas.saturating_add(self.l1_fee.unwrap_or_default())
    }
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    U64::deserialize(deserializer).map(|number| number.to())
}

/// Selects a block by tag or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockTag {
    Latest,
    Safe,
    Finalized,
    Number(u64),
}

impl BlockTag {
    pub(crate) fn json(self) -> Value {
        match self {
            Self::Number(number) => json!(U64::from(number)),
            named => json!(named.to_string()),
        }
    }
}

impl fmt::Display for BlockTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latest => f.write_str("latest"),
            Self::Safe => f.write_str("safe"),
            Self::Finalized => f.write_str("finalized"),
            Self::Number(number) => write!(f, "block {number}"),
        }
    }
}

impl EvmClient {
    /// Reads a block; `None` if the chain has not reached it.
    pub async fn block(&self, tag: BlockTag) -> Result<Option<Block>, CallError> {
        let block = self.call(block_call(tag)).await?;
        check_block(self.chain_id(), tag, block)
    }

    /// Reads several blocks by number in one request.
    pub async fn blocks(&self, numbers: &[u64]) -> Result<Vec<Option<Block>>, CallError> {
        let tags: Vec<BlockTag> = numbers.iter().copied().map(BlockTag::Number).collect();
        let calls: Vec<Call> = tags.iter().copied().map(block_call).collect();
        let blocks = self.batch::<Option<Block>>(&calls).await;
        tags.into_iter().zip(blocks).map(|(tag, block)| check_block(self.chain_id(), tag, block?)).collect()
    }

    /// Reads the block from every endpoint; all that have it must agree.
    pub async fn agreed_block(&self, number: u64) -> Result<Option<Block>, CallError> {
        let tag = BlockTag::Number(number);
        let mut agreed: Option<(String, Block)> = None;
        let mut fault = None;
        for (host, answer) in self.each::<Option<Block>>(&block_call(tag)).await {
            match answer.and_then(|block| check_block(self.chain_id(), tag, block)) {
                Ok(Some(block)) => match &agreed {
                    Some((other, known)) if known.hash != block.hash => {
                        let message = format!(
                            "block {number} is {} at {other} and {} at {host}",
                            known.hash, block.hash
                        );
                        return Err(CallError::Disagreement { chain: self.chain_id(), message });
                    }
                    Some(_) => {}
                    None => agreed = Some((host, block)),
                },
                Ok(None) => {}
                Err(error) => fault = Some(error),
            }
        }
        match (agreed, fault) {
            (Some((_, block)), _) => Ok(Some(block)),
            (None, Some(fault)) => Err(fault),
            (None, None) => Ok(None),
        }
    }

    /// Reads the logs of these contracts in each of the blocks, by block hash, in one request.
    pub async fn block_logs(
        &self,
        addresses: &[Address],
        blocks: &[Block],
    ) -> Result<Vec<Vec<Log>>, CallError> {
        let calls: Vec<Call> = blocks.iter().map(|block| block_logs_call(addresses, block)).collect();
        let answers = self.batch::<Vec<Log>>(&calls).await;
        let checked = |(block, logs): (&Block, Result<Vec<Log>, CallError>)| {
            let logs = logs?;
            if logs.iter().all(|log| is_log_of(log, addresses, block)) {
                return Ok(logs);
            }
            let message = format!("logs of another block than {} or of other contracts", block.number);
            Err(self.invalid_response(message))
        };
        blocks.iter().zip(answers).map(checked).collect()
    }

    /// Reads the logs of these contracts from block `from` to block `to`, both included, in chain order.
    pub async fn range_logs(&self, addresses: &[Address], from: u64, to: u64) -> Result<Vec<Log>, CallError> {
        let mut logs: Vec<Log> = self.call(range_logs_call(addresses, from, to)).await?;
        if !logs.iter().all(|log| is_log_within(log, addresses, from, to)) {
            return Err(self.invalid_response("logs outside the range or of other contracts"));
        }
        logs.sort_by_key(|log| (log.block_number, log.index));
        Ok(logs)
    }

    /// Reads the receipts; `None` for transactions that are not in a block.
    pub async fn receipts(&self, hashes: &[B256]) -> Result<Vec<Option<Receipt>>, CallError> {
        let call = |hash: &B256| Call::new("eth_getTransactionReceipt", json!([hash]));
        let calls: Vec<Call> = hashes.iter().map(call).collect();
        self.batch(&calls).await.into_iter().collect()
    }
}

pub(crate) fn block_logs_call(addresses: &[Address], block: &Block) -> Call {
    Call::new("eth_getLogs", json!([{ "address": addresses, "blockHash": block.hash }]))
}

pub(crate) fn is_log_of(log: &Log, addresses: &[Address], block: &Block) -> bool {
    log.block_hash == block.hash && addresses.contains(&log.address)
}

pub(crate) fn range_logs_call(addresses: &[Address], from: u64, to: u64) -> Call {
    let (first, last) = (U64::from(from), U64::from(to));
    Call::new("eth_getLogs", json!([{ "address": addresses, "fromBlock": first, "toBlock": last }]))
}

pub(crate) fn is_log_within(log: &Log, addresses: &[Address], from: u64, to: u64) -> bool {
    (from..=to).contains(&log.block_number) && !log.removed && addresses.contains(&log.address)
}

pub(crate) fn block_call(tag: BlockTag) -> Call {
    Call::new("eth_getBlockByNumber", json!([tag.json(), false]))
}

pub(crate) fn check_block(
    chain: ChainId,
    tag: BlockTag,
    block: Option<Block>,
) -> Result<Option<Block>, CallError> {
    match (tag, block) {
        (BlockTag::Number(wanted), Some(block)) if block.number != wanted => {
            Err(CallError::InvalidResponse {
                chain,
                message: format!("got block {} instead of block {wanted}", block.number),
            })
        }
        _ => Ok(block),
    }
}
