use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::GasFeed;
use causeway_domain::{ChainId, RawAmount};
use futures::future::join_all;
use tokio::time::Instant;

use crate::client::EvmClient;
use crate::turns::turns;

/// The price of gas on many chains, read in the background so that asking for it waits for nobody.
#[derive(Debug)]
pub struct CachedGas {
    /// Chains whose price is a matter of protocol.
    fixed: HashMap<ChainId, RawAmount>,
    read: RwLock<HashMap<ChainId, (Instant, RawAmount)>>,
    max_age: Duration,
}

impl CachedGas {
    /// Nothing is known at first but `fixed`, such as Solana's 5,000 lamports a signature; what is read counts for `max_age`.
    pub fn new(max_age: Duration, fixed: impl IntoIterator<Item = (ChainId, RawAmount)>) -> Self {
        Self { fixed: fixed.into_iter().collect(), read: RwLock::default(), max_age }
    }

    /// Reads the price of every chain again and again until it is dropped, each chain at its own pace.
    pub async fn keep(&self, clients: &[EvmClient], every: Duration) {
        join_all(clients.iter().map(|client| self.keep_chain(client, every))).await;
    }

    async fn keep_chain(&self, client: &EvmClient, every: Duration) {
        let chain = client.chain_id();
        let mut turn = turns(every);
        let mut answered = true;
        loop {
            turn.tick().await;
            let began = Instant::now();
            match client.fees().await {
                Ok(fees) => {
                    let price = RawAmount::new(U256::from(fees.expected()));
                    self.read.write().unwrap_or_else(PoisonError::into_inner).insert(chain, (began, price));
                    answered = true;
                }
                Err(error) => {
                    if answered {
                        tracing::warn!(%chain, %error, "the price of gas cannot be read, trying again");
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
        let read = self.read.read().unwrap_or_else(PoisonError::into_inner);
        let (began, price) = read.get(&chain)?;
        (began.elapsed() <= self.max_age).then_some(*price)
    }
}
