use causeway_catalog::Snapshot;
use causeway_domain::{Order, OrderEvent};
use causeway_wire::WebhookEvent;

use super::map_order::{map_event, map_order};

/// The body of the webhook that tells a line of an order's story: the line, and the order as everybody may see it.
pub fn tell_event(order: &Order, story: &[OrderEvent], line: &OrderEvent, snapshot: &Snapshot) -> Vec<u8> {
    let told = WebhookEvent {
        id: line.key.get().to_string(),
        event: map_event(line),
        order: map_order(order, story, snapshot),
    };
    // Strings and numbers alone always become JSON.
    serde_json::to_vec(&told).unwrap_or_default()
}
