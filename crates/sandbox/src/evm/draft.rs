use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use alloy_consensus::transaction::Recovered;
use alloy_consensus::{Header, Transaction as _, TxEnvelope};
use alloy_primitives::{B256, U256};
use revm::context::TxEnv;
use revm::context::result::{EVMError, InvalidTransaction};

use super::block::{Mined, SealedBlock, Slot, next_header, seal};
use super::change::Change;
use super::data_fee::DataFee;
use super::execute::{TxRejection, transact, tx_env};
use super::ledger::RecentBlock;
use super::pool::{Pooled, Run, cost};
use super::world_state::{BlockHashes, StateAt, WorldState};
use super::write::Write;

/// The contents of the next block.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) chain_id: u64,
    pub(crate) slot: Slot,
    pub(crate) writes: Arc<Vec<Write>>,
    pub(crate) runs: Vec<Run>,
}

/// The next block, not yet part of the chain, and the transactions that can never be included.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) recent: RecentBlock,
    pub(crate) invalid: Vec<B256>,
}

/// An account's next transactions, ordered by the tip of the first.
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

    fn priority(&self) -> (u128, Reverse<u64>) {
        (self.tip, self.order)
    }
}

impl Ord for Bid {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.priority().cmp(&other.priority())
    }
}

impl PartialOrd for Bid {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Bid {
    fn eq(&self, other: &Self) -> bool {
        self.priority() == other.priority()
    }
}

impl Eq for Bid {}

/// Makes the next block on top of `parent`: writes first, then transactions, best tip first.
pub(crate) fn draft(parent: &SealedBlock, world: &WorldState, plan: Plan, hashes: &BlockHashes<'_>) -> Draft {
    let mut header = next_header(parent, plan.slot);
    let (mut world, mut change) = (world.clone(), Change::default());
    for write in plan.writes.iter() {
        write.apply(&mut world, &mut change);
    }
    let mut fill = BlockBuilder {
        chain_id: plan.chain_id,
        header: &header,
        hashes,
        body: Vec::new(),
        invalid: Vec::new(),
    };
    fill.run(plan.runs, &mut world, &mut change);
    let BlockBuilder { body, invalid, .. } = fill;
    if !change.accounts.is_empty() {
        world.update_root(&change);
        header.state_root = world.commitment().root();
    }
    let block = Arc::new(seal(header, body));
    let change = Arc::new(change);
    Draft {
        recent: RecentBlock { block, world, change, writes: plan.writes, branch: plan.slot.branch },
        invalid,
    }
}

struct BlockBuilder<'a> {
    chain_id: u64,
    header: &'a Header,
    hashes: &'a BlockHashes<'a>,
    body: Vec<Mined>,
    invalid: Vec<B256>,
}

impl BlockBuilder<'_> {
    fn run(&mut self, runs: Vec<Run>, world: &mut WorldState, change: &mut Change) {
        let base_fee = self.header.base_fee_per_gas.unwrap_or_default();
        let mut gas_left = self.header.gas_limit;
        let mut bids: BinaryHeap<Bid> = runs.into_iter().filter_map(|run| Bid::new(run, base_fee)).collect();
        while let Some(Bid { mut run, .. }) = bids.pop() {
            let Some(pooled) = run.pop_front() else {
                continue;
            };
            // A transaction that does not fit waits for the next block, and so do its successors.
            if pooled.tx.gas_limit() > gas_left {
                continue;
            }
            match self.include(&pooled, world, change) {
                Ok(gas_used) => {
                    gas_left = gas_left.saturating_sub(gas_used);
                    bids.extend(Bid::new(run, base_fee));
                }
                Err(rejection) if can_wait(&rejection) => {}
                Err(_) => self.invalid.push(pooled.hash),
            }
        }
    }

    fn include(
        &mut self,
        pooled: &Pooled,
        world: &mut WorldState,
        change: &mut Change,
    ) -> Result<u64, TxRejection> {
        let tx = &pooled.tx;
        let base_fee = self.header.base_fee_per_gas.unwrap_or_default();
        let data_fee = DataFee::of(world);
        let (apart, data_gas) = (data_fee.apart(tx), data_fee.gas(tx, base_fee));
        check_data_fee(world, tx, apart, data_gas)?;
        let state = StateAt { world, number: self.header.number, hashes: self.hashes };
        let gas_limit = tx.gas_limit().saturating_sub(data_gas);
        let outcome = transact(&state, self.chain_id, self.header, TxEnv { gas_limit, ..tx_env(tx) })?;
        world.absorb(outcome.state, change);
        let for_gas = U256::from(data_gas).saturating_mul(U256::from(tx.effective_gas_price(Some(base_fee))));
        data_fee.collect(apart.saturating_add(for_gas), tx.signer(), world, change);
        let success = outcome.result.is_success();
        let gas_used = outcome.result.tx_gas_used().saturating_add(data_gas);
        let logs = if success { outcome.result.into_logs() } else { Vec::new() };
        self.body.push(Mined { tx: pooled.tx.clone(), success, gas_used, logs });
        Ok(gas_used)
    }
}

/// Whether the sender can pay for the data besides the rest, and the gas limit covers them.
fn check_data_fee(
    world: &WorldState,
    tx: &Recovered<TxEnvelope>,
    apart: U256,
    data_gas: u64,
) -> Result<(), TxRejection> {
    if data_gas > tx.gas_limit() {
        let invalid = InvalidTransaction::CallGasCostMoreThanGasLimit {
            initial_gas: data_gas,
            gas_limit: tx.gas_limit(),
        };
        return Err(EVMError::Transaction(invalid));
    }
    let (balance, needed) = (world.balance(tx.signer()), cost(tx).saturating_add(apart));
    if (data_gas > 0 || !apart.is_zero()) && balance < needed {
        let invalid =
            InvalidTransaction::LackOfFundForMaxFee { fee: Box::new(needed), balance: Box::new(balance) };
        return Err(EVMError::Transaction(invalid));
    }
    Ok(())
}

/// Whether a later block may include the transaction.
fn can_wait(rejection: &TxRejection) -> bool {
    matches!(
        rejection,
        EVMError::Transaction(
            InvalidTransaction::GasPriceLessThanBasefee | InvalidTransaction::NonceTooHigh { .. }
        )
    )
}
