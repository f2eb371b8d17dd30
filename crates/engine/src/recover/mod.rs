mod adopt;
mod draw;
mod read_chain;
mod wait_quiet;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{ChainError, ChainRecord, FactStore, Follow, RecoveryStore, StoreError};
use causeway_domain::{Address, ChainId, FactPlace, OrderStatus};
use futures::future::try_join_all;
use thiserror::Error;

pub use adopt::{Adopt, AdoptParts, Adopted};
pub use draw::KnownFiller;
use draw::RECOVERED;

/// How many deposits are looked at in one go.
const PAGE: u32 = 256;

/// What orders are recovered with.
pub struct RecoverParts {
    pub store: Arc<dyn RecoveryStore>,
    pub facts: Arc<dyn FactStore>,
    pub adopt: Adopt,
    /// The keys that deliver and waive, of whichever family: nothing of theirs may still be on its way.
    pub accounts: Vec<Address>,
}

impl fmt::Debug for RecoverParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecoverParts").finish_non_exhaustive()
    }
}

/// One chain that is read back.
pub struct RecoverChain {
    pub record: Arc<dyn ChainRecord>,
    pub follower: Box<dyn Follow>,
}

impl fmt::Debug for RecoverChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecoverChain({})", self.record.chain())
    }
}

/// What a chain told while it was read back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainRead {
    /// Up to which block.
    pub up_to: u64,
    pub opened: u64,
    pub filled: u64,
    pub claimed: u64,
    pub refunded: u64,
}

/// What happens while orders are recovered, for whoever watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecoverNews {
    /// Something that one of our keys signed may still come into a block of the chain.
    Waiting(ChainId),
    /// The chain has been read so far.
    Reading(ChainId, ChainRead),
    /// All of the chain has been read.
    Read(ChainId, ChainRead),
    /// So many orders were made of what was read.
    Made(u64),
}

/// What came back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    pub chains: BTreeMap<ChainId, ChainRead>,
    /// How many orders stand where.
    pub orders: Vec<(OrderStatus, u64)>,
    /// Of those, how many name a filler of ours under terms that no key of ours has sealed.
    pub unsealed: u64,
    /// Orders that were there already.
    pub known: u64,
    /// Deposits that are no business of ours.
    pub strangers: u64,
}

/// Why orders are not recovered.
#[derive(Debug, Error)]
pub enum RecoverError {
    #[error(
        "the store holds {0} orders that did not come from the chain: recovery fills empty stores only. Keep this store, or \
         move it away (with the service stopped) and recover into a new one"
    )]
    NotEmpty(u64),
    #[error(
        "chain {0} still has transactions of the fillers' keys waiting after {1} minutes. Until they are in a block or replaced \
         nobody can tell whether an order is being delivered: wait, or send something else with the same nonce, and try again"
    )]
    NotQuiet(ChainId, u64),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Chain(#[from] ChainError),
}

/// Rebuilds orders in an empty store from what the chains show. Whoever calls sees to it that no service works with the fillers'
/// keys meanwhile. May be broken off and begun anew at any moment: what is there already is left as it is.
pub async fn recover(
    parts: &RecoverParts,
    chains: Vec<RecoverChain>,
    tell: &(dyn Fn(RecoverNews) + Sync),
) -> Result<Recovered, RecoverError> {
    let beside = parts.store.orders_beside(RECOVERED).await?;
    if beside > 0 {
        return Err(RecoverError::NotEmpty(beside));
    }
    let read = try_join_all(chains.into_iter().map(|chain| read_back(parts, chain, tell))).await?;
    let mut recovered = Recovered { chains: read.into_iter().collect(), ..Recovered::default() };
    make_orders(parts, &mut recovered, tell).await?;
    Ok(recovered)
}

/// Reads a chain once nothing of ours can come into it any more: what an order's fate hangs on is then among its facts.
async fn read_back(
    parts: &RecoverParts,
    chain: RecoverChain,
    tell: &(dyn Fn(RecoverNews) + Sync),
) -> Result<(ChainId, ChainRead), RecoverError> {
    let RecoverChain { record, mut follower } = chain;
    wait_quiet::wait_quiet(record.as_ref(), &parts.accounts, tell).await?;
    let newest = record.newest().await?;
    let read = read_chain::read_chain(follower.as_mut(), newest, parts.facts.as_ref(), tell).await?;
    tell(RecoverNews::Read(record.chain(), read));
    Ok((record.chain(), read))
}

async fn make_orders(
    parts: &RecoverParts,
    recovered: &mut Recovered,
    tell: &(dyn Fn(RecoverNews) + Sync),
) -> Result<(), RecoverError> {
    let mut after: Option<FactPlace> = None;
    let mut statuses = [0; OrderStatus::ALL.len()];
    loop {
        let page = parts.store.openings(after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.place.clone());
        for fact in &page {
            match parts.adopt.adopt_past(fact).await? {
                Adopted::Stranger => recovered.strangers += 1,
                Adopted::Known => recovered.known += 1,
                Adopted::Order { status, sealed } => {
                    recovered.unsealed += u64::from(!sealed);
                    for (count, one) in statuses.iter_mut().zip(OrderStatus::ALL) {
                        *count += u64::from(one == status);
                    }
                }
            }
        }
        tell(RecoverNews::Made(statuses.iter().sum()));
    }
    recovered.orders = OrderStatus::ALL.into_iter().zip(statuses).filter(|(_, count)| *count > 0).collect();
    Ok(())
}
