use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use alloy_primitives::U256;
use causeway_domain::ports::GasFeed;
use causeway_domain::{ChainId, RawAmount, SOLANA_CHAIN_ID};

use crate::SolanaRpc;
use crate::program::EscrowProgram;

/// What a signature costs by protocol, in lamports.
const PER_SIGNATURE: u64 = 5_000;
/// What a transaction of ours takes, on the high side: a delivery that makes the recipient's account, a claim with signatures.
const UNITS: u64 = 150_000;
const MICRO: u64 = 1_000_000;

/// What one transaction of ours costs on Solana, signature and priority together, as it was read last.
#[derive(Debug)]
pub struct CachedFees {
    read: RwLock<Option<(Instant, u64)>>,
    max_age: Duration,
    /// No more is ever offered, in millionths of a lamport for each compute unit.
    most_for_unit: u64,
}

impl CachedFees {
    /// Nothing is known at first; what is read counts for `max_age`.
    pub fn new(max_age: Duration, most_for_unit: u64) -> Self {
        Self { read: RwLock::default(), max_age, most_for_unit }
    }

    /// Reads it again and again until it is dropped.
    pub async fn keep(&self, rpc: &SolanaRpc, program: EscrowProgram, every: Duration) {
        let mut answered = true;
        loop {
            let began = Instant::now();
            match rpc.priority_price(&[program.office()]).await {
                Ok(price) => {
                    let price = price.min(self.most_for_unit);
                    *self.read.write().unwrap_or_else(PoisonError::into_inner) = Some((began, price));
                    answered = true;
                }
                Err(error) if std::mem::take(&mut answered) => {
                    tracing::warn!(%error, "Solana's priority fees cannot be read, trying again");
                }
                Err(_) => {}
            }
            tokio::time::sleep(every).await;
        }
    }
}

impl GasFeed for CachedFees {
    fn price(&self, chain: ChainId) -> Option<RawAmount> {
        let (began, price) = (*self.read.read().unwrap_or_else(PoisonError::into_inner))?;
        let fresh = chain == SOLANA_CHAIN_ID && began.elapsed() <= self.max_age;
        fresh.then(|| RawAmount::new(U256::from(per_transaction(price))))
    }
}

/// Rounded up to one lamport.
const fn per_transaction(price: u64) -> u64 {
    PER_SIGNATURE.saturating_add(price.saturating_mul(UNITS).div_ceil(MICRO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_costs_its_signature_and_its_priority_rounded_up() {
        assert_eq!(per_transaction(0), 5_000);
        assert_eq!(per_transaction(1), 5_001);
        assert_eq!(per_transaction(1_000_000), 155_000);
    }

    #[test]
    fn what_was_not_read_is_not_known() {
        let fees = CachedFees::new(Duration::from_mins(1), 10);
        assert_eq!(fees.price(SOLANA_CHAIN_ID), None);
        *fees.read.write().unwrap() = Some((Instant::now(), 0));
        assert_eq!(fees.price(SOLANA_CHAIN_ID), Some(RawAmount::new(U256::from(5_000))));
        assert_eq!(fees.price(ChainId::new(1).unwrap()), None);
    }
}
