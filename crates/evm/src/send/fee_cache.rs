use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::client::EvmClient;
use crate::error::CallError;
use crate::fees::Fees;

/// Most chains produce no more than one block per second, and twice the base fee covers several blocks.
const FRESH_FOR: Duration = Duration::from_secs(1);

/// The market fees, read at most once per second.
#[derive(Debug, Default)]
pub(super) struct FeeCache(Mutex<Option<(Instant, Fees)>>);

impl FeeCache {
    pub(super) async fn fees(&self, client: &EvmClient) -> Result<Fees, CallError> {
        let cached = *self.0.lock();
        if let Some((_, fees)) = cached.filter(|(read_at, _)| read_at.elapsed() < FRESH_FOR) {
            return Ok(fees);
        }
        let fees = client.fees().await?;
        *self.0.lock() = Some((Instant::now(), fees));
        Ok(fees)
    }
}
