use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::B256;
use causeway_domain::ports::{
    ChainCursor, ChainError, ChainFollower, ChainStore, ChainUpdate, FinalityTier, OrderStore,
};
use causeway_domain::{ChainId, Fact, FactKind};
use futures::{StreamExt as _, stream};
use jiff::Timestamp;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::chain_cursors::ChainCursors;
use crate::executors::ExecutorRegistry;
use crate::recover::{Adopt, Adopted};
use crate::watch_addresses::WatchAddresses;

/// How often the cursor is stored when there are no facts, so that a restart does not read much again.
const CURSOR_WRITE_INTERVAL: Duration = Duration::from_secs(30);

/// How many deposits of a block are looked at concurrently: their writes share commits.
const CONCURRENT_DEPOSITS: usize = 32;

/// The pause after an error.
const ERROR_BACKOFF: Duration = Duration::from_secs(1);

/// What [`follow_chain`] works with.
#[derive(Clone)]
pub struct FollowParts {
    pub facts: Arc<dyn ChainStore>,
    pub orders: Arc<dyn OrderStore>,
    pub executors: ExecutorRegistry,
    pub cursors: Arc<ChainCursors>,
    /// Adopts deposits that we quoted and that have no order because the store was lost after they were built.
    pub adopt: Option<Adopt>,
}

impl fmt::Debug for FollowParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowParts").finish_non_exhaustive()
    }
}

/// Stores a chain's facts and makes the orders they concern due, until `stop`. A chain that contradicts a final block is
/// halted, and its orders stay as they are until an operator intervenes.
pub async fn follow_chain(
    mut follower: Box<dyn ChainFollower>,
    mut addresses: Option<WatchAddresses>,
    parts: FollowParts,
    stop: CancellationToken,
) {
    let chain = follower.chain();
    let mut is_reachable = true;
    let mut written: Option<Instant> = None;
    while let Some(news) = stop.run_until_cancelled(follower.next()).await {
        match news {
            Ok(ChainUpdate::Unfinalized(facts)) => {
                is_reachable = true;
                parts.reserve(&facts).await;
            }
            Ok(ChainUpdate::Final { tier, cursor, facts }) => {
                is_reachable = true;
                let idle = written.is_some_and(|then| then.elapsed() < CURSOR_WRITE_INTERVAL);
                if !facts.is_empty() || !idle {
                    // Before the cursor moves: facts behind it are not reported again after a restart.
                    if stop.run_until_cancelled(parts.adopt(&facts)).await.is_none() {
                        return;
                    }
                    if stop.run_until_cancelled(parts.record(chain, tier, cursor, &facts)).await.is_none() {
                        return;
                    }
                    written = Some(Instant::now());
                }
                if tier == FinalityTier::Large {
                    parts.cursors.set(chain, cursor);
                    if let Some(addresses) = &mut addresses {
                        stop.run_until_cancelled(addresses.scan(cursor)).await;
                    }
                }
                if !facts.is_empty() {
                    parts.cursors.notify();
                }
            }
            Err(ChainError::Disagreement(chain, reason)) => {
                parts.cursors.halt(chain);
                tracing::error!(%chain, reason, "chain halted: it contradicts a final block");
                return;
            }
            Err(error) => {
                if std::mem::take(&mut is_reachable) {
                    tracing::warn!(%chain, %error, "reading the chain failed");
                }
                tokio::time::sleep(ERROR_BACKOFF).await;
            }
        }
    }
}

impl FollowParts {
    /// Lets fillers reserve funds for deposits in blocks that are not final yet.
    async fn reserve(&self, facts: &[Fact]) {
        let deposits = stream::iter(deposits(facts));
        deposits.for_each_concurrent(CONCURRENT_DEPOSITS, |intent| self.reserve_for(intent)).await;
    }

    async fn reserve_for(&self, intent: B256) {
        let Ok(Some(order)) = self.orders.order_of_intent(intent).await else { return };
        let Some(executor) = self.executors.get(&order.filler) else { return };
        if let Err(error) = executor.reserve(&order, Timestamp::now()).await {
            tracing::debug!(order = %order.id, %error, "reserving funds for a deposit failed");
        }
    }

    /// Creates orders for our deposits that have none. Retries until it succeeds, because each fact is reported once.
    async fn adopt(&self, facts: &[Fact]) {
        let Some(adopt) = &self.adopt else { return };
        let deposits = facts.iter().filter(|fact| is_deposit(fact)).cloned();
        stream::iter(deposits)
            .for_each_concurrent(CONCURRENT_DEPOSITS, |fact| adopt_until_done(adopt, fact))
            .await;
    }

    /// Retries until the facts are stored: final facts must not be skipped.
    async fn record(&self, chain: ChainId, tier: FinalityTier, cursor: ChainCursor, facts: &[Fact]) {
        let mut logged = false;
        while let Err(error) = self.facts.record_facts(chain, tier, cursor, facts, Timestamp::now()).await {
            if !std::mem::replace(&mut logged, true) {
                tracing::warn!(%chain, %error, "storing facts failed, retrying");
            }
            tokio::time::sleep(ERROR_BACKOFF).await;
        }
    }
}

async fn adopt_until_done(adopt: &Adopt, fact: Fact) {
    let mut logged = false;
    loop {
        match adopt.adopt(&fact).await {
            Ok(Adopted::Order { .. }) => {
                tracing::info!(intent = %fact.intent_id, "deposit without an order adopted");
                return;
            }
            Ok(Adopted::Known | Adopted::Foreign) => return,
            Err(error) => {
                if !std::mem::replace(&mut logged, true) {
                    tracing::warn!(intent = %fact.intent_id, %error, "adopting a deposit failed, retrying");
                }
                tokio::time::sleep(ERROR_BACKOFF).await;
            }
        }
    }
}

const fn is_deposit(fact: &Fact) -> bool {
    matches!(fact.kind, FactKind::Opened(_))
}

/// The intents whose deposits are among the facts.
fn deposits(facts: &[Fact]) -> Vec<B256> {
    facts.iter().filter(|fact| is_deposit(fact)).map(|fact| fact.intent_id).collect()
}
