use causeway_domain::ChainId;

use crate::blocks::{Block, BlockTag, block_call, check_block};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::follow::Finality;
use crate::rpc::Call;

impl EvmClient {
    /// Reads the block from the endpoints that consider it final; they must agree. An endpoint that lags, perhaps on an
    /// abandoned fork, is ignored: it will catch up.
    pub async fn finalized_block(&self, number: u64, finality: Finality) -> Result<Option<Block>, CallError> {
        require_same_block(self.chain_id(), &self.finalized_block_by_endpoint(number, finality).await)
    }

    /// The block at each endpoint that considers it final, with the endpoint's name.
    pub(crate) async fn finalized_block_by_endpoint(
        &self,
        number: u64,
        finality: Finality,
    ) -> Vec<(String, Block)> {
        let (tag, depth) = match finality {
            Finality::Depth(depth) => (BlockTag::Latest, depth),
            Finality::Tag { tag, or_depth } => (tag, or_depth),
        };
        // The finality tags come before the block: what was final then is what the block call shows.
        let tags = [tag, BlockTag::Latest, BlockTag::Number(number)];
        let calls: Vec<Call> = tags.into_iter().map(block_call).collect();
        let mut blocks = Vec::new();
        for (host, answers) in self.each_of::<Option<Block>>(&calls).await {
            let Ok([by_tag, latest, block]) = <[_; 3]>::try_from(answers) else { continue };
            let final_number = match (finality, by_tag) {
                (Finality::Tag { .. }, Ok(Some(block))) => Some(block.number),
                // The chain does not support the tag.
                (Finality::Depth(_), _) | (_, Ok(None) | Err(CallError::Refused { .. })) => {
                    latest.ok().flatten().and_then(|head| head.number.checked_sub(depth))
                }
                (_, Err(_)) => None,
            };
            let block = block.and_then(|block| check_block(self.chain_id(), BlockTag::Number(number), block));
            if let (Some(_), Ok(Some(block))) =
                (final_number.filter(|final_number| *final_number >= number), block)
            {
                blocks.push((host, block));
            }
        }
        blocks
    }
}

/// The block that all endpoints report, or a disagreement.
pub(crate) fn require_same_block(
    chain: ChainId,
    blocks: &[(String, Block)],
) -> Result<Option<Block>, CallError> {
    let Some((host, known)) = blocks.first() else { return Ok(None) };
    match blocks.iter().find(|(_, block)| block.hash != known.hash) {
        None => Ok(Some(*known)),
        Some((other, block)) => {
            let message = format!(
                "final block {} is {} at {host} and {} at {other}",
                known.number, known.hash, block.hash
            );
            Err(CallError::Disagreement { chain, message })
        }
    }
}
