use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    AddressWatch, Arrival, BlockMark, FactStore, OpenTransfer, OrderStore, StoreError,
};
use causeway_domain::{Address, RawAmount, TokenId};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use crate::marks::Marks;

/// How many addresses are read from the store, and asked for, at once: as many as chains are asked for in one call.
const PAGE: u32 = 400;

/// How many blocks the first look reaches back for what brought something.
const FIRST_LOOK: u64 = 64;

/// What is watched, and how often.
#[derive(Clone, Copy, Debug)]
pub struct WatchPolicy {
    /// Addresses whose order waits for its deposit.
    pub open_every: Duration,
    /// Addresses whose order waits no more: what comes there goes back.
    pub ended_every: Duration,
    /// What lies at such an address unchanged is returned once more after so long.
    pub stuck_every: Duration,
    /// For how long after an order was made its address is watched.
    pub ended_for: SignedDuration,
}

impl Default for WatchPolicy {
    fn default() -> Self {
        Self {
            open_every: Duration::from_secs(1),
            ended_every: Duration::from_mins(1),
            stuck_every: Duration::from_hours(1),
            ended_for: SignedDuration::from_hours(7 * 24),
        }
    }
}

/// When addresses were looked at last, and as of which block.
#[derive(Clone, Copy, Debug, Default)]
struct LastLook {
    at: Option<Instant>,
    block: Option<u64>,
}

/// What lay at an address as of a block, and when that was last written down.
#[derive(Clone, Copy, Debug)]
struct Seen {
    balance: RawAmount,
    block: u64,
    told: Instant,
}

/// Looks at the deposit addresses of one chain, all of them together, as of blocks that stand.
pub struct WatchAddresses {
    watch: Arc<dyn AddressWatch>,
    orders: Arc<dyn OrderStore>,
    facts: Arc<dyn FactStore>,
    marks: Arc<Marks>,
    /// What else may come by mistake.
    tokens: Vec<TokenId>,
    policy: WatchPolicy,
    /// The last balances that were not zero.
    known: HashMap<(Address, TokenId), Seen>,
    open: LastLook,
    ended: LastLook,
}

impl fmt::Debug for WatchAddresses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchAddresses").field("chain", &self.watch.chain()).finish_non_exhaustive()
    }
}

impl WatchAddresses {
    pub fn new(
        watch: Arc<dyn AddressWatch>,
        orders: Arc<dyn OrderStore>,
        facts: Arc<dyn FactStore>,
        marks: Arc<Marks>,
        tokens: Vec<TokenId>,
        policy: WatchPolicy,
    ) -> Self {
        Self {
            watch,
            orders,
            facts,
            marks,
            tokens,
            policy,
            known: HashMap::new(),
            open: LastLook::default(),
            ended: LastLook::default(),
        }
    }

    /// Looks at what it is time to look at, as of this block. What fails is looked at again at the next block.
    pub(crate) async fn look(&mut self, mark: BlockMark) {
        let over = |look: LastLook, every| look.at.is_none_or(|then| then.elapsed() >= every);
        if over(self.open, self.policy.open_every) {
            self.open.at = Some(Instant::now());
            let seen = self.open.block;
            if self.try_look(mark, seen, None).await {
                self.open.block = Some(mark.number);
            }
        }
        if over(self.ended, self.policy.ended_every) {
            self.ended.at = Some(Instant::now());
            let since = Timestamp::now().checked_sub(self.policy.ended_for).unwrap_or(Timestamp::MIN);
            let seen = self.ended.block;
            if self.try_look(mark, seen, Some(since)).await {
                self.ended.block = Some(mark.number);
            }
        }
    }

    async fn try_look(&mut self, mark: BlockMark, seen: Option<u64>, ended: Option<Timestamp>) -> bool {
        // How far back the transaction that brought something is looked for at the first look.
        let from = seen.unwrap_or_else(|| mark.number.saturating_sub(FIRST_LOOK)).saturating_add(1);
        let looked = self.look_through(mark, from, ended).await;
        if let Err(error) = &looked {
            tracing::debug!(chain = %self.watch.chain(), %error, "deposit addresses could not be looked at");
        }
        looked.is_ok()
    }

