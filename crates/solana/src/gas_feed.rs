use std::time::{Duration, Instant};

use alloy_primitives::U256;
use causeway_domain::ports::GasFeed;
use causeway_domain::{ChainId, RawAmount, SOLANA_CHAIN_ID};
use parking_lot::RwLock;

use crate::SolanaRpc;
use crate::program::EscrowProgram;

/// The protocol fee of one signature, in lamports.
const SIGNATURE_FEE: u64 = 5_000;
/// An upper estimate of the compute units of one transaction: a fill that creates the recipient's account, or a claim.
const COMPUTE_UNITS_ESTIMATE: u64 = 150_000;
const MICRO_LAMPORTS_PER_LAMPORT: u64 = 1_000_000;

/// The last known cost of one transaction on Solana: signature fee plus priority fee.
#[derive(Debug)]
pub struct CachedFees {
    read: RwLock<Option<(Instant, u64)>>,
    max_age: Duration,
    /// The highest priority fee that is offered, in micro-lamports per compute unit.
    max_compute_unit_price: u64,
}

impl CachedFees {
    /// Starts without a price; a price is valid for `max_age`.
    pub fn new(max_age: Duration, max_compute_unit_price: u64) -> Self {
        Self { read: RwLock::default(), max_age, max_compute_unit_price }
    }

    /// Refreshes the price periodically until the future is dropped.
    pub async fn run(&self, rpc: &SolanaRpc, program: EscrowProgram, every: Duration) {
        let mut answered = true;
        loop {
            let began = Instant::now();
            match rpc.priority_price(&[program.attester_config()]).await {
                Ok(price) => {
                    let price = price.min(self.max_compute_unit_price);
                    *self.read.write() = Some((began, price));
                    answered = true;
                }
                Err(error) if std::mem::take(&mut answered) => {
                    tracing::warn!(%error, "Solana priority fees unavailable");
                }
                Err(_) => {}
            }
            tokio::time::sleep(every).await;
        }
    }
}

impl GasFeed for CachedFees {
    fn price(&self, chain: ChainId) -> Option<RawAmount> {
        let (began, price) = (*self.read.read())?;
        let fresh = chain == SOLANA_CHAIN_ID && began.elapsed() <= self.max_age;
        fresh.then(|| RawAmount::new(U256::from(transaction_cost(price))))
    }
}

/// Rounded up to one lamport.
const fn transaction_cost(price: u64) -> u64 {
    SIGNATURE_FEE
        .saturating_add(price.saturating_mul(COMPUTE_UNITS_ESTIMATE).div_ceil(MICRO_LAMPORTS_PER_LAMPORT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_costs_its_signature_and_its_priority_rounded_up() {
        assert_eq!(transaction_cost(0), 5_000);
        assert_eq!(transaction_cost(1), 5_001);
        assert_eq!(transaction_cost(1_000_000), 155_000);
    }

    #[test]
    fn price_is_unknown_before_the_first_read() {
        let fees = CachedFees::new(Duration::from_mins(1), 10);
        assert_eq!(fees.price(SOLANA_CHAIN_ID), None);
        *fees.read.write() = Some((Instant::now(), 0));
        assert_eq!(fees.price(SOLANA_CHAIN_ID), Some(RawAmount::new(U256::from(5_000))));
        assert_eq!(fees.price(ChainId::new(1).unwrap()), None);
    }
}
