use causeway_domain::ChainId;

use crate::blocks::{Block, BlockTag, block_call, check_block};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::follow::Finality;
use crate::rpc::Call;

impl EvmClient {
    /// What the endpoints say about a block that they call settled themselves; they must agree. One that has fallen behind,
    /// perhaps on a fork that the others have left, says nothing about it: it will change its mind by itself.
    pub async fn settled_block(&self, number: u64, finality: Finality) -> Result<Option<Block>, CallError> {
        alike(self.chain_id(), &self.settled_words(number, finality).await)
    }

    /// The block at each endpoint that calls it settled, with the endpoint's name.
    pub(crate) async fn settled_words(&self, number: u64, finality: Finality) -> Vec<(String, Block)> {
        let (tag, depth) = match finality {
            Finality::Depth(depth) => (BlockTag::Latest, depth),
            Finality::Tag { tag, or_depth } => (tag, or_depth),
        };
        // How far an endpoint has come is asked before the block: what was settled by then is what it shows after.
        let tags = [tag, BlockTag::Latest, BlockTag::Number(number)];
        let calls: Vec<Call> = tags.into_iter().map(block_call).collect();
        let mut words = Vec::new();
        for (host, answers) in self.each_of::<Option<Block>>(&calls).await {
            let Ok([by_tag, latest, block]) = <[_; 3]>::try_from(answers) else { continue };
            let settled = match (finality, by_tag) {
                (Finality::Tag { .. }, Ok(Some(block))) => Some(block.number),
                // The chain does not know the word.
                (Finality::Depth(_), _) | (_, Ok(None) | Err(CallError::Refused { .. })) => {
                    latest.ok().flatten().and_then(|head| head.number.checked_sub(depth))
                }
                (_, Err(_)) => None,
            };
            let block = block.and_then(|block| check_block(self.chain_id(), BlockTag::Number(number), block));
            if let (Some(_), Ok(Some(block))) = (settled.filter(|settled| *settled >= number), block) {
                words.push((host, block));
            }
        }
        words
    }
}

/// The one block that all words are about.
pub(crate) fn alike(chain: ChainId, words: &[(String, Block)]) -> Result<Option<Block>, CallError> {
    let Some((host, known)) = words.first() else { return Ok(None) };
    match words.iter().find(|(_, block)| block.hash != known.hash) {
        None => Ok(Some(*known)),
        Some((other, block)) => {
            let message = format!(
                "block {} is settled as {} at {host} and as {} at {other}",
                known.number, known.hash, block.hash
            );
            Err(CallError::Disagreement { chain, message })
        }
    }
}
