use alloy_primitives::Address;
use async_trait::async_trait;
use causeway_domain::ChainId;
use causeway_jsonrpc_client::EndpointAnswer;
use serde_json::Value;

use super::config::Finality;
use crate::blocks::{Block, BlockTag, Log};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

/// The source of blocks and logs for a follower.
#[async_trait]
pub trait BlockSource: Send + Sync {
    fn chain(&self) -> ChainId;
    async fn block(&self, tag: BlockTag) -> Result<Option<Block>, CallError>;
    /// The block of a tag that the endpoints' median names, which no single endpoint decides.
    async fn median_block(&self, tag: BlockTag) -> Result<Option<Block>, CallError> {
        self.block(tag).await
    }
    async fn blocks(&self, numbers: &[u64]) -> Result<Vec<Option<Block>>, CallError>;
    /// The block at every endpoint that has it; different blocks are a disagreement.
    async fn agreed_block(&self, number: u64) -> Result<Option<Block>, CallError>;
    /// The block at every endpoint that considers it final; different blocks are a disagreement.
    async fn finalized_block(&self, number: u64, _: Finality) -> Result<Option<Block>, CallError> {
        self.agreed_block(number).await
    }
    /// A block that some endpoint considers final. A different block contradicts it only at an endpoint that considers it final.
    async fn confirmed_block(&self, number: u64, finality: Finality) -> Result<Option<Block>, CallError> {
        match self.agreed_block(number).await {
            Err(CallError::Disagreement { .. }) => self.finalized_block(number, finality).await,
            block => block,
        }
    }
    async fn block_logs(&self, addresses: &[Address], blocks: &[Block]) -> Result<Vec<Vec<Log>>, CallError>;
    async fn range_logs(&self, addresses: &[Address], from: u64, to: u64) -> Result<Vec<Log>, CallError>;
    /// What every endpoint answers to the same calls; nothing where only one could be asked.
    async fn ask_all(&self, _: &[Call]) -> Vec<EndpointAnswer<Value, CallError>> {
        Vec::new()
    }
}

#[async_trait]
impl BlockSource for EvmClient {
    fn chain(&self) -> ChainId {
        self.chain_id()
    }

    async fn block(&self, tag: BlockTag) -> Result<Option<Block>, CallError> {
        Self::block(self, tag).await
    }

    async fn median_block(&self, tag: BlockTag) -> Result<Option<Block>, CallError> {
        Self::median_block(self, tag).await
    }

    async fn blocks(&self, numbers: &[u64]) -> Result<Vec<Option<Block>>, CallError> {
        Self::blocks(self, numbers).await
    }

    async fn agreed_block(&self, number: u64) -> Result<Option<Block>, CallError> {
        Self::agreed_block(self, number).await
    }

    async fn finalized_block(&self, number: u64, finality: Finality) -> Result<Option<Block>, CallError> {
        Self::finalized_block(self, number, finality).await
    }

    async fn block_logs(&self, addresses: &[Address], blocks: &[Block]) -> Result<Vec<Vec<Log>>, CallError> {
        match self.endpoint_count() {
            0 | 1 => Self::block_logs(self, addresses, blocks).await,
            _ => self.block_logs_of_all(addresses, blocks).await,
        }
    }

    async fn range_logs(&self, addresses: &[Address], from: u64, to: u64) -> Result<Vec<Log>, CallError> {
        match self.endpoint_count() {
            0 | 1 => Self::range_logs(self, addresses, from, to).await,
            _ => self.range_logs_of_all(addresses, from, to).await,
        }
    }

    async fn ask_all(&self, calls: &[Call]) -> Vec<EndpointAnswer<Value, CallError>> {
        if self.endpoint_count() > 1 { Self::ask_all(self, calls).await } else { Vec::new() }
    }
}