    async fn look_through(
        &mut self,
        mark: BlockMark,
        from: u64,
        ended: Option<Timestamp>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let mut after = None;
        loop {
            let page = self.orders.transfers(self.watch.chain(), ended, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.key);
            let wanted = self.wanted(&page, ended.is_some());
            let asked: Vec<(Address, TokenId)> =
                wanted.iter().map(|(transfer, token)| (transfer.address, *token)).collect();
            let (balances, block) = self.watch.balances_since(&asked, mark.number).await?;
            for ((transfer, token), balance) in wanted.into_iter().zip(balances) {
                let now = Seen { balance, block, told: Instant::now() };
                self.note(&transfer, token, now, from, ended.is_some()).await?;
            }
        }
    }

    /// The input token of orders that wait; every known token for those that do not.
    fn wanted(&self, page: &[OpenTransfer], ended: bool) -> Vec<(OpenTransfer, TokenId)> {
        let others = |transfer: &OpenTransfer| {
            let own = transfer.token;
            let others = self.tokens.iter().copied().filter(move |token| ended && *token != own);
            std::iter::once(own).chain(others).collect::<Vec<_>>()
        };
        let pairs = page
            .iter()
            .flat_map(|transfer| others(transfer).into_iter().map(|token| (transfer.clone(), token)));
        pairs.collect()
    }

    /// Stores a balance that has changed. Most are zero and were zero before; of those nothing is kept.
    async fn note(
        &mut self,
        transfer: &OpenTransfer,
        token: TokenId,
        now: Seen,
        from: u64,
        ended: bool,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        let (order, address) = (transfer.order.clone(), transfer.address);
        let Seen { balance, block, .. } = now;
        let last = match self.known.get(&(address, token)) {
            Some(last) => *last,
            None if balance.is_zero() => return Ok(()),
            None => self.last_stored(transfer, token).await?,
        };
        let held = if ended { self.left_of(last, transfer, token).await? } else { last.balance };
        let mut gained = balance.checked_sub(held).unwrap_or(RawAmount::ZERO);
        let mut tx = None;
        if !gained.is_zero() {
            tx = self.watch.brought_by(address, token, from, block).await?;
        } else if ended && !balance.is_zero() && last.balance == balance {
            // Perhaps as much came as was given back meanwhile.
            let since = last.block.saturating_add(1);
            tx = self.watch.brought_by(address, token, since, block).await?;
            gained = if tx.is_some() { balance } else { RawAmount::ZERO };
        }
        // What was to be returned and is still there: perhaps its token was paused, and is not any more.
        let stuck = ended && last.told.elapsed() >= self.policy.stuck_every;
        let mut seen = now;
        if last.balance == balance && gained.is_zero() && !stuck {
            seen.told = last.told;
        } else {
            let arrival = Arrival { order, address, token, balance, gained, block, tx };
            self.facts.record_arrival(&arrival, Timestamp::now()).await?;
            self.marks.ring();
        }
        if balance.is_zero() {
            self.known.remove(&(address, token));
        } else {
            self.known.insert((address, token), seen);
        }
        Ok(())
    }

    async fn last_stored(&self, transfer: &OpenTransfer, token: TokenId) -> Result<Seen, StoreError> {
        let arrivals = self.facts.arrivals(transfer.address).await?;
        let last = arrivals.iter().rev().find(|arrival| arrival.token == token);
        let (balance, block) = last.map_or((RawAmount::ZERO, 0), |last| (last.balance, last.block));
        Ok(Seen { balance, block, told: Instant::now() })
    }

    /// What the last look leaves to expect, once the escrow has taken its deposit: the same once more is another payment.
    async fn left_of(
        &self,
        last: Seen,
        transfer: &OpenTransfer,
        token: TokenId,
    ) -> Result<RawAmount, StoreError> {
        if token != transfer.token || last.balance.is_zero() {
            return Ok(last.balance);
        }
        let order = self.orders.order(&transfer.order).await?;
        let deposit = order.and_then(|order| order.evidence.deposit).filter(|taken| taken.block > last.block);
        let left = deposit.map(|taken| last.balance.checked_sub(taken.amount).unwrap_or(RawAmount::ZERO));
        Ok(left.unwrap_or(last.balance))
    }
}
