use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{BlockMark, Care, ChainError, FactStore, Follow, News, OrderStore};
use causeway_domain::{ChainId, Fact, FactKind};
use jiff::Timestamp;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::hands::Hands;
use crate::marks::Marks;
use crate::recover::{Adopt, Adopted};
use crate::watch_addresses::WatchAddresses;

/// After how long without facts the mark is written all the same, so that a restart does not read much again.
const WRITE_MARKS_EVERY: Duration = Duration::from_secs(30);

/// The pause after an error.
const PAUSE: Duration = Duration::from_secs(1);

/// Whom a chain's news concern.
#[derive(Clone)]
pub struct FollowParts {
    pub facts: Arc<dyn FactStore>,
    pub orders: Arc<dyn OrderStore>,
    pub hands: Hands,
    pub marks: Arc<Marks>,
    /// Takes in deposits that we have quoted and no order is known for: the store was lost after they were built.
    pub adopt: Option<Adopt>,
}

impl fmt::Debug for FollowParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowParts").finish_non_exhaustive()
    }
}

/// Reads a chain's news into the store and makes the orders that they concern due, until `stop`. Once the chain contradicts what
/// stood, it is believed no more and its orders are left as they are until a person has looked.
pub async fn follow_chain(
    mut follower: Box<dyn Follow>,
    mut addresses: Option<WatchAddresses>,
    parts: FollowParts,
    stop: CancellationToken,
) {
    let chain = follower.chain();
    let mut answered = true;
    let mut written: Option<Instant> = None;
    while let Some(news) = stop.run_until_cancelled(follower.next()).await {
        match news {
            Ok(News::Seen(facts)) => {
                answered = true;
                parts.prepare(&facts).await;
            }
            Ok(News::Stands { care, mark, facts }) => {
                answered = true;
                let idle = written.is_some_and(|then| then.elapsed() < WRITE_MARKS_EVERY);
                if !facts.is_empty() || !idle {
                    // Before the mark moves: what lies behind it is not told again after a restart.
                    if stop.run_until_cancelled(parts.adopt(&facts)).await.is_none() {
                        return;
                    }
                    if stop.run_until_cancelled(parts.record(chain, care, mark, &facts)).await.is_none() {
                        return;
                    }
                    written = Some(Instant::now());
                }
                if care == Care::Large {
                    parts.marks.set(chain, mark);
                    if let Some(addresses) = &mut addresses {
                        stop.run_until_cancelled(addresses.look(mark)).await;
                    }
                }
                if !facts.is_empty() {
                    parts.marks.ring();
                }
            }
            Err(ChainError::Disagreement(chain, words)) => {
                parts.marks.halt(chain);
                tracing::error!(%chain, words, "the chain is not believed any more; its orders wait for a person");
                return;
            }
            Err(error) => {
                if std::mem::take(&mut answered) {
                    tracing::warn!(%chain, %error, "the chain cannot be read, trying again");
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

impl FollowParts {
    /// Lets fillers set aside what deposits will take that are in a block, though not for good yet.
    async fn prepare(&self, facts: &[Fact]) {
        for fact in facts.iter().filter(|fact| matches!(fact.kind, FactKind::Opened(_))) {
            let Ok(Some(order)) = self.orders.order_of_intent(fact.intent).await else { continue };
            let Some(hand) = self.hands.get(&order.filler) else { continue };
            if let Err(error) = hand.reserve(&order, Timestamp::now()).await {
                tracing::debug!(order = %order.id, %error, "nothing could be set aside for a deposit yet");
            }
        }
    }

    /// Makes orders of deposits that are ours although nobody remembers them, until it is done: they are told once.
    async fn adopt(&self, facts: &[Fact]) {
        let Some(adopt) = &self.adopt else { return };
        for fact in facts.iter().filter(|fact| matches!(fact.kind, FactKind::Opened(_))) {
            let mut told = false;
            loop {
                match adopt.adopt(fact).await {
                    Ok(Adopted::Order { .. }) => {
                        tracing::info!(intent = %fact.intent, "a deposit that nobody remembered has its order again");
                        break;
                    }
                    Ok(Adopted::Known | Adopted::Stranger) => break,
                    Err(error) => {
                        if !std::mem::replace(&mut told, true) {
                            tracing::warn!(intent = %fact.intent, %error, "a deposit's order cannot be stored, trying again");
                        }
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        }
    }

    /// Writes until it is written: what stands must not be passed over.
    async fn record(&self, chain: ChainId, care: Care, mark: BlockMark, facts: &[Fact]) {
        let mut told = false;
        while let Err(error) = self.facts.record_facts(chain, care, mark, facts, Timestamp::now()).await {
            if !std::mem::replace(&mut told, true) {
                tracing::warn!(%chain, %error, "what the chain shows cannot be stored, trying again");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
