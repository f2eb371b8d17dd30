//! Banxa's JSON, as documented.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::amounts::Decimal;

/// Some responses are wrapped in an object.
#[derive(Debug, Deserialize)]
pub(super) struct Wrapped {
    pub(super) data: Box<RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Country {
    pub(super) id: String,
    #[serde(default)]
    pub(super) states: Option<Vec<State>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct State {
    pub(super) id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fiat {
    pub(super) id: String,
    #[serde(default)]
    pub(super) supported_payment_methods: Option<Vec<Method>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Method {
    pub(super) id: String,
    #[serde(default)]
    pub(super) name: Option<String>,
    pub(super) minimum: Option<Decimal>,
    pub(super) maximum: Option<Decimal>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Crypto {
    pub(super) id: String,
    #[serde(default)]
    pub(super) blockchains: Option<Vec<Blockchain>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Blockchain {
    pub(super) id: String,
    /// A contract; absent for the native coin.
    #[serde(default)]
    pub(super) address: Option<String>,
    /// The chain id of an EVM chain.
    #[serde(default)]
    pub(super) network: Option<String>,
    /// Where it is not sold: whole countries, or the listed subdivisions.
    #[serde(default)]
    pub(super) unsupported_countries: Option<HashMap<String, Vec<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Quote {
    pub(super) payment_method_id: Option<String>,
    pub(super) crypto_amount: Decimal,
    pub(super) fiat_amount: Decimal,
    pub(super) processing_fee: Option<Decimal>,
    pub(super) network_fee: Option<Decimal>,
    /// Not in every response.
    pub(super) fiat: Option<String>,
    pub(super) crypto: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BuyRequest {
    pub(super) crypto: String,
    pub(super) blockchain: String,
    pub(super) fiat: String,
    pub(super) fiat_amount: String,
    pub(super) wallet_address: String,
    pub(super) redirect_url: String,
    pub(super) external_customer_id: String,
    pub(super) external_order_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) payment_method_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreatedOrder {
    pub(super) checkout_url: String,
    pub(super) external_order_id: Option<String>,
    pub(super) fiat: Option<String>,
    pub(super) fiat_amount: Option<Decimal>,
    pub(super) wallet_address: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Orders {
    #[serde(default)]
    pub(super) orders: Vec<ListedOrder>,
    /// The total over all pages.
    pub(super) total: Option<Decimal>,
}

/// An order in a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedOrder {
    pub(super) id: String,
    pub(super) status: String,
    pub(super) order_type: Option<String>,
    pub(super) external_id: Option<String>,
    pub(super) external_customer_id: Option<String>,
    pub(super) crypto: Option<Coin>,
    pub(super) fiat: Option<String>,
    pub(super) fiat_amount: Option<Decimal>,
    pub(super) crypto_amount: Option<Decimal>,
    pub(super) wallet_address: Option<String>,
    pub(super) transaction_hash: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Coin {
    pub(super) id: String,
    #[serde(default)]
    pub(super) blockchain: Option<String>,
}

/// A webhook, in snake case.
#[derive(Debug, Deserialize)]
pub(super) struct Webhook {
    pub(super) order_id: String,
    pub(super) status: String,
    pub(super) external_id: Option<String>,
    pub(super) order_type: Option<String>,
    pub(super) crypto_coin: Option<String>,
    pub(super) crypto_blockchain: Option<String>,
    pub(super) crypto_amount: Option<Decimal>,
    pub(super) fiat_currency: Option<String>,
    pub(super) fiat_amount: Option<Decimal>,
    pub(super) transaction_hash: Option<String>,
}

/// An error response; the message is in either of two fields.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(default)]
    pub(super) code: Option<Decimal>,
    #[serde(default)]
    pub(super) message: Option<String>,
    #[serde(default)]
    pub(super) errors: Option<ErrorDetails>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorDetails {
    #[serde(default)]
    pub(super) code: Option<Decimal>,
    #[serde(default)]
    pub(super) title: Option<String>,
}
