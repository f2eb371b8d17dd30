use serde::{Deserialize, Serialize};

/// The status of a purchase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatStatus {
    /// The id of the order.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub order_id: String,
    /// `created`, `pending`, `processing`, `completed`, `failed`, `canceled` or `expired`.
    #[cfg_attr(feature = "openapi", schema(example = "completed"))]
    pub status: String,
    /// `awaiting_payment`, `payment_processing`, `settling`, or the terminal status.
    #[cfg_attr(feature = "openapi", schema(example = "completed"))]
    pub progress: String,
    /// The transaction that delivered the target to the recipient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
    )]
    pub fill_tx_hash: Option<String>,
    /// The reason of the failure, as text for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_reason: Option<String>,
    /// A stable, machine-readable reason of the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_reason: Option<String>,
    /// The id of the provider.
    #[cfg_attr(feature = "openapi", schema(example = "sandbox-card"))]
    pub provider: String,
    /// `direct` or `jump`.
    #[cfg_attr(feature = "openapi", schema(example = "direct"))]
    pub swap_strategy: String,
    /// The swap that took a jump's funds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap_order_id: Option<String>,
    /// When to ask again.
    pub polling: FiatPolling,
}

/// When to poll again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatPolling {
    /// 0 once the order is terminal.
    #[cfg_attr(feature = "openapi", schema(example = 2000))]
    pub suggested_interval_ms: u64,
    /// Whether the order has ended, so that nothing changes any more.
    pub is_terminal: bool,
}
