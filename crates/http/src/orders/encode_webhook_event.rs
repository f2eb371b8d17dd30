use causeway_catalog::Snapshot;
use causeway_domain::{Order, OrderEvent};
use causeway_wire::WebhookEvent;

use super::map_order::{map_event, map_order};

/// Serializes the body of a webhook: the event, and the order in its public form.
pub fn encode_webhook_event(
    order: &Order,
    events: &[OrderEvent],
    event: &OrderEvent,
    snapshot: &Snapshot,
) -> Vec<u8> {
    let body = WebhookEvent {
        id: event.key.get().to_string(),
        event: map_event(event),
        order: map_order(order, events, snapshot),
    };
    // Plain strings and numbers always serialize.
    serde_json::to_vec(&body).unwrap_or_default()
}
