use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{BalanceReader, ChainError, Reservation, ReservationKind};
use causeway_domain::{Address, ChainId, Family, RawAmount, TokenId};
use causeway_fillers::inventory::{Book, BookSources, Holding, refresh_book};
use causeway_testing::MemoryStore;
use tokio_util::sync::CancellationToken;

use crate::fixture::{BASE, ETHEREUM, accounts, chain, parties, raw, usdc};

const EVERY: Duration = Duration::from_secs(2);
const AGE: Duration = Duration::from_secs(20);

/// A chain with this balance of USDC, or one that does not answer.
struct Chain(ChainId, Mutex<Option<u64>>);

#[async_trait]
impl BalanceReader for Chain {
    fn chain(&self) -> ChainId {
        self.0
    }

    async fn balances(
        &self,
        owner: Address,
        tokens: &[TokenId],
    ) -> Result<Vec<(TokenId, RawAmount)>, ChainError> {
        assert_eq!(owner, parties(Family::Evm).filler);
        let balance = self.1.lock().unwrap().ok_or(ChainError::Unavailable(self.0))?;
        Ok(tokens.iter().map(|token| (*token, raw(balance))).collect())
    }
}

fn chain_with(id: u64, balance: u64) -> Arc<Chain> {
    Arc::new(Chain(chain(id), Mutex::new(Some(balance))))
}

#[tokio::test(start_paused = true)]
async fn book_tracks_balances_and_reservations_and_each_chain_goes_stale_alone() {
    let (one, other) = (chain_with(ETHEREUM, 100), chain_with(BASE, 50));
    let store = Arc::new(MemoryStore::default());
    let book = Arc::new(Book::new(AGE));
    let sources = BookSources {
        filler: "north".to_owned(),
        readers: vec![one.clone(), other.clone()],
        reservations: store.clone(),
        accounts: accounts(),
        tokens: [ETHEREUM, BASE].into_iter().map(|id| (chain(id), vec![usdc(id).id])).collect(),
    };
    let stop = CancellationToken::new();
    let refreshing = tokio::spawn(refresh_book(Arc::clone(&book), sources, EVERY, stop.clone()));
    let held = |id| book.holding(&usdc(id).id);
    let holding = |held, reserved| Some(Holding { held: raw(held), reserved: raw(reserved) });

    tokio::time::sleep(EVERY / 2).await;
    assert_eq!((held(ETHEREUM), held(BASE)), (holding(100, 0), holding(50, 0)));

    store.reservations.lock().unwrap().push(Reservation {
        filler: "north".to_owned(),
        token: usdc(BASE).id,
        amount: raw(20),
        holder: "an order".to_owned(),
        kind: ReservationKind::Order,
        expires_at: None,
    });
    *one.1.lock().unwrap() = Some(90);
    tokio::time::sleep(EVERY).await;
    assert_eq!((held(ETHEREUM), held(BASE)), (holding(90, 0), holding(50, 20)));

    *other.1.lock().unwrap() = None;
    tokio::time::sleep(AGE + EVERY).await;
    assert_eq!((held(ETHEREUM), held(BASE)), (holding(90, 0), None));

    *other.1.lock().unwrap() = Some(30);
    tokio::time::sleep(EVERY).await;
    assert_eq!(held(BASE), holding(30, 20));

    stop.cancel();
    refreshing.await.unwrap();
}
