mod lap;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    AddressWatch, Arrival, BlockMark, FactStore, OpenTransfer, OrderStore, StoreError,
};
use causeway_domain::{Address, RawAmount, RowKey, TokenId};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use lap::Lap;

use crate::marks::Marks;

type Failure = Box<dyn std::error::Error + Send + Sync>;

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
    /// For how long it is watched as often as that; afterwards more rarely.
    pub recent_for: SignedDuration,
    /// How many balances are asked for at once: as many as chains are asked for in one call.
    pub at_once: u32,
    /// How long one look at addresses of one kind may take; the next look goes on from there. Whoever follows the chain waits
    /// meanwhile, and anybody may have addresses made for nothing.
    pub longest: Duration,
}

/// How much more rarely addresses are looked at that were made long ago.
const MORE_RARELY: u32 = 10;

impl Default for WatchPolicy {
    fn default() -> Self {
        Self {
            open_every: Duration::from_secs(1),
            ended_every: Duration::from_mins(1),
            stuck_every: Duration::from_hours(1),
            ended_for: SignedDuration::from_hours(7 * 24),
            recent_for: SignedDuration::from_hours(1),
            at_once: 400,
            longest: Duration::from_secs(1),
        }
    }
}

/// Which addresses a lap goes past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Their orders wait for a deposit.
    Waiting,
    /// Their orders were made not long ago and wait no more.
    Recent,
    /// All else that is watched.
    Old,
}

const KINDS: [Kind; 3] = [Kind::Waiting, Kind::Recent, Kind::Old];

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
    laps: [Lap; KINDS.len()],
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
            laps: [Lap::default(); KINDS.len()],
        }
    }

    /// Looks at what it is time to look at, as of this block, for as long as a look may take. Each address has its turn before
    /// any has another one. What fails is looked at again in the next lap.
    pub(crate) async fn look(&mut self, mark: BlockMark) {
        for (place, kind) in KINDS.into_iter().enumerate() {
            let Some(mut lap) = self.laps.get(place).copied() else { continue };
            if !lap.go_on(self.every(kind), mark.number) {
                continue;
            }
            if let Err(error) = self.look_on(kind, &mut lap, mark).await {
                tracing::debug!(chain = %self.watch.chain(), ?kind, %error, "deposit addresses could not be looked at");
            }
            if let Some(kept) = self.laps.get_mut(place) {
                *kept = lap;
            }
        }
    }

    const fn every(&self, kind: Kind) -> Duration {
        match kind {
            Kind::Waiting => self.policy.open_every,
            Kind::Recent => self.policy.ended_every,
            Kind::Old => self.policy.ended_every.saturating_mul(MORE_RARELY),
        }
    }

    async fn look_on(&mut self, kind: Kind, lap: &mut Lap, mark: BlockMark) -> Result<(), Failure> {
        let start = Instant::now();
        loop {
            let page = self.page(kind, lap.after).await?;
            let Some(last) = page.last().map(|last| last.key) else {
                lap.end();
                return Ok(());
            };
            let looked = self.look_through(kind, lap, &page, mark, start).await;
            if looked.is_err() {
                // The others have their turn all the same.
                (lap.after, lap.has_gap) = (Some(last), true);
            }
            let is_last = page.len() < self.at_once(kind) as usize;
            if is_last && lap.after == Some(last) {
                lap.end();
                return looked;
            }
            looked?;
            if start.elapsed() >= self.policy.longest {
                return Ok(());
            }
        }
    }

    /// Of orders that wait no more, every known token is asked for.
    fn at_once(&self, kind: Kind) -> u32 {
        let tokens = u32::try_from(self.tokens.len()).unwrap_or(u32::MAX);
        let each = if kind == Kind::Waiting { 1 } else { tokens.max(1) };
        (self.policy.at_once / each).max(1)
    }

    async fn page(&self, kind: Kind, after: Option<RowKey>) -> Result<Vec<OpenTransfer>, StoreError> {
        let ago = |age| Timestamp::now().checked_sub(age).unwrap_or(Timestamp::MIN);
        let WatchPolicy { ended_for, recent_for, .. } = self.policy;
        let since = match kind {
            Kind::Waiting => None,
            Kind::Recent => Some(ago(ended_for.min(recent_for))),
            Kind::Old => Some(ago(ended_for)),
        };
        let mut page = self.orders.transfers(self.watch.chain(), since, after, self.at_once(kind)).await?;
        if kind == Kind::Old {
            let recent = RowKey::floor_at(ago(recent_for));
            page.retain(|transfer| transfer.key < recent);
        }
        Ok(page)
    }

    /// Looks at a page until the time is over.
    async fn look_through(
        &mut self,
        kind: Kind,
        lap: &mut Lap,
        page: &[OpenTransfer],
        mark: BlockMark,
        start: Instant,
    ) -> Result<(), Failure> {
        let ended = kind != Kind::Waiting;
        let wanted = self.wanted(page, ended);
        let asked: Vec<(Address, TokenId)> =
            wanted.iter().map(|(transfer, token)| (transfer.address, *token)).collect();
        let (balances, block) = self.watch.balances_since(&asked, mark.number).await?;
        let mut read = wanted.into_iter().zip(balances).peekable();
        while let Some(((transfer, token), balance)) = read.next() {
            let now = Seen { balance, block, told: Instant::now() };
            self.note(&transfer, token, now, lap.from(), ended).await?;
            if read.peek().is_some_and(|((next, _), _)| next.key == transfer.key) {
                continue;
            }
            lap.after = Some(transfer.key);
            if start.elapsed() >= self.policy.longest {
                return Ok(());
            }
        }
        Ok(())
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
    ) -> Result<(), Failure> {
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
