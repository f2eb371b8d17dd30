use causeway_domain::ports::{OrderStore, StoreError};
use causeway_domain::{OrderId, RowKeys};

/// Sees to it that the next keys come after all lines of an order's story, also when whoever wrote the last one has a clock
/// that is ahead of ours: listeners go on from the last key that they have heard. Asked after the order was read, because a
/// line that is written later keeps ours from being written.
pub(crate) async fn come_after_story(
    orders: &dyn OrderStore,
    keys: &RowKeys,
    order: &OrderId,
) -> Result<(), StoreError> {
    if let Some(last) = orders.story(order).await?.last() {
        keys.observe(last.key);
    }
    Ok(())
}
