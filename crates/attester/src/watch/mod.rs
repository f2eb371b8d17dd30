//! Watches the contracts' logs, so that signatures are ready when somebody asks.

mod list;
mod read_chain;
mod sign_due;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::attester::Attester;
use list::Watchlist;

/// The tasks that watch; they end with the value.
#[derive(Debug)]
pub struct Watching(JoinSet<()>);

impl Watching {
    /// Ends them; whatever was being written is written.
    pub async fn stop(mut self) {
        self.0.shutdown().await;
    }
}

/// What the tasks share.
#[derive(Debug)]
struct Desk {
    list: Mutex<Watchlist>,
    news: Notify,
}

impl Desk {
    fn list(&self) -> MutexGuard<'_, Watchlist> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attester {
    /// Begins to watch every chain that it has contracts on.
    pub fn watch(&self) -> Watching {
        let mut list = Watchlist::default();
        for terms in self.0.ledger.open_orders() {
            list.opened(&terms, Instant::now());
        }
        let desk = Arc::new(Desk { list: Mutex::new(list), news: Notify::new() });
        let mut tasks = JoinSet::new();
        for contracts in self.0.config.contracts.values() {
            if let Some(view) = self.0.views.get(&contracts.chain) {
                let (attester, desk) = (self.clone(), Arc::clone(&desk));
                tasks.spawn(read_chain::read_chain(attester, Arc::clone(view), contracts.clone(), desk));
            }
        }
        tasks.spawn(sign_due::sign_due(self.clone(), desk));
        Watching(tasks)
    }
}
