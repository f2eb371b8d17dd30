mod encode_webhook_event;
pub(crate) mod event_streams;
pub(crate) mod get_deposit_address;
pub(crate) mod get_events;
pub(crate) mod get_order;
pub(crate) mod get_orders;
pub(crate) mod known_orders;
mod map_order;
mod order_versions;
pub(crate) mod search_orders;
mod steps;

pub use encode_webhook_event::encode_webhook_event;

use causeway_domain::Order;
use causeway_wire as wire;
use futures::future::try_join_all;

use crate::App;
use crate::error::ApiResult;

/// Maps orders with their events, in the same sequence.
pub(crate) async fn map_orders(app: &App, orders: &[Order]) -> ApiResult<Vec<wire::Order>> {
    let histories = try_join_all(orders.iter().map(|order| app.orders.order_events(&order.id))).await?;
    let snapshot = app.catalog.snapshot();
    let both = orders.iter().zip(&histories);
    Ok(both.map(|(order, events)| map_order::map_order(order, events, &snapshot)).collect())
}
