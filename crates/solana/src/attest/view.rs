use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    ChainContracts, ChainCursor, ChainError, ChainView, EscrowState, FillRecord, FinalBlock, FinalityTier,
    ObservedEvent,
};
use causeway_domain::{ChainId, FactKind, SOLANA_CHAIN_ID};
use parking_lot::Mutex;
use serde_json::json;
use solana_address::Address;

use super::agree::{agreed, reached};
use crate::account::accounts_call;
use crate::orders::{OpenedOrders, facts, read_fill_marker, read_order_account};
use crate::program::{EscrowProgram, OrderStatus};
use crate::rpc::Call;
use crate::{Account, Commitment, HistoryCursor, RpcError, SolanaRpc};

/// How many endpoints must agree, and how long a final block is cached.
#[derive(Clone, Copy, Debug)]
pub struct SolanaViewConfig {
    /// How many endpoints must agree on a value.
    pub quorum: NonZeroUsize,
    /// How long the newest final block is cached.
    pub fresh_for: Duration,
}

/// The attester's view of Solana.
#[derive(Debug)]
pub struct SolanaView {
    rpc: SolanaRpc,
    config: SolanaViewConfig,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    halted: Option<String>,
    newest: Option<(Instant, FinalBlock)>,
}

impl SolanaView {
    /// `rpc` must use the attester's own endpoints.
    pub fn new(rpc: SolanaRpc, config: SolanaViewConfig) -> Self {
        Self { rpc, config, state: Mutex::default() }
    }

    /// A disagreement about final state halts the view until an operator intervenes.
    fn halt(&self, reason: String) -> ChainError {
        tracing::error!(reason, "chain halted: Solana endpoints disagree");
        self.state.lock().halted.get_or_insert_with(|| reason.clone());
        ChainError::Disagreement(SOLANA_CHAIN_ID, reason)
    }

    fn check_halted(&self) -> Result<(), ChainError> {
        match &self.state.lock().halted {
            Some(reason) => Err(ChainError::Disagreement(SOLANA_CHAIN_ID, reason.clone())),
            None => Ok(()),
        }
    }

    async fn newest_final(&self) -> Result<FinalBlock, ChainError> {
        let quorum = self.config.quorum;
        let call = Call { method: "getSlot", params: json!([{ "commitment": Commitment::Finalized }]) };
        let slot = reached("the final slot", quorum, self.rpc.request_all_endpoints::<u64>(call).await)?;
        let before = self.state.lock().newest.map(|(_, block)| block);
        if let Some(before) = before.filter(|before| before.number >= slot) {
            return Ok(before);
        }
        let newest = self.agreed_block(slot).await?;
        if let Some(before) = before {
            // The block that was final before must still be the same.
            let again = self.agreed_block(before.number).await?;
            if again.hash != before.hash {
                let reason =
                    format!("slot {} was final as {} and is {} now", before.number, before.hash, again.hash);
                return Err(self.halt(reason));
            }
        }
        Ok(newest)
    }

    async fn agreed_block(&self, slot: u64) -> Result<FinalBlock, ChainError> {
        let missing = || RpcError::Unavailable(format!("it has no block in slot {slot}"));
        let blocks = self.rpc.block_cursors(slot).await;
        let blocks = blocks.into_iter().map(|block| block.and_then(|block| block.ok_or_else(missing)));
        match agreed("a final block", self.config.quorum, blocks)? {
            Some(ChainCursor { number, hash, time }) => Ok(FinalBlock { number, hash, time }),
            None => Err(self.halt(format!("slot {slot} is not the same block everywhere"))),
        }
    }

