use causeway_domain::Deployment;
use causeway_domain::fiat::{FiatEvent, FiatOrder};
use causeway_wire::{FiatOrderEvent, FiatWebhookEvent};

use super::map_order::map_entry;

/// Serializes the body of a webhook: the event, and the purchase as its history shows it.
pub fn encode_purchase_webhook_event(
    purchase: &FiatOrder,
    event: &FiatEvent,
    deployments: &[Deployment],
) -> Vec<u8> {
    let body = FiatWebhookEvent {
        id: event.key.get().to_string(),
        event: FiatOrderEvent {
            order_id: event.order.to_string(),
            status: event.status.map(|status| status.to_string()),
            detail: event.detail.clone(),
            at: event.at.to_string(),
        },
        purchase: map_entry(deployments, purchase),
    };
    // Plain strings and numbers always serialize.
    serde_json::to_vec(&body).unwrap_or_default()
}
