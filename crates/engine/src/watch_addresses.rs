mod scan_pass;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    AddressWatch, Arrival, ChainCursor, ChainStore, OpenTransfer, OrderStore, StoreError,
};
use causeway_domain::{Address, RawAmount, RowKey, TokenId};
use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use scan_pass::ScanPass;

use crate::chain_cursors::ChainCursors;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Which deposit addresses are scanned, and how often.
#[derive(Clone, Copy, Debug)]
pub struct WatchPolicy {
    /// Addresses whose order waits for its deposit.
    pub open_every: Duration,
    /// Addresses whose order waits no more: what arrives there is returned.
    pub ended_every: Duration,
    /// After how long the return of an unchanged balance is retried.
    pub stuck_every: Duration,
    /// For how long after its order was created an address is watched.
    pub ended_for: SignedDuration,
    /// For how long it is scanned at `ended_every`; afterwards less often.
    pub recent_for: SignedDuration,
    /// How many balances one call reads.
    pub batch_size: u32,
    /// How long one scan of one kind may take; the next scan resumes there. The chain follower waits meanwhile, and anybody
    /// can create deposit addresses at no cost.
    pub max_scan_time: Duration,
}

/// How many times less often old addresses are scanned.
const OLD_INTERVAL_FACTOR: u32 = 10;

impl Default for WatchPolicy {
    fn default() -> Self {
        Self {
            open_every: Duration::from_secs(1),
            ended_every: Duration::from_mins(1),
            stuck_every: Duration::from_hours(1),
            ended_for: SignedDuration::from_hours(7 * 24),
            recent_for: SignedDuration::from_hours(1),
            batch_size: 400,
            max_scan_time: Duration::from_secs(1),
        }
    }
}

/// Which addresses a pass scans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The order waits for a deposit.
    Waiting,
    /// The order was created recently and waits no more.
    Recent,
    /// All other watched addresses.
    Old,
}

const KINDS: [Kind; 3] = [Kind::Waiting, Kind::Recent, Kind::Old];

/// A balance as of a block, and when it was last recorded.
#[derive(Clone, Copy, Debug)]
struct Observation {
    balance: RawAmount,
    block: u64,
    recorded: Instant,
}

