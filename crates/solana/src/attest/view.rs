use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    BlockMark, Care, ChainContracts, ChainError, ChainView, EscrowState, FillRecord, FinalBlock, Sighting,
};
use causeway_domain::{ChainId, FactKind, SOLANA_CHAIN_ID};
use serde_json::json;
use solana_address::Address;

use super::agree::{agreed, reached};
use crate::account::accounts_call;
use crate::orders::{facts, kept_fill, kept_order};
use crate::program::{EscrowProgram, OrderStatus};
use crate::rpc::Call;
use crate::{Account, Bookmark, Commitment, RpcError, SolanaRpc};

/// How carefully the chain is looked at.
#[derive(Clone, Copy, Debug)]
pub struct SolanaViewConfig {
    /// How many endpoints must say the same before it is believed.
    pub quorum: NonZeroUsize,
    /// How long a final block is good for without asking again; it stays final for ever.
    pub fresh_for: Duration,
}

/// Solana as an attester sees it.
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
    /// The client's endpoints are the attester's own, and nobody else's.
    pub fn new(rpc: SolanaRpc, config: SolanaViewConfig) -> Self {
        Self { rpc, config, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A disagreement about something final ends all belief until a person has looked.
    fn halt(&self, words: String) -> ChainError {
        tracing::error!(words, "endpoints of Solana disagree: nothing of this chain is believed any more");
        self.state().halted.get_or_insert_with(|| words.clone());
        ChainError::Disagreement(SOLANA_CHAIN_ID, words)
    }

    fn check_halted(&self) -> Result<(), ChainError> {
        match &self.state().halted {
            Some(words) => Err(ChainError::Disagreement(SOLANA_CHAIN_ID, words.clone())),
            None => Ok(()),
        }
    }

    async fn newest_final(&self) -> Result<FinalBlock, ChainError> {
        let quorum = self.config.quorum;
        let ask = Call { method: "getSlot", params: json!([{ "commitment": Commitment::Finalized }]) };
        let slot = reached("the final slot", quorum, self.rpc.ask_everyone::<u64>(ask).await)?;
        let before = self.state().newest.map(|(_, block)| block);
        if let Some(before) = before.filter(|before| before.number >= slot) {
            return Ok(before);
        }
        let newest = self.agreed_block(slot).await?;
        if let Some(before) = before {
            // What was final must still stand below what is final now.
            let again = self.agreed_block(before.number).await?;
            if again.hash != before.hash {
                let words =
                    format!("slot {} was final as {} and is {} now", before.number, before.hash, again.hash);
                return Err(self.halt(words));
            }
        }
        Ok(newest)
    }

    async fn agreed_block(&self, slot: u64) -> Result<FinalBlock, ChainError> {
        let missing = || RpcError::Unavailable(format!("it has no block in slot {slot}"));
        let marks = self.rpc.marks(slot).await;
        let marks = marks.into_iter().map(|mark| mark.and_then(|mark| mark.ok_or_else(missing)));
        match agreed("a final block", self.config.quorum, marks)? {
            Some(BlockMark { number, hash, time }) => Ok(FinalBlock { number, hash, time }),
            None => Err(self.halt(format!("slot {slot} is not the same block everywhere"))),
        }
    }

    /// An account as endpoints that have come as far as `at` show it. Nobody can be asked how it was in a block, so two answers
    /// may lie on both sides of a change: that is no contradiction, and passes.
    async fn account(&self, address: Address, at: &FinalBlock) -> Result<Option<Account>, ChainError> {
        self.check_halted()?;
        let call = accounts_call(&[address], Commitment::Finalized, Some(at.number));
        let answers = self.rpc.ask_everyone(call).await;
        let answers = answers.into_iter().map(|answer| {
            let read = crate::account::read_accounts(answer?, 1, Some(at.number));
            read.map(|seen| seen.value).map_err(RpcError::Nonsense)
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

    /// Transactions are listed by program, however many slots lie between them.
    fn span(&self) -> u64 {
        u64::MAX
    }

    async fn final_block(&self, _: Care) -> Result<FinalBlock, ChainError> {
        self.check_halted()?;
        let held = self.state().newest;
        if let Some((_, block)) = held.filter(|(since, _)| since.elapsed() < self.config.fresh_for) {
            return Ok(block);
        }
        let block = self.newest_final().await?;
        self.state().newest = Some((Instant::now(), block));
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
        let kept = account.and_then(|account| kept_order(program, address, &account));
        Ok(match kept.map(|kept| kept.status) {
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
        let kept = account.and_then(|account| kept_fill(program, address, &account));
        let reference = address.to_bytes().into();
        Ok(kept.map(|kept| FillRecord { filled_at: kept.filled_at, reference }))
    }

    async fn sightings(
        &self,
        contracts: &ChainContracts,
        from: u64,
        to: u64,
    ) -> Result<Vec<Sighting>, ChainError> {
        self.check_halted()?;
        let mut programs: Vec<B256> = contracts.escrows.iter().chain(&contracts.settlers).copied().collect();
        programs.sort_unstable();
        programs.dedup();
        let mut sightings = Vec::new();
        for program in programs.into_iter().map(program) {
            let bookmark = Bookmark { slot: from, signature: None };
            let listed = self.rpc.mentions_at(&program.id, bookmark, Commitment::Finalized, Some(to)).await?;
            let wanted = listed.iter().filter(|one| one.slot <= to && one.failure.is_none());
            let wanted: Vec<_> = wanted.map(|one| one.signature).collect();
            let told = self.rpc.told_for_good(program, &wanted).await?;
            let facts = facts(&self.rpc, program, &told, Commitment::Finalized, Some(to)).await?;
            sightings.extend(facts.into_iter().map(|fact| match fact.kind {
                FactKind::Opened(terms) => Sighting::Opened(terms),
                FactKind::Filled(_) => Sighting::Filled(fact.intent),
                FactKind::Claimed(_) | FactKind::Refunded { .. } => Sighting::Ended(fact.intent),
            }));
        }
        Ok(sightings)
    }
}

fn program(word: B256) -> EscrowProgram {
    EscrowProgram::new(Address::new_from_array(word.0))
}
