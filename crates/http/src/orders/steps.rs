use causeway_domain::{Decision, EventKind, Order, OrderEvent, OrderStatus};
use jiff::Timestamp;

/// All statuses of the order up to the current one, in order.
///
/// They come from the events, which are read after the order and may be ahead of it. If old events were deleted, the
/// statuses are derived from the current one.
pub(super) fn steps(order: &Order, events: &[OrderEvent]) -> Vec<OrderStatus> {
    let mut statuses: Vec<OrderStatus> = events.iter().filter_map(status).map(|(status, _)| status).collect();
    if let Some(now) = statuses.iter().position(|status| *status == order.status) {
        statuses.truncate(now.saturating_add(1));
    }
    let is_complete =
        statuses.first() == Some(&OrderStatus::Created) && statuses.last() == Some(&order.status);
    if is_complete { statuses } else { implied_statuses(order) }
}

/// When the order reached that status, if the event still exists.
pub(super) fn reached_at(wanted: OrderStatus, events: &[OrderEvent]) -> Option<Timestamp> {
    events.iter().filter_map(status).find(|(status, _)| *status == wanted).map(|(_, at)| at)
}

fn status(event: &OrderEvent) -> Option<(OrderStatus, Timestamp)> {
    match event.kind {
        EventKind::Status(status) => Some((status, event.at)),
        EventKind::Note => None,
    }
}

fn implied_statuses(order: &Order) -> Vec<OrderStatus> {
    use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
    // An order is published only if the filler accepted it.
    let published = order.decision == Some(Decision::Fill) && order.provider.is_none();
    let path: &[OrderStatus] = match order.status {
        Created => &[Created],
        Deposited => &[Created, Deposited],
        Published => &[Created, Deposited, Published],
        Filled => &[Created, Deposited, Published, Filled],
        RefundPending if published => &[Created, Deposited, Published, RefundPending],
        RefundPending => &[Created, Deposited, RefundPending],
        Refunded if published => &[Created, Deposited, Published, RefundPending, Refunded],
        Refunded => &[Created, Deposited, RefundPending, Refunded],
        Failed => &[Created, Failed],
    };
    path.to_vec()
}