    /// An account as shown by endpoints that have reached `at`. Nodes cannot be queried for a past slot, so two answers
    /// may be from before and after a change; that is transient and no disagreement.
    async fn account(&self, address: Address, at: &FinalBlock) -> Result<Option<Account>, ChainError> {
        self.check_halted()?;
        let call = accounts_call(&[address], Commitment::Finalized, Some(at.number));
        let answers = self.rpc.request_all_endpoints(call).await;
        let answers = answers.into_iter().map(|answer| {
            let read = crate::account::read_accounts(answer?, 1, Some(at.number));
            read.map(|seen| seen.value).map_err(RpcError::InvalidResponse)
        });
        match agreed("an account", self.config.quorum, answers)? {
            Some(mut accounts) => Ok(accounts.pop().flatten()),
            None => Err(ChainError::Unavailable(SOLANA_CHAIN_ID)),
        }
    }
}

#[async_trait]
impl ChainView for SolanaView {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    /// Transactions are listed by program, so the range of slots is unlimited.
    fn span(&self) -> u64 {
        u64::MAX
    }

    async fn final_block(&self, _: FinalityTier) -> Result<FinalBlock, ChainError> {
        self.check_halted()?;
        let cached = self.state.lock().newest;
        if let Some((_, block)) = cached.filter(|(since, _)| since.elapsed() < self.config.fresh_for) {
            return Ok(block);
        }
        let block = self.newest_final().await?;
        self.state.lock().newest = Some((Instant::now(), block));
        Ok(block)
    }

    async fn escrow_state(
        &self,
        escrow: B256,
        order: B256,
        at: &FinalBlock,
    ) -> Result<EscrowState, ChainError> {
        let program = program(escrow);
        let address = program.order(order);
        let account = self.account(address, at).await?;
        let state = account.and_then(|account| read_order_account(program, address, &account));
        Ok(match state.map(|state| state.status) {
            Some(OrderStatus::Open) => EscrowState::Open,
            Some(OrderStatus::Claimed) => EscrowState::Claimed,
            Some(OrderStatus::Refunded(_)) => EscrowState::Refunded,
            None => EscrowState::Unknown,
        })
    }

    async fn fill_record(
        &self,
        settler: B256,
        order: B256,
        at: &FinalBlock,
    ) -> Result<Option<FillRecord>, ChainError> {
        let program = program(settler);
        let address = program.fill_marker(order);
        let account = self.account(address, at).await?;
        let state = account.and_then(|account| read_fill_marker(program, address, &account));
        let reference = address.to_bytes().into();
        Ok(state.map(|state| FillRecord { filled_at: state.filled_at, reference }))
    }

    async fn observed_events(
        &self,
        contracts: &ChainContracts,
        from: u64,
        to: u64,
    ) -> Result<Vec<ObservedEvent>, ChainError> {
        self.check_halted()?;
        let mut programs: Vec<B256> = contracts.escrows.iter().chain(&contracts.settlers).copied().collect();
        programs.sort_unstable();
        programs.dedup();
        let mut observed_events = Vec::new();
        for program in programs.into_iter().map(program) {
            let cursor = HistoryCursor { slot: from, signature: None };
            let listed = self.rpc.mentions_at(&program.id, cursor, Commitment::Finalized, Some(to)).await?;
            let wanted = listed.iter().filter(|one| one.slot <= to && one.failure.is_none());
            let wanted: Vec<_> = wanted.map(|one| one.signature).collect();
            let transactions = self.rpc.final_escrow_transactions(program, &wanted).await?;
            let at = (Commitment::Finalized, Some(to));
            // Of an order that has ended and was closed, an attester has nothing to say.
            let opened = OpenedOrders { terms: &HashMap::new(), must_answer: false };
            let facts = facts(&self.rpc, program, &transactions, at, opened).await?;
            observed_events.extend(facts.into_iter().map(|fact| match fact.kind {
                FactKind::Opened(terms) => ObservedEvent::Opened(terms),
                FactKind::Filled(_) => ObservedEvent::Filled(fact.intent_id),
                FactKind::Claimed(_) | FactKind::Refunded { .. } => ObservedEvent::Ended(fact.intent_id),
            }));
        }
        Ok(observed_events)
    }
}

fn program(word: B256) -> EscrowProgram {
    EscrowProgram::new(Address::new_from_array(word.0))
}
