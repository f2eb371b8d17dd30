use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::ReservationLimit;
use causeway_domain::{ChainId, RawAmount, TokenId};
use parking_lot::RwLock;
use tokio::time::Instant;

use super::wide::{PPM, Wide, floor, product, saturate};

type Amounts = HashMap<TokenId, RawAmount>;

/// A filler's balance of one token, and how much of it is reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    pub held: RawAmount,
    pub reserved: RawAmount,
}

impl Holding {
    /// The unreserved balance; zero when more is reserved than held.
    pub fn free(&self) -> RawAmount {
        self.held.checked_sub(self.reserved).unwrap_or(RawAmount::ZERO)
    }

    /// A share of the balance in millionths, rounded down.
    fn share_of_held(&self, millionths: u32) -> RawAmount {
        let share = product([self.held.get(), U256::from(millionths)]);
        let share = share.and_then(|share| floor(share, Wide::from(PPM)));
        RawAmount::new(share.map_or(U256::ZERO, saturate))
    }

    /// The maximum for one order: the free balance, and at most `share` millionths of the whole balance.
    pub fn available(&self, share: u32) -> RawAmount {
        self.free().min(self.share_of_held(share))
    }

    /// The maximum that may be reserved, and `share` millionths of it for builds.
    pub fn reservation_limit(&self, share: u32) -> ReservationLimit {
        ReservationLimit { total: self.held, builds: self.share_of_held(share) }
    }
}

/// The balances of one chain.
#[derive(Debug)]
struct ChainBalances {
    read_at: Instant,
    held: Amounts,
    /// The reservations as of before the balances were read. A payout in between lowers both, and newer
    /// reservations alone would count the funds that have left as free.
    reserved: Arc<Amounts>,
}

#[derive(Debug, Default)]
struct BookState {
    balances: HashMap<ChainId, ChainBalances>,
    reserved: Option<(Instant, Arc<Amounts>)>,
}

/// A filler's holdings in memory, so that quoting needs no I/O. Stale figures are not returned.
#[derive(Debug)]
pub struct Book {
    state: RwLock<BookState>,
    max_age: Duration,
}

impl Book {
    /// An empty book; figures are valid for `max_age`.
    pub fn new(max_age: Duration) -> Self {
        Self { state: RwLock::default(), max_age }
    }

    /// The balance and reservations of a token; `None` when either is unknown or stale.
    pub fn holding(&self, token: &TokenId) -> Option<Holding> {
        let state = self.state.read();
        let balances = state.balances.get(&token.chain())?;
        let (reserved_at, reserved) = state.reserved.as_ref()?;
        let is_fresh = |then: Instant| then.elapsed() <= self.max_age;
        if !is_fresh(balances.read_at) || !is_fresh(*reserved_at) {
            return None;
        }
        let amount = |amounts: &Amounts| amounts.get(token).copied().unwrap_or(RawAmount::ZERO);
        Some(Holding {
            held: amount(&balances.held),
            reserved: amount(reserved).max(amount(&balances.reserved)),
        })
    }

    /// Sets the reservations of every token; `read_at` is when the read started.
    pub fn set_reserved(&self, read_at: Instant, reserved: impl IntoIterator<Item = (TokenId, RawAmount)>) {
        let reserved = Arc::new(reserved.into_iter().collect());
        self.state.write().reserved = Some((read_at, reserved));
    }

    /// The latest reservations; a chain's balances are read after them.
    pub(super) fn reserved(&self) -> Option<Arc<Amounts>> {
        let state = self.state.read();
        state.reserved.as_ref().map(|(_, reserved)| Arc::clone(reserved))
    }

    /// Sets the balances of one chain; `read_at` is when the read started. Tokens not named have no balance.
    pub fn set_held(
        &self,
        chain: ChainId,
        read_at: Instant,
        held: impl IntoIterator<Item = (TokenId, RawAmount)>,
    ) {
        let reserved = self.reserved().unwrap_or_default();
        self.set_held_with_reserved(chain, read_at, held, reserved);
    }

    pub(super) fn set_held_with_reserved(
        &self,
        chain: ChainId,
        read_at: Instant,
        held: impl IntoIterator<Item = (TokenId, RawAmount)>,
        reserved: Arc<Amounts>,
    ) {
        let balances = ChainBalances { read_at, held: held.into_iter().collect(), reserved };
        self.state.write().balances.insert(chain, balances);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGE: Duration = Duration::from_secs(30);

    fn amount(units: u64) -> RawAmount {
        RawAmount::new(U256::from(units))
    }

    fn token() -> TokenId {
        TokenId::native(ChainId::new(1).unwrap())
    }

    #[test]
    fn reserved_funds_are_not_free_and_one_order_takes_at_most_its_share() {
        let holding = |held, reserved| Holding { held: amount(held), reserved: amount(reserved) };
        assert_eq!(holding(100, 30).free(), amount(70));
        assert_eq!(holding(100, 130).free(), amount(0));
        assert_eq!(holding(100, 30).available(200_000), amount(20));
        assert_eq!(holding(100, 95).available(200_000), amount(5));
        let limit = holding(104, 30).reservation_limit(200_000);
        assert_eq!(limit, ReservationLimit { total: amount(104), builds: amount(20) });
        let all = Holding { held: RawAmount::new(U256::MAX), reserved: RawAmount::ZERO };
        assert_eq!(all.available(PPM).get(), U256::MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn stale_book_returns_no_holding() {
        let book = Book::new(AGE);
        assert_eq!(book.holding(&token()), None, "nothing was read yet");
        book.set_held(token().chain(), Instant::now(), [(token(), amount(5))]);
        assert_eq!(book.holding(&token()), None, "reservations are not known yet");
        book.set_reserved(Instant::now(), []);
        assert_eq!(book.holding(&token()).unwrap().free(), amount(5));
        tokio::time::advance(AGE).await;
        book.set_reserved(Instant::now(), []);
        assert!(book.holding(&token()).is_some());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(book.holding(&token()), None, "the balances are too old");
        book.set_held(token().chain(), Instant::now(), [(token(), amount(5))]);
        assert!(book.holding(&token()).is_some());
        tokio::time::advance(AGE).await;
        book.set_held(token().chain(), Instant::now(), [(token(), amount(5))]);
        assert_eq!(book.holding(&token()), None, "the reservations are too old");
    }

    #[test]
    fn payout_between_two_reads_never_frees_the_same_funds_twice() {
        let book = Book::new(AGE);
        book.set_reserved(Instant::now(), [(token(), amount(40))]);
        book.set_held(token().chain(), Instant::now(), [(token(), amount(100))]);
        // The payout left and its reservation was released, but the balances were not read again.
        book.set_reserved(Instant::now(), []);
        assert_eq!(book.holding(&token()).unwrap().free(), amount(60));
        book.set_held(token().chain(), Instant::now(), [(token(), amount(60))]);
        assert_eq!(book.holding(&token()).unwrap().free(), amount(60));
    }

    #[test]
    fn unnamed_token_has_zero_balance() {
        let book = Book::new(AGE);
        book.set_reserved(Instant::now(), []);
        book.set_held(token().chain(), Instant::now(), []);
        assert_eq!(book.holding(&token()).unwrap().free(), RawAmount::ZERO);
    }
}
