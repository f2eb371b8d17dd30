use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{BalanceReader, Reservations, StoreError};
use causeway_domain::{ChainId, TokenId};
use futures::future::join_all;
use jiff::Timestamp;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::accounts::Accounts;
use super::book::Book;
use super::watch::{Level, Watch};

/// Where a book's figures come from.
pub struct BookSources {
    /// The name under which the filler reserves.
    pub filler: String,
    /// One for each chain.
    pub readers: Vec<Arc<dyn BalanceReader>>,
    pub reservations: Arc<dyn Reservations>,
    pub accounts: Accounts,
    pub tokens: HashMap<ChainId, Vec<TokenId>>,
}

impl std::fmt::Debug for BookSources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BookSources").field("filler", &self.filler).finish_non_exhaustive()
    }
}

/// Reads reservations and balances into the book until `stop`, each chain at its own pace: one that does not answer
/// grows old alone.
pub async fn keep_book(book: Arc<Book>, sources: BookSources, every: Duration, stop: CancellationToken) {
    let keeping = async {
        // Balances are worth nothing before the reservations are known; if this fails, the first turn below tells.
        let _ = look_at_reservations(&book, &sources).await;
        let chains = sources.readers.iter().map(|reader| keep_chain(&book, &sources, reader.as_ref(), every));
        tokio::join!(keep_reservations(&book, &sources, every), join_all(chains));
    };
    stop.run_until_cancelled(keeping).await;
}

async fn keep_reservations(book: &Book, sources: &BookSources, every: Duration) {
    let filler = sources.filler.as_str();
    let mut turn = turns(every);
    let mut answered = true;
    loop {
        turn.tick().await;
        match look_at_reservations(book, sources).await {
            Ok(()) => {
                if !answered {
                    tracing::info!(filler, "reservations can be read again");
                }
                answered = true;
            }
            Err(error) => {
                if answered {
                    tracing::warn!(filler, %error, "reservations cannot be read, trying again");
                }
                answered = false;
            }
        }
    }
}

async fn look_at_reservations(book: &Book, sources: &BookSources) -> Result<(), StoreError> {
    let began = Instant::now();
    let reserved = sources.reservations.all_reserved(&sources.filler, Timestamp::now()).await?;
    book.note_reserved(began, reserved);
    Ok(())
}

async fn keep_chain(book: &Book, sources: &BookSources, reader: &dyn BalanceReader, every: Duration) {
    let chain = reader.chain();
    let owner = sources.accounts.of(chain.family()).map(|parties| parties.filler);
    let (Some(owner), Some(tokens)) = (owner, sources.tokens.get(&chain)) else { return };
    let filler = sources.filler.as_str();
    let (mut watch, mut answered) = (Watch::default(), true);
    let mut turn = turns(every);
    loop {
        turn.tick().await;
        let Some(reserved) = book.reserved() else { continue };
        let began = Instant::now();
        match reader.balances(owner, tokens).await {
            Ok(held) => {
                book.note_held_beside(chain, began, held, reserved);
                if !answered {
                    tracing::info!(filler, %chain, "balances can be read again");
                }
                answered = true;
            }
            Err(error) => {
                if answered {
                    tracing::warn!(filler, %chain, %error, "balances cannot be read, trying again");
                }
                answered = false;
                continue;
            }
        }
        for token in tokens {
            tell_change(filler, book, &mut watch, *token);
        }
    }
}

fn tell_change(filler: &str, book: &Book, watch: &mut Watch, token: TokenId) {
    let Some(holding) = book.holding(&token) else { return };
    let (held, reserved) = (holding.held, holding.reserved);
    match watch.change(token, holding) {
        Some(Level::Low) => tracing::warn!(filler, %token, %held, %reserved, "inventory is low"),
        Some(Level::Short) => tracing::error!(filler, %token, %held, %reserved, "more is promised than held"),
        Some(Level::Fine) => tracing::info!(filler, %token, %held, %reserved, "inventory is back"),
        None => {}
    }
}

fn turns(every: Duration) -> tokio::time::Interval {
    let mut turn = tokio::time::interval(every);
    turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
    turn
}
