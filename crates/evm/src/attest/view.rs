use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use alloy_primitives::{Address, B256, Bytes, U64, U256};
use alloy_sol_types::SolCall;
use async_trait::async_trait;
use causeway_domain::ChainId;
use causeway_domain::ports::{
    Care, ChainContracts, ChainError, ChainView, EscrowState, FillRecord, FinalBlock, Sighting,
};
use serde_json::json;

use super::agree::agreed;
use super::finality::AttestFinality;
use super::find_fill::find_fill;
use super::sight::sight;
use crate::blocks::{Block, BlockTag, block_call};
use crate::client::EvmClient;
use crate::contracts::{Escrow, Settler};
use crate::error::CallError;
use crate::follow::Finality;
use crate::rpc::Call;
use crate::settled::alike;

/// How carefully a chain is looked at.
#[derive(Clone, Copy, Debug)]
pub struct ViewConfig {
    pub finality: AttestFinality,
    /// How many endpoints must say the same before it is believed.
    pub quorum: NonZeroUsize,
    /// How long a final block is good for without asking again; it stays final for ever.
    pub fresh_for: Duration,
}

/// An EVM chain as an attester sees it.
#[derive(Debug)]
pub struct EvmView {
    client: EvmClient,
    config: ViewConfig,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    halted: Option<String>,
    usual: Option<(Instant, FinalBlock)>,
    large: Option<(Instant, FinalBlock)>,
}

impl State {
    const fn slot(&mut self, care: Care) -> &mut Option<(Instant, FinalBlock)> {
        match care {
            Care::Usual => &mut self.usual,
            Care::Large => &mut self.large,
        }
    }
}

