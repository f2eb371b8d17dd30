use alloy_primitives::Address;
use async_trait::async_trait;
use causeway_domain::ChainId;

use super::config::Finality;
use crate::blocks::{Block, BlockTag, Log};
use crate::client::EvmClient;
use crate::error::CallError;

/// The source of blocks and logs for a follower.
#[async_trait]
pub trait BlockSource: Send + Sync {
    fn chain(&self) -> ChainId;
    async fn block(&self, tag: BlockTag) -> Result<Option<Block>, CallError>;
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
}

#[async_trait]
impl BlockSource for EvmClient {
    fn chain(&self) -> ChainId {
        self.chain_id()
    }

    async fn block(&self, tag: BlockTag) -> Result<Option<Block>, CallError> {
        Self::block(self, tag).await
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
        Self::block_logs(self, addresses, blocks).await
    }

    async fn range_logs(&self, addresses: &[Address], from: u64, to: u64) -> Result<Vec<Log>, CallError> {
        Self::range_logs(self, addresses, from, to).await
    }
}
