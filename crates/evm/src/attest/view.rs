use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use alloy_primitives::{Address, B256, Bytes, U64, U256};
use alloy_sol_types::SolCall;
use async_trait::async_trait;
use causeway_domain::ChainId;
use causeway_domain::ports::{
    ChainContracts, ChainError, ChainView, EscrowState, FillRecord, FinalBlock, FinalityTier, ObservedEvent,
};
use parking_lot::Mutex;
use serde_json::json;

use super::agree::agreed;
use super::finality::AttestFinality;
use super::find_fill::{BlockTimes, find_fill};
use super::scan::scan_events;
use crate::blocks::{Block, BlockTag, block_call};
use crate::client::EvmClient;
use crate::contracts::{Escrow, Settler};
use crate::error::CallError;
use crate::finalized::require_same_block;
use crate::follow::Finality;
use crate::rpc::Call;

/// How an attester reads a chain.
#[derive(Clone, Copy, Debug)]
pub struct ViewConfig {
    pub finality: AttestFinality,
    /// How many endpoints must agree.
    pub quorum: NonZeroUsize,
    /// How long the newest final block is cached.
    pub fresh_for: Duration,
}

/// An EVM chain as an attester sees it.
#[derive(Debug)]
pub struct EvmView {
    client: EvmClient,
    config: ViewConfig,
    state: Mutex<State>,
    times: BlockTimes,
}

#[derive(Debug, Default)]
struct State {
    halted: Option<String>,
    usual: Option<(Instant, FinalBlock)>,
    large: Option<(Instant, FinalBlock)>,
}

impl State {
    const fn slot(&mut self, tier: FinalityTier) -> &mut Option<(Instant, FinalBlock)> {
        match tier {
            FinalityTier::Standard => &mut self.usual,
            FinalityTier::Large => &mut self.large,
        }
    }
}

impl EvmView {
    /// Creates a view over the attester's own endpoints.
    pub fn new(client: EvmClient, config: ViewConfig) -> Self {
        Self { client, config, state: Mutex::default(), times: BlockTimes::default() }
    }

    /// Halts the chain on a disagreement about final data, until an operator intervenes.
    fn halt_on_disagreement<T>(&self, answer: Result<T, CallError>) -> Result<T, ChainError> {
        answer.map_err(|error| {
            if let CallError::Disagreement { message, .. } = &error {
                tracing::error!(chain = %self.client.chain_id(), message, "endpoints disagree, chain halted");
                self.state.lock().halted.get_or_insert_with(|| message.clone());
            } else {
                tracing::debug!(%error, "chain read failed");
            }
            error.into()
        })
    }

    fn check_halted(&self) -> Result<(), ChainError> {
        match &self.state.lock().halted {
            Some(message) => Err(ChainError::Disagreement(self.client.chain_id(), message.clone())),
            None => Ok(()),
        }
    }

    async fn newest_final(&self, tier: FinalityTier) -> Result<FinalBlock, CallError> {
        let finality = match tier {
            FinalityTier::Large => self.config.finality.large.unwrap_or(self.config.finality.usual),
            FinalityTier::Standard => self.config.finality.usual,
        };
        let number = self.final_number(finality).await?;
        let before = self.state.lock().slot(tier).map(|(_, block)| block);
        if let Some(before) = before.filter(|before| before.number == number) {
            return Ok(before);
        }
        let newest = self.agreed_block(number, finality).await?;
        if let Some(before) = before.filter(|before| before.number < number) {
            // The previous final block must still be in the chain.
            let again = self.agreed_block(before.number, finality).await?;
            if again.hash != before.hash {
                let message =
                    format!("block {} was final as {} and is {} now", before.number, before.hash, again.hash);
                return Err(CallError::Disagreement { chain: self.client.chain_id(), message });
            }
        }
        Ok(newest)
    }

    /// The highest number that a quorum of endpoints considers final.
    async fn final_number(&self, finality: Finality) -> Result<u64, CallError> {
        let (tag, or_depth) = match finality {
            Finality::Depth(depth) => return self.number_at_depth(depth).await,
            Finality::Tag { tag, or_depth } => (tag, or_depth),
        };
        let answers = self.client.each::<Option<Block>>(&block_call(tag)).await;
        let lacks_tag =
            |answer: &Result<Option<Block>, _>| matches!(answer, Ok(None) | Err(CallError::Refused { .. }));
        if !answers.is_empty() && answers.iter().all(|(_, answer)| lacks_tag(answer)) {
            return self.number_at_depth(or_depth).await;
        }
        let numbers = answers.iter().filter_map(|(_, answer)| Some(answer.as_ref().ok()?.as_ref()?.number));
        self.quorum_number(numbers.collect(), || format!("{tag} block"))
    }

