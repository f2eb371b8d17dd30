use serde::{Deserialize, Serialize};

use super::FiatOrder;

/// The `type` of every message that the wrapper page posts.
pub const FIAT_WIDGET_EVENT: &str = "FIAT_WIDGET_EVENT";

/// A message that the wrapper page posts to its parent and to its opener.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatWidgetEvent {
    /// Always `FIAT_WIDGET_EVENT`.
    #[cfg_attr(feature = "openapi", schema(example = "FIAT_WIDGET_EVENT"))]
    pub r#type: String,
    /// `widget_ready`, `order_created`, `order_processing`, `order_completed`, `order_failed` or `widget_close`.
    #[cfg_attr(feature = "openapi", schema(example = "order_completed"))]
    pub event: String,
    /// The id of the provider.
    #[cfg_attr(feature = "openapi", schema(example = "sandbox-card"))]
    pub provider: String,
    /// The order of the checkout.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub order_id: String,
    /// The provider's own id of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_order_id: Option<String>,
    /// The provider's own data of the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub data: Option<serde_json::Value>,
}

/// One event of a purchase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FiatOrderEvent {
    /// The purchase that it belongs to.
    pub order_id: String,
    /// The new status; absent where it did not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What happened, as text for people.
    pub detail: String,
    /// ISO 8601.
    pub at: String,
}

/// A webhook payload: one event of a purchase, and the purchase at the time of sending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiatWebhookEvent {
    /// The same id is the same event, sent again.
    pub id: String,
    pub event: FiatOrderEvent,
    pub purchase: FiatOrder,
}

/// The result of a provider's webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatWebhookAnswer {
    /// `accepted`, `duplicate`, `unknown_order` or `rejected`.
    #[cfg_attr(feature = "openapi", schema(example = "accepted"))]
    pub outcome: String,
}
