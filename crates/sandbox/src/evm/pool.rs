use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy_consensus::transaction::Recovered;
use alloy_consensus::{Transaction as _, TxEnvelope};
use alloy_primitives::{Address, B256, U256};

use super::world_state::WorldState;

/// The maximum number of pooled transactions.
const CAPACITY: usize = 6_000;
/// The maximum number of pooled transactions per account.
const PER_ACCOUNT: usize = 1_000;
/// How long a transaction stays in the pool.
const LIFETIME: Duration = Duration::from_hours(3);
/// By how much a replacement must outbid what it replaces, in percent.
const REPLACEMENT_BUMP: u128 = 10;
/// How many arrivals a filter may lag behind.
const ARRIVALS: usize = 4_096;

/// A pending transaction.
#[derive(Debug)]
pub(crate) struct Pooled {
    pub(crate) tx: Recovered<TxEnvelope>,
    pub(crate) hash: B256,
    arrived: Instant,
    ready_at: Instant,
    order: u64,
}

impl Pooled {
    pub(crate) fn nonce(&self) -> u64 {
        self.tx.nonce()
    }

    /// What the sender must hold: value plus all gas at the maximum price.
    pub(crate) fn cost(&self) -> U256 {
        cost(&self.tx)
    }

    /// The tip per gas; `None` if it does not cover the base fee.
    pub(crate) fn tip(&self, base_fee: u64) -> Option<u128> {
        self.tx.effective_tip_per_gas(base_fee)
    }

    /// Earlier arrivals come first among equal tips.
    pub(crate) fn order(&self) -> u64 {
        self.order
    }
}

/// The maximum cost of a transaction for its sender.
pub(crate) fn cost(tx: &Recovered<TxEnvelope>) -> U256 {
    U256::from(tx.gas_limit()).saturating_mul(U256::from(tx.max_fee_per_gas())).saturating_add(tx.value())
}

/// Why the pool rejects a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PoolError {
    #[error("already known")]
    Known,
    #[error("replacement transaction underpriced")]
    Underpriced,
    #[error("txpool is full")]
    Full,
    #[error("account limit exceeded: pooled {PER_ACCOUNT} txs")]
    AccountFull,
}

/// Transactions of one account with consecutive nonces.
pub(crate) type Run = VecDeque<Arc<Pooled>>;

/// The pending transactions, by account and nonce.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    accounts: HashMap<Address, BTreeMap<u64, Arc<Pooled>>>,
    hashes: HashMap<B256, Arc<Pooled>>,
    arrivals: VecDeque<B256>,
    dropped_arrivals: u64,
    order: u64,
}

impl Pool {
    pub(crate) fn get(&self, hash: B256) -> Option<&Arc<Pooled>> {
        self.hashes.get(&hash)
    }

    pub(crate) fn at(&self, sender: Address, nonce: u64) -> Option<&Arc<Pooled>> {
        self.accounts.get(&sender)?.get(&nonce)
    }

    /// The total cost of an account's pending transactions.
    pub(crate) fn spent_by(&self, sender: Address) -> U256 {
        let waiting = self.accounts.get(&sender).into_iter().flat_map(BTreeMap::values);
        waiting.fold(U256::ZERO, |sum, pooled| sum.saturating_add(pooled.cost()))
    }

    /// Changes whenever a transaction is added.
    pub(crate) fn version(&self) -> (u64, usize) {
        (self.order, self.hashes.len())
    }

    /// Adds a transaction for blocks from `ready_at` on; it may replace a cheaper one.
    pub(crate) fn insert(
        &mut self,
        tx: Recovered<TxEnvelope>,
        now: Instant,
        ready_at: Instant,
    ) -> Result<(), PoolError> {
        let hash = *tx.inner().tx_hash();
        if self.hashes.contains_key(&hash) {
            return Err(PoolError::Known);
        }
        let replaced = self.at(tx.signer(), tx.nonce()).cloned();
        match &replaced {
            Some(old) if !outbids(&tx, &old.tx) => return Err(PoolError::Underpriced),
            None if self.hashes.len() >= CAPACITY => return Err(PoolError::Full),
            None if self.accounts.get(&tx.signer()).map_or(0, BTreeMap::len) >= PER_ACCOUNT => {
                return Err(PoolError::AccountFull);
            }
            _ => {}
        }
        if let Some(old) = replaced {
            self.hashes.remove(&old.hash);
        }
        self.order += 1;
        self.arrivals.push_back(hash);
        if self.arrivals.len() > ARRIVALS {
            self.arrivals.pop_front();
            self.dropped_arrivals += 1;
        }
        let pooled = Arc::new(Pooled { tx, hash, arrived: now, ready_at, order: self.order });
        self.hashes.insert(hash, Arc::clone(&pooled));
        self.accounts.entry(pooled.tx.signer()).or_default().insert(pooled.nonce(), pooled);
        Ok(())
    }

