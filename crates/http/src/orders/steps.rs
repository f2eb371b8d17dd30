use causeway_domain::{Decision, EventKind, Order, OrderEvent, OrderStatus};
use jiff::Timestamp;

/// Every status that the order has had, in order, up to the one it has.
///
/// The story tells them. It is read after the order and may be ahead of it, and old stories are forgotten: then the path
/// that leads to the order's status is the one it took.
pub(super) fn steps(order: &Order, story: &[OrderEvent]) -> Vec<OrderStatus> {
    let mut told: Vec<OrderStatus> = story.iter().filter_map(status).map(|(status, _)| status).collect();
    if let Some(now) = told.iter().position(|status| *status == order.status) {
        told.truncate(now.saturating_add(1));
    }
    let is_whole = told.first() == Some(&OrderStatus::Created) && told.last() == Some(&order.status);
    if is_whole { told } else { path(order) }
}

/// When the order took that status, as far as its story goes back.
pub(super) fn when(wanted: OrderStatus, story: &[OrderEvent]) -> Option<Timestamp> {
    story.iter().filter_map(status).find(|(status, _)| *status == wanted).map(|(_, at)| at)
}

fn status(event: &OrderEvent) -> Option<(OrderStatus, Timestamp)> {
    match event.kind {
        EventKind::Status(status) => Some((status, event.at)),
        EventKind::Note => None,
    }
}

fn path(order: &Order) -> Vec<OrderStatus> {
    use OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
    // Only what the filler has agreed to deliver is published.
    let published = order.decision == Some(Decision::Fill);
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
