use std::collections::HashMap;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::GasFeed;
use causeway_domain::{ChainId, RawAmount};
use futures::future::join_all;
use parking_lot::RwLock;
use tokio::time::Instant;

use crate::client::EvmClient;
use crate::ticker::ticker;

/// Gas prices of many chains, refreshed in the background so that a lookup never waits.
#[derive(Debug)]
pub struct CachedGas {
    /// Chains whose price the protocol fixes.
    fixed: HashMap<ChainId, RawAmount>,
    read: RwLock<HashMap<ChainId, (Instant, RawAmount)>>,
    max_age: Duration,
}

impl CachedGas {
    /// Knows only `fixed` at first, such as Solana's 5,000 lamports per signature. A price expires after `max_age`.
    pub fn new(max_age: Duration, fixed: impl IntoIterator<Item = (ChainId, RawAmount)>) -> Self {
        Self { fixed: fixed.into_iter().collect(), read: RwLock::default(), max_age }
    }

    /// Refreshes the price of every chain every `every` until the future is dropped. Chains do not wait for each other.
    pub async fn run(&self, clients: &[EvmClient], every: Duration) {
        join_all(clients.iter().map(|client| self.refresh_chain(client, every))).await;
    }

    async fn refresh_chain(&self, client: &EvmClient, every: Duration) {
        let chain = client.chain_id();
        let mut ticks = ticker(every);
        let mut answered = true;
        loop {
            ticks.tick().await;
            let read_at = Instant::now();
            match client.fees().await {
                Ok(fees) => {
                    let price = RawAmount::new(U256::from(fees.expected()));
                    self.read.write().insert(chain, (read_at, price));
                    answered = true;
                }
                Err(error) => {
                    if answered {
                        tracing::warn!(%chain, %error, "gas price unavailable, retrying");
                    }
                    answered = false;
                }
            }
        }
    }
}

impl GasFeed for CachedGas {
    fn price(&self, chain: ChainId) -> Option<RawAmount> {
        if let Some(price) = self.fixed.get(&chain) {
            return Some(*price);
        }
        let read = self.read.read();
        let (read_at, price) = read.get(&chain)?;
        (read_at.elapsed() <= self.max_age).then_some(*price)
    }
}
