//! Watches the contracts' logs, so that signatures are ready before they are requested.

mod list;
mod read_chain;
mod sign_due;

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::attester::Attester;
use list::Watchlist;

/// The watch tasks; they end when this is dropped.
#[derive(Debug)]
pub struct WatchTasks(JoinSet<()>);

impl WatchTasks {
    /// Stops the tasks; journal writes in progress complete.
    pub async fn stop(mut self) {
        self.0.shutdown().await;
    }
}

/// State shared by the watch tasks.
#[derive(Debug)]
struct WatchState {
    list: Mutex<Watchlist>,
    wake: Notify,
}

impl Attester {
    /// Starts watching every chain on which it has contracts.
    pub fn watch(&self) -> WatchTasks {
        let mut list = Watchlist::default();
        for terms in self.0.ledger.open_orders() {
            list.opened(&terms, Instant::now());
        }
        let state = Arc::new(WatchState { list: Mutex::new(list), wake: Notify::new() });
        let mut tasks = JoinSet::new();
        for contracts in self.0.config.contracts.values() {
            if let Some(view) = self.0.views.get(&contracts.chain) {
                let (attester, state) = (self.clone(), Arc::clone(&state));
                tasks.spawn(read_chain::read_chain(attester, Arc::clone(view), contracts.clone(), state));
            }
        }
        tasks.spawn(sign_due::sign_due(self.clone(), state));
        WatchTasks(tasks)
    }
}