/// Scans the balances of one chain's deposit addresses as of final blocks.
pub struct WatchAddresses {
    watch: Arc<dyn AddressWatch>,
    orders: Arc<dyn OrderStore>,
    facts: Arc<dyn ChainStore>,
    cursors: Arc<ChainCursors>,
    /// Tokens that may arrive by mistake.
    tokens: Vec<TokenId>,
    policy: WatchPolicy,
    /// The last non-zero balances.
    known: HashMap<(Address, TokenId), Observation>,
    passes: [ScanPass; KINDS.len()],
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
        facts: Arc<dyn ChainStore>,
        cursors: Arc<ChainCursors>,
        tokens: Vec<TokenId>,
        policy: WatchPolicy,
    ) -> Self {
        Self {
            watch,
            orders,
            facts,
            cursors,
            tokens,
            policy,
            known: HashMap::new(),
            passes: [ScanPass::default(); KINDS.len()],
        }
    }

    /// Scans the addresses that are due, as of this block and within the time limit. A pass covers every address once before
    /// the next begins; failed addresses are scanned again in the next pass.
    pub(crate) async fn scan(&mut self, cursor: ChainCursor) {
        for (place, kind) in KINDS.into_iter().enumerate() {
            let Some(mut pass) = self.passes.get(place).copied() else { continue };
            if !pass.resume(self.every(kind), cursor.number) {
                continue;
            }
            if let Err(error) = self.continue_pass(kind, &mut pass, cursor).await {
                tracing::debug!(chain = %self.watch.chain(), ?kind, %error, "scanning deposit addresses failed");
            }
            if let Some(stored) = self.passes.get_mut(place) {
                *stored = pass;
            }
        }
    }

    const fn every(&self, kind: Kind) -> Duration {
        match kind {
            Kind::Waiting => self.policy.open_every,
            Kind::Recent => self.policy.ended_every,
            Kind::Old => self.policy.ended_every.saturating_mul(OLD_INTERVAL_FACTOR),
        }
    }

    async fn continue_pass(
        &mut self,
        kind: Kind,
        pass: &mut ScanPass,
        cursor: ChainCursor,
    ) -> Result<(), Failure> {
        let start = Instant::now();
        loop {
            let page = self.page(kind, pass.after).await?;
            let Some(last) = page.last().map(|last| last.key) else {
                pass.end();
                return Ok(());
            };
            let scanned = self.scan_page(kind, pass, &page, cursor, start).await;
            if scanned.is_err() {
                // Skip the page so that the other addresses are still scanned.
                (pass.after, pass.has_gap) = (Some(last), true);
            }
            let is_last = page.len() < self.page_size(kind) as usize;
            if is_last && pass.after == Some(last) {
                pass.end();
                return scanned;
            }
            scanned?;
            if start.elapsed() >= self.policy.max_scan_time {
                return Ok(());
            }
        }
    }

    /// Every known token is read for orders that wait no more.
    fn page_size(&self, kind: Kind) -> u32 {
        let tokens = u32::try_from(self.tokens.len()).unwrap_or(u32::MAX);
        let each = if kind == Kind::Waiting { 1 } else { tokens.max(1) };
        (self.policy.batch_size / each).max(1)
    }

    async fn page(&self, kind: Kind, after: Option<RowKey>) -> Result<Vec<OpenTransfer>, StoreError> {
        let ago = |age| Timestamp::now().checked_sub(age).unwrap_or(Timestamp::MIN);
        let WatchPolicy { ended_for, recent_for, .. } = self.policy;
        let since = match kind {
            Kind::Waiting => None,
            Kind::Recent => Some(ago(ended_for.min(recent_for))),
            Kind::Old => Some(ago(ended_for)),
        };
        let mut page = self.orders.transfers(self.watch.chain(), since, after, self.page_size(kind)).await?;
        if kind == Kind::Old {
            let recent = RowKey::floor_at(ago(recent_for));
            page.retain(|transfer| transfer.key < recent);
        }
        Ok(page)
    }

    /// Scans a page until the time limit.
    async fn scan_page(
        &mut self,
        kind: Kind,
        pass: &mut ScanPass,
        page: &[OpenTransfer],
        cursor: ChainCursor,
        start: Instant,
    ) -> Result<(), Failure> {
        let ended = kind != Kind::Waiting;
        let wanted = self.wanted(page, ended);
        let asked: Vec<(Address, TokenId)> =
            wanted.iter().map(|(transfer, token)| (transfer.address, *token)).collect();
        let (balances, block) = self.watch.balances_since(&asked, cursor.number).await?;
        let (mut observed, mut failure) = (false, None);
        let mut read = wanted.into_iter().zip(balances).peekable();
        while let Some(((transfer, token), balance)) = read.next() {
            let now = Observation { balance, block, recorded: Instant::now() };
            // One address that cannot be read must not starve the others of its page; the next pass reads it again.
            match self.observe(&transfer, token, now, pass.from(), ended).await {
                Ok(()) => observed = true,
                Err(error) => {
                    tracing::warn!(order = %transfer.order, %token, %error, "reading a deposit address failed");
                    pass.has_gap = true;
                    failure = Some(error);
                }
            }
            if read.peek().is_some_and(|((next, _), _)| next.key == transfer.key) {
                continue;
            }
            pass.after = Some(transfer.key);
            if start.elapsed() >= self.policy.max_scan_time {
                break;
            }
        }
        // When none could be read, the fault is not in the addresses.
        failure.filter(|_| !observed).map_or(Ok(()), Err)
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

    /// Records a balance that has changed. Balances that stay zero, the common case, leave no trace.
    async fn observe(
        &mut self,
        transfer: &OpenTransfer,
        token: TokenId,
        now: Observation,
        from: u64,
        ended: bool,
    ) -> Result<(), Failure> {
        let (order, address) = (transfer.order.clone(), transfer.address);
        let Observation { balance, block, .. } = now;
        let last = match self.known.get(&(address, token)) {
            Some(last) => *last,
            None if balance.is_zero() => return Ok(()),
            None => self.last_stored(transfer, token).await?,
        };
        let held = if ended { self.expected_balance(last, transfer, token).await? } else { last.balance };
        let mut gained = balance.checked_sub(held).unwrap_or(RawAmount::ZERO);
        let mut tx = None;
        if !gained.is_zero() {
            tx = self.watch.funding_tx(address, token, from, block).await?;
        } else if ended && !balance.is_zero() && last.balance == balance {
            // The same amount may have been returned and paid again since.
            let since = last.block.saturating_add(1);
            tx = self.watch.funding_tx(address, token, since, block).await?;
            gained = if tx.is_some() { balance } else { RawAmount::ZERO };
        }
        // The return of an unchanged balance is retried: its token may have been paused.
        let stuck = ended && last.recorded.elapsed() >= self.policy.stuck_every;
        let mut observation = now;
        if last.balance == balance && gained.is_zero() && !stuck {
            observation.recorded = last.recorded;
        } else {
            let arrival = Arrival { order, address, token, balance, gained, block, tx };
            self.facts.record_arrival(&arrival, Timestamp::now()).await?;
            self.cursors.notify();
        }
        if balance.is_zero() {
            self.known.remove(&(address, token));
        } else {
            self.known.insert((address, token), observation);
        }
        Ok(())
    }

    async fn last_stored(&self, transfer: &OpenTransfer, token: TokenId) -> Result<Observation, StoreError> {
        let arrivals = self.facts.arrivals(transfer.address).await?;
        let last = arrivals.iter().rev().find(|arrival| arrival.token == token);
        let (balance, block) = last.map_or((RawAmount::ZERO, 0), |last| (last.balance, last.block));
        Ok(Observation { balance, block, recorded: Instant::now() })
    }

    /// The balance to expect after the last observation, less the deposit that the escrow has taken since: anything above it
    /// is another payment.
    async fn expected_balance(
        &self,
        last: Observation,
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
