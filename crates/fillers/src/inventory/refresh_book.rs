use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{BalanceReader, InventoryStore, StoreError};
use causeway_domain::{ChainId, TokenId};
use futures::future::join_all;
use jiff::Timestamp;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use super::accounts::Accounts;
use super::book::Book;
use super::levels::{Level, LevelTracker};

/// The sources of a book's figures.
pub struct BookSources {
    /// The filler whose reservations are read.
    pub filler: String,
    /// One reader per chain.
    pub readers: Vec<Arc<dyn BalanceReader>>,
    pub reservations: Arc<dyn InventoryStore>,
    pub accounts: Accounts,
    pub tokens: HashMap<ChainId, Vec<TokenId>>,
}

impl std::fmt::Debug for BookSources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BookSources").field("filler", &self.filler).finish_non_exhaustive()
    }
}

/// Refreshes reservations and balances of the book until `stop`. Chains are independent: one that does not answer
/// goes stale alone.
pub async fn refresh_book(book: Arc<Book>, sources: BookSources, every: Duration, stop: CancellationToken) {
    let polling = async {
        // Balances are unusable before the reservations are known; if this fails, the first poll below logs it.
        let _ = refresh_reservations(&book, &sources).await;
        let chains = sources.readers.iter().map(|reader| poll_chain(&book, &sources, reader.as_ref(), every));
        tokio::join!(poll_reservations(&book, &sources, every), join_all(chains));
    };
    stop.run_until_cancelled(polling).await;
}

async fn poll_reservations(book: &Book, sources: &BookSources, every: Duration) {
    let filler = sources.filler.as_str();
    let mut interval = polling_interval(every);
    let mut is_readable = true;
    loop {
        interval.tick().await;
        match refresh_reservations(book, sources).await {
            Ok(()) => {
                if !is_readable {
                    tracing::info!(filler, "reservations readable again");
                }
                is_readable = true;
            }
            Err(error) => {
                if is_readable {
                    tracing::warn!(filler, %error, "cannot read reservations, retrying");
                }
                is_readable = false;
            }
        }
    }
}

async fn refresh_reservations(book: &Book, sources: &BookSources) -> Result<(), StoreError> {
    let read_at = Instant::now();
    let reserved = sources.reservations.all_reserved(&sources.filler, Timestamp::now()).await?;
    book.set_reserved(read_at, reserved);
    Ok(())
}

async fn poll_chain(book: &Book, sources: &BookSources, reader: &dyn BalanceReader, every: Duration) {
    let chain = reader.chain();
    let owner = sources.accounts.for_family(chain.family()).map(|parties| parties.filler);
    let (Some(owner), Some(tokens)) = (owner, sources.tokens.get(&chain)) else { return };
    let filler = sources.filler.as_str();
    let (mut levels, mut is_readable) = (LevelTracker::default(), true);
    let mut interval = polling_interval(every);
    loop {
        interval.tick().await;
        let Some(reserved) = book.reserved() else { continue };
        let read_at = Instant::now();
        match reader.balances(owner, tokens).await {
            Ok(held) => {
                book.set_held_with_reserved(chain, read_at, held, reserved);
                if !is_readable {
                    tracing::info!(filler, %chain, "balances readable again");
                }
                is_readable = true;
            }
            Err(error) => {
                if is_readable {
                    tracing::warn!(filler, %chain, %error, "cannot read balances, retrying");
                }
                is_readable = false;
                continue;
            }
        }
        for token in tokens {
            log_level_change(filler, book, &mut levels, *token);
        }
    }
}

fn log_level_change(filler: &str, book: &Book, levels: &mut LevelTracker, token: TokenId) {
    let Some(holding) = book.holding(&token) else { return };
    let (held, reserved) = (holding.held, holding.reserved);
    match levels.update(token, holding) {
        Some(Level::Low) => tracing::warn!(filler, %token, %held, %reserved, "inventory low"),
        Some(Level::Short) => {
            tracing::error!(filler, %token, %held, %reserved, "reservations exceed balance");
        }
        Some(Level::Fine) => tracing::info!(filler, %token, %held, %reserved, "inventory recovered"),
        None => {}
    }
}

fn polling_interval(every: Duration) -> tokio::time::Interval {
    let mut interval = tokio::time::interval(every);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
