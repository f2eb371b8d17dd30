use causeway_domain::ports::{OrderStore, StoreError};
use causeway_domain::{OrderId, RowKeys};

/// Advances the key generator past an order's newest event, which a replica with a faster clock may have written: subscribers
/// resume from the last key they saw. Call it after reading the order; an event written later fails our compare-and-swap.
pub(crate) async fn advance_keys_past(
    orders: &dyn OrderStore,
    keys: &RowKeys,
    order: &OrderId,
) -> Result<(), StoreError> {
    if let Some(last) = orders.order_events(order).await?.last() {
        keys.observe(last.key);
    }
    Ok(())
}
