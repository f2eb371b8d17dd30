//! The JSON of the framework's HTTP API, as far as it is used here. From the types and the OpenAPI document of
//! openintentsframework/oif-specs (MIT) on 2026-11-16.

use alloy_primitives::hex;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::config::ByteEncoding;

/// The only order kind for a deposit made by its user: the user opens, the solver fills.
pub(super) const USER_OPEN: &str = "oif-user-open-v0";
/// Our escrow refunds unfilled deposits by itself.
pub(super) const REFUND_AUTOMATIC: &str = "refund-automatic";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GetQuoteRequest {
    pub(super) user: String,
    pub(super) intent: IntentRequest,
    pub(super) supported_types: [&'static str; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IntentRequest {
    pub(super) intent_type: &'static str,
    pub(super) inputs: [Input; 1],
    pub(super) outputs: [Output; 1],
    pub(super) swap_type: &'static str,
    pub(super) min_valid_until: i64,
    pub(super) preference: &'static str,
    pub(super) origin_submission: OriginSubmission,
    pub(super) failure_handling: [&'static str; 1],
    pub(super) partial_fill: bool,
    pub(super) metadata: Metadata,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Input {
    pub(super) user: String,
    pub(super) asset: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) amount: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Output {
    pub(super) receiver: String,
    pub(super) asset: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) amount: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct OriginSubmission {
    pub(super) mode: &'static str,
}

/// Our contracts, in the metadata field that the specification leaves for extensions.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Metadata {
    pub(super) origin_settler: String,
    pub(super) destination_settler: String,
    pub(super) order_data_type: String,
    #[serde(flatten)]
    pub(super) account: Option<Account>,
}

/// The filler that an order names, and the account that is paid.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Account {
    pub(super) filler: String,
    pub(super) payee: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct GetQuoteResponse {
    pub(super) quotes: Vec<Quote>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Quote {
    pub(super) order: QuotedOrder,
    pub(super) valid_until: Option<i64>,
    pub(super) eta: Option<u32>,
    #[serde(rename = "quoteId")]
    pub(super) name: Option<String>,
    pub(super) preview: Preview,
    pub(super) failure_handling: String,
    pub(super) partial_fill: bool,
    /// May hold an [`Account`]; other content is ignored.
    pub(super) metadata: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QuotedOrder {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) open_intent_tx: Option<QuotedOpen>,
}

/// Other fields are not read: the calldata of an order is ours, because its nonce is.
#[derive(Debug, Deserialize)]
pub(super) struct QuotedOpen {
    pub(super) to: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Preview {
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Output>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PostOrderRequest {
    pub(super) order: UserOpenOrder,
    pub(super) signature: Bytes,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) quote_id: Option<String>,
    pub(super) origin_submission: OriginSubmission,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UserOpenOrder {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) open_intent_tx: OpenIntentTx,
    pub(super) checks: Checks,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OpenIntentTx {
    pub(super) to: String,
    pub(super) data: Bytes,
    pub(super) gas_required: String,
}

/// No checks are left: the deposit is final.
#[derive(Debug, Default, Serialize)]
pub(super) struct Checks {
    pub(super) allowances: [(); 0],
}

/// Bytes in the solver's encoding.
#[derive(Debug)]
pub(super) struct Bytes(pub(super) Vec<u8>, pub(super) ByteEncoding);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.1 {
            ByteEncoding::Hex => serializer.serialize_str(&hex::encode_prefixed(&self.0)),
            ByteEncoding::Numbers => self.0.serialize(serializer),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PostOrderResponse {
    pub(super) order_id: Option<String>,
    pub(super) status: PostStatus,
    pub(super) message: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PostStatus {
    Received,
    Rejected,
    Error,
}

/// Some solvers wrap the order in an object.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum GetOrderResponse {
    Wrapped { order: OrderState },
    Plain(OrderState),
}

impl GetOrderResponse {
    pub(super) fn status(&self) -> String {
        let (Self::Wrapped { order } | Self::Plain(order)) = self;
        match &order.status {
            Value::String(status) => status.clone(),
            // A failure with details: its first key is the status.
            Value::Object(details) => details.keys().next().cloned().unwrap_or_default(),
            other => other.to_string(),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct OrderState {
    pub(super) status: Value,
}