    async fn number_at_depth(&self, depth: u64) -> Result<u64, CallError> {
        let answers = self.client.each::<U64>(&Call::new("eth_blockNumber", json!([]))).await;
        let heads = answers.into_iter().filter_map(|(_, answer)| answer.ok());
        let deep = heads.filter_map(|head| head.to::<u64>().checked_sub(depth));
        self.quorum_number(deep.collect(), || format!("block under {depth} others"))
    }

    fn quorum_number(&self, mut numbers: Vec<u64>, what: impl Fn() -> String) -> Result<u64, CallError> {
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
            Err(CallError::Disagreement { .. }) => self.finalized_block(number, finality).await?,
            block => block?,
        };
        Ok(FinalBlock { number, hash: block.hash, time: block.timestamp })
    }

    /// The block at a quorum of endpoints that consider it final. Endpoints on a fork that is not final are ignored.
    async fn finalized_block(&self, number: u64, finality: Finality) -> Result<Block, CallError> {
        let reports = self.client.finalized_block_by_endpoint(number, finality).await;
        let (count, quorum) = (reports.len(), self.config.quorum);
        let enough = require_same_block(self.client.chain_id(), &reports)?.filter(|_| count >= quorum.get());
        enough.ok_or_else(|| CallError::Unavailable {
            chain: self.client.chain_id(),
            faults: format!(
                "{count} of the {quorum} endpoints that must agree consider block {number} final"
            ),
        })
    }

    /// Calls a view function as of a block, at every endpoint.
    async fn read<C: SolCall>(&self, to: B256, call: &C, at: &FinalBlock) -> Result<C::Return, CallError> {
        let to = evm_address(to)
            .ok_or_else(|| self.client.invalid_response("a contract's address is too wide"))?;
        let data = Bytes::from(call.abi_encode());
        // By hash: a number could mean another block at the second endpoint.
        let params = json!([{ "to": to, "data": data }, { "blockHash": at.hash, "requireCanonical": true }]);
        let call = Call::new("eth_call", params);
        let answer: Bytes = agreed(&self.client, self.config.quorum, &call, Some).await?;
        C::abi_decode_returns_validate(&answer)
            .map_err(|error| self.client.invalid_response(format!("{} answers {error}", C::SIGNATURE)))
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
            .map_err(|_| self.client.invalid_response(format!("order {order} was filled at {filled_at}")))?;
        let reader = (&self.client, &self.times);
        let reference = find_fill(reader, self.config.quorum, settler, order, filled_at, at).await?;
        Ok(Some(FillRecord { filled_at, reference }))
    }
}

#[async_trait]
impl ChainView for EvmView {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    async fn final_block(&self, tier: FinalityTier) -> Result<FinalBlock, ChainError> {
        self.check_halted()?;
        let cached = *self.state.lock().slot(tier);
        if let Some((_, block)) = cached.filter(|(read_at, _)| read_at.elapsed() < self.config.fresh_for) {
            return Ok(block);
        }
        let block = self.halt_on_disagreement(self.newest_final(tier).await)?;
        *self.state.lock().slot(tier) = Some((Instant::now(), block));
        Ok(block)
    }

    async fn escrow_state(
        &self,
        escrow: B256,
        order: B256,
        at: &FinalBlock,
    ) -> Result<EscrowState, ChainError> {
        self.check_halted()?;
        let status =
            self.halt_on_disagreement(self.read(escrow, &Escrow::statusCall { orderId: order }, at).await)?;
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
        self.halt_on_disagreement(self.read_fill(settler, order, at).await)
    }

    async fn observed_events(
        &self,
        contracts: &ChainContracts,
        from: u64,
        to: u64,
    ) -> Result<Vec<ObservedEvent>, ChainError> {
        self.check_halted()?;
        self.halt_on_disagreement(scan_events(&self.client, contracts, from, to).await)
    }
}

/// The address in the low twenty bytes, if the other bytes are zero.
pub(crate) fn evm_address(word: B256) -> Option<Address> {
    let address = Address::from_word(word);
    (address.into_word() == word).then_some(address)
}
