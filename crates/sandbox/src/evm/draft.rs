use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use alloy_consensus::{Header, Transaction as _};
use alloy_primitives::B256;
use revm::context::result::{EVMError, InvalidTransaction};

use super::block::{Mined, SealedBlock, Slot, next_header, seal};
use super::change::Change;
use super::execute::{Refusal, transact, tx_env};
use super::ledger::Recent;
use super::pool::{Pooled, Run};
use super::world::{BlockHashes, StateAt, World};
use super::write::Write;

/// What goes into the next block.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) chain_id: u64,
    pub(crate) slot: Slot,
    pub(crate) writes: Arc<Vec<Write>>,
    pub(crate) runs: Vec<Run>,
}

/// The next block, made but not yet part of the chain, and the transactions that can never be part of it.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) recent: Recent,
    pub(crate) unfit: Vec<B256>,
}

/// The first of an account's run, worth what it tips.
struct Bid {
    tip: u128,
    order: Reverse<u64>,
    run: Run,
}

impl Bid {
    fn new(run: Run, base_fee: u64) -> Option<Self> {
        let first = run.front()?;
        Some(Self { tip: first.tip(base_fee)?, order: Reverse(first.order()), run })
    }

    fn worth(&self) -> (u128, Reverse<u64>) {
        (self.tip, self.order)
    }
}

impl Ord for Bid {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.worth().cmp(&other.worth())
    }
}

impl PartialOrd for Bid {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Bid {
    fn eq(&self, other: &Self) -> bool {
        self.worth() == other.worth()
    }
}

impl Eq for Bid {}

/// Makes the next block on top of `parent`: writes first, then transactions, best tip first.
pub(crate) fn draft(parent: &SealedBlock, world: &World, plan: Plan, hashes: &BlockHashes<'_>) -> Draft {
    let mut header = next_header(parent, plan.slot);
    let (mut world, mut change) = (world.clone(), Change::default());
    for write in plan.writes.iter() {
        write.apply(&mut world, &mut change);
    }
    let mut fill =
        Fill { chain_id: plan.chain_id, header: &header, hashes, body: Vec::new(), unfit: Vec::new() };
    fill.run(plan.runs, &mut world, &mut change);
    let Fill { body, unfit, .. } = fill;
    if !change.accounts.is_empty() {
        world.settle(&change);
        header.state_root = world.commitment().root();
    }
    let block = Arc::new(seal(header, body));
    let change = Arc::new(change);
    Draft { recent: Recent { block, world, change, writes: plan.writes, branch: plan.slot.branch }, unfit }
}

struct Fill<'a> {
    chain_id: u64,
    header: &'a Header,
    hashes: &'a BlockHashes<'a>,
    body: Vec<Mined>,
    unfit: Vec<B256>,
}

impl Fill<'_> {
    fn run(&mut self, runs: Vec<Run>, world: &mut World, change: &mut Change) {
        let base_fee = self.header.base_fee_per_gas.unwrap_or_default();
        let mut gas_left = self.header.gas_limit;
        let mut bids: BinaryHeap<Bid> = runs.into_iter().filter_map(|run| Bid::new(run, base_fee)).collect();
        while let Some(Bid { mut run, .. }) = bids.pop() {
            let Some(pooled) = run.pop_front() else {
                continue;
            };
            // What does not fit waits for the next block, and so does what follows it.
            if pooled.tx.gas_limit() > gas_left {
                continue;
            }
            match self.include(&pooled, world, change) {
                Ok(gas_used) => {
                    gas_left = gas_left.saturating_sub(gas_used);
                    bids.extend(Bid::new(run, base_fee));
                }
                Err(refusal) if can_wait(&refusal) => {}
                Err(_) => self.unfit.push(pooled.hash),
            }
        }
    }

    fn include(&mut self, pooled: &Pooled, world: &mut World, change: &mut Change) -> Result<u64, Refusal> {
        let state = StateAt { world, number: self.header.number, hashes: self.hashes };
        let outcome = transact(&state, self.chain_id, self.header, tx_env(&pooled.tx))?;
        world.absorb(outcome.state, change);
        let (success, gas_used) = (outcome.result.is_success(), outcome.result.tx_gas_used());
        let logs = if success { outcome.result.into_logs() } else { Vec::new() };
        self.body.push(Mined { tx: pooled.tx.clone(), success, gas_used, logs });
        Ok(gas_used)
    }
}

/// Whether a later block may take what this one would not.
fn can_wait(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        EVMError::Transaction(
            InvalidTransaction::GasPriceLessThanBasefee | InvalidTransaction::NonceTooHigh { .. }
        )
    )
}
