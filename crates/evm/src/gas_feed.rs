use std::collections::HashMap;
use std::time::Duration;

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
    /// The price of gas, and of a byte where the chain charges for data.
    read: RwLock<HashMap<ChainId, (Instant, RawAmount, RawAmount)>>,
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

    /// The prices of gas and of a byte that were read last, unless they have expired.
    fn fresh(&self, chain: ChainId) -> Option<(RawAmount, RawAmount)> {
        let read = self.read.read();
        let (read_at, price, byte_price) = read.get(&chain)?;
        (read_at.elapsed() <= self.max_age).then_some((*price, *byte_price))
    }

    async fn refresh_chain(&self, client: &EvmClient, every: Duration) {
        let chain = client.chain_id();
        let mut ticks = ticker(every);
        let mut answered = true;
        loop {
            ticks.tick().await;
            let read_at = Instant::now();
            match client.expected_prices().await {
                Ok((price, byte_price)) => {
                    let prices = (read_at, RawAmount::new(price), RawAmount::new(byte_price));
                    self.read.write().insert(chain, prices);
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
        self.fresh(chain).map(|(price, _)| price)
    }

    fn byte_price(&self, chain: ChainId) -> Option<RawAmount> {
        if self.fixed.contains_key(&chain) {
            return Some(RawAmount::ZERO);
        }
        self.fresh(chain).map(|(_, byte_price)| byte_price)
    }
}