    pub(crate) fn remove(&mut self, hash: B256) {
        let Some(pooled) = self.hashes.remove(&hash) else {
            return;
        };
        if let Some(waiting) = self.accounts.get_mut(&pooled.tx.signer()) {
            waiting.remove(&pooled.nonce());
            if waiting.is_empty() {
                self.accounts.remove(&pooled.tx.signer());
            }
        }
    }

    /// Removes transactions with used nonces and expired ones.
    pub(crate) fn sweep(&mut self, world: &WorldState, now: Instant) {
        let stale: Vec<B256> = self
            .hashes
            .values()
            .filter(|pooled| {
                pooled.nonce() < world.nonce(pooled.tx.signer())
                    || now.duration_since(pooled.arrived) > LIFETIME
            })
            .map(|pooled| pooled.hash)
            .collect();
        for hash in stale {
            self.remove(hash);
        }
    }

    /// The nonce after an account's transactions that can follow each other without a gap.
    pub(crate) fn next_nonce(&self, sender: Address, nonce: u64) -> u64 {
        let waiting = self.accounts.get(&sender).into_iter().flat_map(|waiting| waiting.range(nonce..));
        waiting.zip(nonce..).take_while(|((waiting, _), next)| **waiting == *next).count() as u64 + nonce
    }

    /// Every account's transactions that can go into a block now, each account's in order of nonce.
    pub(crate) fn ready(&self, world: &WorldState, now: Instant) -> Vec<Run> {
        let runs = self.accounts.iter().map(|(sender, waiting)| {
            let first = world.nonce(*sender);
            (first..)
                .zip(waiting.range(first..))
                .take_while(|(expected, (nonce, pooled))| *expected == **nonce && pooled.ready_at <= now)
                .map(|(_, (_, pooled))| Arc::clone(pooled))
                .collect::<Run>()
        });
        runs.filter(|run| !run.is_empty()).collect()
    }

    /// When the first of the waiting transactions can go into a block at this base fee.
    pub(crate) fn first_ready(&self, world: &WorldState, base_fee: u64) -> Option<Instant> {
        let firsts = self.accounts.iter().filter_map(|(sender, waiting)| waiting.get(&world.nonce(*sender)));
        firsts.filter(|pooled| pooled.tip(base_fee).is_some()).map(|pooled| pooled.ready_at).min()
    }

    /// The hashes that arrived since a cursor, and the next cursor.
    pub(crate) fn arrivals_since(&self, cursor: u64) -> (Vec<B256>, u64) {
        let skip = usize::try_from(cursor.saturating_sub(self.dropped_arrivals)).unwrap_or(usize::MAX);
        (self.arrivals.iter().skip(skip).copied().collect(), self.arrival_cursor())
    }

    pub(crate) fn arrival_cursor(&self) -> u64 {
        self.dropped_arrivals + self.arrivals.len() as u64
    }
}

/// Whether both prices are at least a tenth higher.
fn outbids(new: &Recovered<TxEnvelope>, old: &Recovered<TxEnvelope>) -> bool {
    let bumped = |price: u128| price.saturating_mul(100 + REPLACEMENT_BUMP).div_ceil(100);
    let tip = |tx: &Recovered<TxEnvelope>| tx.max_priority_fee_per_gas().unwrap_or(tx.max_fee_per_gas());
    new.max_fee_per_gas() > old.max_fee_per_gas()
        && tip(new) > tip(old)
        && new.max_fee_per_gas() >= bumped(old.max_fee_per_gas())
        && tip(new) >= bumped(tip(old))
}
