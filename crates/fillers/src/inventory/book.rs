use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::ReservationLimit;
use causeway_domain::{ChainId, RawAmount, TokenId};
use tokio::time::Instant;

use super::wide::{WHOLE, Wide, floor, product, saturate};

type Amounts = HashMap<TokenId, RawAmount>;

/// What a filler holds of one token, and how much of it is promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    pub held: RawAmount,
    pub reserved: RawAmount,
}

impl Holding {
    /// What is not promised to anybody; nothing when more is promised than held.
    pub fn free(&self) -> RawAmount {
        self.held.checked_sub(self.reserved).unwrap_or(RawAmount::ZERO)
    }

    /// The part of what is held that is counted in millionths, rounded down.
    fn part(&self, millionths: u32) -> RawAmount {
        let part = product([self.held.get(), U256::from(millionths)]);
        let part = part.and_then(|part| floor(part, Wide::from(WHOLE)));
        RawAmount::new(part.map_or(U256::ZERO, saturate))
    }

    /// The most that one order may take: no more than is free, and no more than `share` millionths of all.
    pub fn available(&self, share: u32) -> RawAmount {
        self.free().min(self.part(share))
    }

    /// What may be reserved in all, and `share` millionths of it for builds.
    pub fn reservation_limit(&self, share: u32) -> ReservationLimit {
        ReservationLimit { total: self.held, builds: self.part(share) }
    }
}

/// One chain's balances.
#[derive(Debug)]
struct Reading {
    began: Instant,
    held: Amounts,
    /// What was reserved before the balances were read. A payout in between lowers both, and a later look at the
    /// reservations alone would count the coin that has left as free.
    reserved: Arc<Amounts>,
}

#[derive(Debug, Default)]
struct Pages {
    readings: HashMap<ChainId, Reading>,
    reserved: Option<(Instant, Arc<Amounts>)>,
}

/// A filler's holdings in memory, so that quoting waits for nobody. What is too old is not told.
#[derive(Debug)]
pub struct Book {
    pages: RwLock<Pages>,
    max_age: Duration,
}

impl Book {
    /// An empty book; what it is told counts for `max_age`.
    pub fn new(max_age: Duration) -> Self {
        Self { pages: RwLock::default(), max_age }
    }

    /// What is held and promised of a token, unless one of both is unknown or too old.
    pub fn holding(&self, token: &TokenId) -> Option<Holding> {
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        let reading = pages.readings.get(&token.chain())?;
        let (read_at, reserved) = pages.reserved.as_ref()?;
        let fresh = |then: Instant| then.elapsed() <= self.max_age;
        if !fresh(reading.began) || !fresh(*read_at) {
            return None;
        }
        let of = |amounts: &Amounts| amounts.get(token).copied().unwrap_or(RawAmount::ZERO);
        Some(Holding { held: of(&reading.held), reserved: of(reserved).max(of(&reading.reserved)) })
    }

    /// Writes down what is reserved of every token, as read from `began` on.
    pub fn note_reserved(&self, began: Instant, reserved: impl IntoIterator<Item = (TokenId, RawAmount)>) {
        let reserved = Arc::new(reserved.into_iter().collect());
        self.pages.write().unwrap_or_else(PoisonError::into_inner).reserved = Some((began, reserved));
    }

    /// What was reserved at the last look; a chain's balances are read after it.
    pub(super) fn reserved(&self) -> Option<Arc<Amounts>> {
        let pages = self.pages.read().unwrap_or_else(PoisonError::into_inner);
        pages.reserved.as_ref().map(|(_, reserved)| Arc::clone(reserved))
    }

    /// Writes down one chain's balances, as read from `began` on; what is not named is not held.
    pub fn note_held(
        &self,
        chain: ChainId,
        began: Instant,
        held: impl IntoIterator<Item = (TokenId, RawAmount)>,
    ) {
        let reserved = self.reserved().unwrap_or_default();
        self.note_held_beside(chain, began, held, reserved);
    }

    pub(super) fn note_held_beside(
        &self,
        chain: ChainId,
        began: Instant,
        held: impl IntoIterator<Item = (TokenId, RawAmount)>,
        reserved: Arc<Amounts>,
    ) {
        let reading = Reading { began, held: held.into_iter().collect(), reserved };
        self.pages.write().unwrap_or_else(PoisonError::into_inner).readings.insert(chain, reading);
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
    fn what_is_reserved_is_not_free_and_one_order_takes_its_share_at_most() {
        let holding = |held, reserved| Holding { held: amount(held), reserved: amount(reserved) };
        assert_eq!(holding(100, 30).free(), amount(70));
        assert_eq!(holding(100, 130).free(), amount(0));
        assert_eq!(holding(100, 30).available(200_000), amount(20));
        assert_eq!(holding(100, 95).available(200_000), amount(5));
        let limit = holding(104, 30).reservation_limit(200_000);
        assert_eq!(limit, ReservationLimit { total: amount(104), builds: amount(20) });
        let all = Holding { held: RawAmount::new(U256::MAX), reserved: RawAmount::ZERO };
        assert_eq!(all.available(WHOLE).get(), U256::MAX);
    }

    #[tokio::test(start_paused = true)]
    async fn a_book_that_is_too_old_tells_nothing() {
        let book = Book::new(AGE);
        assert_eq!(book.holding(&token()), None, "nothing was read yet");
        book.note_held(token().chain(), Instant::now(), [(token(), amount(5))]);
        assert_eq!(book.holding(&token()), None, "reservations are not known yet");
        book.note_reserved(Instant::now(), []);
        assert_eq!(book.holding(&token()).unwrap().free(), amount(5));
        tokio::time::advance(AGE).await;
        book.note_reserved(Instant::now(), []);
        assert!(book.holding(&token()).is_some());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(book.holding(&token()), None, "the balances are too old");
        book.note_held(token().chain(), Instant::now(), [(token(), amount(5))]);
        assert!(book.holding(&token()).is_some());
        tokio::time::advance(AGE).await;
        book.note_held(token().chain(), Instant::now(), [(token(), amount(5))]);
        assert_eq!(book.holding(&token()), None, "the reservations are too old");
    }

    #[test]
    fn a_payout_between_two_looks_never_frees_the_same_coin_twice() {
        let book = Book::new(AGE);
        book.note_reserved(Instant::now(), [(token(), amount(40))]);
        book.note_held(token().chain(), Instant::now(), [(token(), amount(100))]);
        // The payout left and its reservation was released, but the balances were not read again.
        book.note_reserved(Instant::now(), []);
        assert_eq!(book.holding(&token()).unwrap().free(), amount(60));
        book.note_held(token().chain(), Instant::now(), [(token(), amount(60))]);
        assert_eq!(book.holding(&token()).unwrap().free(), amount(60));
    }

    #[test]
    fn a_token_that_is_not_named_is_not_held() {
        let book = Book::new(AGE);
        book.note_reserved(Instant::now(), []);
        book.note_held(token().chain(), Instant::now(), []);
        assert_eq!(book.holding(&token()).unwrap().free(), RawAmount::ZERO);
    }
}
