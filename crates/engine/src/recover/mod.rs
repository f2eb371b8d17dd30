mod adopt;
mod read_chain;
mod rebuild;
mod wait_for_pending;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{ChainError, ChainFollower, ChainHistory, ChainStore, OrderStore, StoreError};
use causeway_domain::{Address, ChainId, FactPlace, OrderStatus};
use futures::future::try_join_all;
use thiserror::Error;

pub use adopt::{Adopt, AdoptParts, Adopted};
pub use rebuild::KnownFiller;
use rebuild::RECOVERED;

/// How many deposits are read at once.
const PAGE: u32 = 256;

/// What [`recover`] works with.
pub struct RecoverParts {
    pub orders: Arc<dyn OrderStore>,
    pub facts: Arc<dyn ChainStore>,
    pub adopt: Adopt,
    /// The accounts that fill and waive, on any chain family: none of them may have a pending transaction.
    pub accounts: Vec<Address>,
}

impl fmt::Debug for RecoverParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecoverParts").finish_non_exhaustive()
    }
}

/// A chain to recover from.
pub struct RecoverChain {
    pub record: Arc<dyn ChainHistory>,
    pub follower: Box<dyn ChainFollower>,
}

impl fmt::Debug for RecoverChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecoverChain({})", self.record.chain())
    }
}

/// What was read from a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainRead {
    /// The last block that was read.
    pub up_to: u64,
    pub opened: u64,
    pub filled: u64,
    pub claimed: u64,
    pub refunded: u64,
}

/// Progress of a recovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecoverProgress {
    /// A transaction of one of our accounts is still pending on the chain.
    Waiting(ChainId),
    /// The chain was read this far.
    Reading(ChainId, ChainRead),
    /// The chain was read completely.
    Read(ChainId, ChainRead),
    /// How many orders were created.
    Created(u64),
}

/// The result of a recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    pub chains: BTreeMap<ChainId, ChainRead>,
    /// How many orders have which status.
    pub orders: Vec<(OrderStatus, u64)>,
    /// Of those, how many name one of our fillers in terms that none of our keys sealed.
    pub unsealed: u64,
    /// Orders that existed already.
    pub known: u64,
    /// Deposits that are not ours.
    pub foreign: u64,
}

/// Why the recovery failed.
#[derive(Debug, Error)]
pub enum RecoverError {
    #[error(
        "the store holds {0} orders that did not come from the chain: recovery fills empty stores only. Keep this store, or \
         move it away (with the service stopped) and recover into a new one"
    )]
    NotEmpty(u64),
    #[error(
        "chain {0} still has pending transactions of the fillers' keys after {1} minutes. Until they are in a block or replaced, \
         an order may still be filled: wait, or replace them with the same nonce, and try again"
    )]
    PendingTransactions(ChainId, u64),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Chain(#[from] ChainError),
}

/// Rebuilds orders in an empty store from the chains. No service may use the fillers' keys meanwhile. It can be interrupted and
/// restarted at any time: existing orders are left as they are.
pub async fn recover(
    parts: &RecoverParts,
    chains: Vec<RecoverChain>,
    report: &(dyn Fn(RecoverProgress) + Sync),
) -> Result<Recovered, RecoverError> {
    let others = parts.orders.count_orders_except_route(RECOVERED).await?;
    if others > 0 {
        return Err(RecoverError::NotEmpty(others));
    }
    let read = try_join_all(chains.into_iter().map(|chain| read_settled_chain(parts, chain, report))).await?;
    let mut recovered = Recovered { chains: read.into_iter().collect(), ..Recovered::default() };
    create_orders(parts, &mut recovered, report).await?;
    Ok(recovered)
}

/// Reads a chain once none of our transactions is pending, so that its facts decide the outcome of every order.
async fn read_settled_chain(
    parts: &RecoverParts,
    chain: RecoverChain,
    report: &(dyn Fn(RecoverProgress) + Sync),
) -> Result<(ChainId, ChainRead), RecoverError> {
    let RecoverChain { record, mut follower } = chain;
    wait_for_pending::wait_for_pending(record.as_ref(), &parts.accounts, report).await?;
    let newest = record.newest().await?;
    let read = read_chain::read_chain(follower.as_mut(), newest, parts.facts.as_ref(), report).await?;
    report(RecoverProgress::Read(record.chain(), read));
    Ok((record.chain(), read))
}

async fn create_orders(
    parts: &RecoverParts,
    recovered: &mut Recovered,
    report: &(dyn Fn(RecoverProgress) + Sync),
) -> Result<(), RecoverError> {
    let mut after: Option<FactPlace> = None;
    let mut statuses = [0; OrderStatus::ALL.len()];
    loop {
        let page = parts.facts.openings(after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.place.clone());
        for fact in &page {
            match parts.adopt.adopt_past(fact).await? {
                Adopted::Foreign => recovered.foreign += 1,
                Adopted::Known => recovered.known += 1,
                Adopted::Order { status, sealed } => {
                    recovered.unsealed += u64::from(!sealed);
                    for (count, one) in statuses.iter_mut().zip(OrderStatus::ALL) {
                        *count += u64::from(one == status);
                    }
                }
            }
        }
        report(RecoverProgress::Created(statuses.iter().sum()));
    }
    recovered.orders = OrderStatus::ALL.into_iter().zip(statuses).filter(|(_, count)| *count > 0).collect();
    Ok(())
}