impl EvmView {
    /// The client's endpoints are the attester's own, and nobody else's.
    pub fn new(client: EvmClient, config: ViewConfig) -> Self {
        Self { client, config, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A disagreement about something final ends all belief until a person has looked.
    fn judge<T>(&self, answer: Result<T, CallError>) -> Result<T, ChainError> {
        answer.map_err(|error| {
            if let CallError::Disagreement { message, .. } = &error {
                tracing::error!(chain = %self.client.chain_id(), message, "endpoints disagree: nothing of this chain is believed any more");
                self.state().halted.get_or_insert_with(|| message.clone());
            } else {
                tracing::debug!(%error, "a chain could not be read");
            }
            error.into()
        })
    }

    fn check_halted(&self) -> Result<(), ChainError> {
        match &self.state().halted {
            Some(words) => Err(ChainError::Disagreement(self.client.chain_id(), words.clone())),
            None => Ok(()),
        }
    }

    async fn newest_final(&self, care: Care) -> Result<FinalBlock, CallError> {
        let finality = match care {
            Care::Large => self.config.finality.large.unwrap_or(self.config.finality.usual),
            Care::Usual => self.config.finality.usual,
        };
        let number = self.final_number(finality).await?;
        let before = self.state().slot(care).map(|(_, block)| block);
        if let Some(before) = before.filter(|before| before.number == number) {
            return Ok(before);
        }
        let newest = self.agreed_block(number, finality).await?;
        if let Some(before) = before.filter(|before| before.number < number) {
            // What was final must still stand below what is final now.
            let again = self.agreed_block(before.number, finality).await?;
            if again.hash != before.hash {
                let message =
                    format!("block {} was final as {} and is {} now", before.number, before.hash, again.hash);
                return Err(CallError::Disagreement { chain: self.client.chain_id(), message });
            }
        }
        Ok(newest)
    }

    /// The highest number that enough endpoints call final.
    async fn final_number(&self, finality: Finality) -> Result<u64, CallError> {
        let (tag, or_depth) = match finality {
            Finality::Depth(depth) => return self.number_at_depth(depth).await,
            Finality::Tag { tag, or_depth } => (tag, or_depth),
        };
        let answers = self.client.each::<Option<Block>>(&block_call(tag)).await;
        let knows_no_tag =
            |answer: &Result<Option<Block>, _>| matches!(answer, Ok(None) | Err(CallError::Refused { .. }));
        if !answers.is_empty() && answers.iter().all(|(_, answer)| knows_no_tag(answer)) {
            return self.number_at_depth(or_depth).await;
        }
        let numbers = answers.iter().filter_map(|(_, answer)| Some(answer.as_ref().ok()?.as_ref()?.number));
        self.enough(numbers.collect(), || format!("{tag} block"))
    }

    async fn number_at_depth(&self, depth: u64) -> Result<u64, CallError> {
        let answers = self.client.each::<U64>(&Call::new("eth_blockNumber", json!([]))).await;
        let heads = answers.into_iter().filter_map(|(_, answer)| answer.ok());
        let deep = heads.filter_map(|head| head.to::<u64>().checked_sub(depth));
        self.enough(deep.collect(), || format!("block under {depth} others"))
    }

    fn enough(&self, mut numbers: Vec<u64>, what: impl Fn() -> String) -> Result<u64, CallError> {
        numbers.sort_unstable_by(|one, other| other.cmp(one));
        numbers.get(self.config.quorum.get() - 1).copied().ok_or_else(|| CallError::Unavailable {
            chain: self.client.chain_id(),
            faults: format!(
                "{} of the {} endpoints that must agree have a {}",
                numbers.len(),
                self.config.quorum,
                what()
            ),
        })
    }

    async fn agreed_block(&self, number: u64, finality: Finality) -> Result<FinalBlock, CallError> {
        let call = block_call(BlockTag::Number(number));
        let this = |block: Option<Block>| block.filter(|block| block.number == number);
        let block = match agreed(&self.client, self.config.quorum, &call, this).await {
            Err(CallError::Disagreement { .. }) => self.settled_block(number, finality).await?,
            block => block?,
        };
        Ok(FinalBlock { number, hash: block.hash, time: block.timestamp })
    }

    /// The block by the word of enough endpoints that call it final themselves. One on a fork that is not final says nothing.
    async fn settled_block(&self, number: u64, finality: Finality) -> Result<Block, CallError> {
        let words = self.client.settled_words(number, finality).await;
        let (count, quorum) = (words.len(), self.config.quorum);
        let enough = alike(self.client.chain_id(), &words)?.filter(|_| count >= quorum.get());
        enough.ok_or_else(|| CallError::Unavailable {
            chain: self.client.chain_id(),
            faults: format!("{count} of the {quorum} endpoints that must agree call block {number} final"),
        })
    }

    /// Calls a contract's view as of a block, at every endpoint.
    async fn read<C: SolCall>(&self, to: B256, call: &C, at: &FinalBlock) -> Result<C::Return, CallError> {
        let to = evm_address(to).ok_or_else(|| self.client.nonsense("a contract's address is too wide"))?;
        let data = Bytes::from(call.abi_encode());
        // By hash: a number could mean another block by the time the second endpoint is asked.
        let params = json!([{ "to": to, "data": data }, { "blockHash": at.hash, "requireCanonical": true }]);
        let call = Call::new("eth_call", params);
        let answer: Bytes = agreed(&self.client, self.config.quorum, &call, Some).await?;
        C::abi_decode_returns_validate(&answer)
            .map_err(|error| self.client.nonsense(format!("{} answers {error}", C::SIGNATURE)))
    }

    async fn read_fill(
        &self,
        settler: B256,
        order: B256,
        at: &FinalBlock,
    ) -> Result<Option<FillRecord>, CallError> {
        let filled_at: U256 = self.read(settler, &Settler::filledAtCall { orderId: order }, at).await?;
        if filled_at.is_zero() {
            return Ok(None);
        }
        let filled_at = u64::try_from(filled_at)
            .map_err(|_| self.client.nonsense(format!("order {order} was filled at {filled_at}")))?;
        let reference = find_fill(&self.client, self.config.quorum, settler, order, filled_at, at).await?;
        Ok(Some(FillRecord { filled_at, reference }))
    }
}

#[async_trait]
impl ChainView for EvmView {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    async fn final_block(&self, care: Care) -> Result<FinalBlock, ChainError> {
        self.check_halted()?;
        let held = *self.state().slot(care);
        if let Some((_, block)) = held.filter(|(since, _)| since.elapsed() < self.config.fresh_for) {
            return Ok(block);
        }
        let block = self.judge(self.newest_final(care).await)?;
        *self.state().slot(care) = Some((Instant::now(), block));
        Ok(block)
    }

    async fn escrow_state(
        &self,
        escrow: B256,
        order: B256,
        at: &FinalBlock,
    ) -> Result<EscrowState, ChainError> {
        self.check_halted()?;
        let status = self.judge(self.read(escrow, &Escrow::statusCall { orderId: order }, at).await)?;
        Ok(match status {
            Escrow::Status::Open => EscrowState::Open,
            Escrow::Status::Claimed => EscrowState::Claimed,
            Escrow::Status::Refunded => EscrowState::Refunded,
            _ => EscrowState::Unknown,
        })
    }

    async fn fill_record(
        &self,
        settler: B256,
        order: B256,
        at: &FinalBlock,
    ) -> Result<Option<FillRecord>, ChainError> {
        self.check_halted()?;
        self.judge(self.read_fill(settler, order, at).await)
    }

    async fn sightings(
        &self,
        contracts: &ChainContracts,
        from: u64,
        to: u64,
    ) -> Result<Vec<Sighting>, ChainError> {
        self.check_halted()?;
        self.judge(sight(&self.client, contracts, from, to).await)
    }
}

/// The address in the low twenty bytes, if the rest is clean.
pub(crate) fn evm_address(word: B256) -> Option<Address> {
    let address = Address::from_word(word);
    (address.into_word() == word).then_some(address)
}
