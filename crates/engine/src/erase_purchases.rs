use causeway_domain::ports::{Erased, Erasure, FiatStore, StoreError};
use jiff::Timestamp;

/// How many purchases one transaction erases; small, so that it never blocks writers for long.
const BATCH: u32 = 200;

/// Erases the personal data of the purchases that are meant and over.
pub async fn erase_purchases(
    store: &dyn FiatStore,
    erasure: &Erasure,
    now: Timestamp,
) -> Result<Erased, StoreError> {
    let mut total = Erased::default();
    loop {
        let batch = store.erase_purchases(erasure, now, BATCH).await?;
        total.unfinished = batch.unfinished;
        if batch.purchases.is_empty() {
            return Ok(total);
        }
        total.purchases.extend(batch.purchases);
    }
}
