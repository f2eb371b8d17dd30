use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::client::EvmClient;
use crate::error::CallError;
use crate::fees::Fees;

/// Blocks come no faster on most chains, and twice the base fee outlives several of them.
const FRESH_FOR: Duration = Duration::from_secs(1);

/// What is usual to pay, asked for once a second at most.
#[derive(Debug, Default)]
pub(super) struct Market(Mutex<Option<(Instant, Fees)>>);

impl Market {
    pub(super) async fn fees(&self, client: &EvmClient) -> Result<Fees, CallError> {
        let held = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, fees)) = held.filter(|(since, _)| since.elapsed() < FRESH_FOR) {
            return Ok(fees);
        }
        let fees = client.fees().await?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), fees));
        Ok(fees)
    }
}
