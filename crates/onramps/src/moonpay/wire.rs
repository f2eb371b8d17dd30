//! MoonPay's JSON, as far as it is used. Fields that are not documented as required are optional.

use serde::Deserialize;

use crate::amounts::Decimal;

/// `GET /v3/currencies`: fiat and crypto in one list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CurrencyJson {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) code: String,
    pub(super) decimals: Option<u8>,
    pub(super) min_buy_amount: Option<Decimal>,
    pub(super) max_buy_amount: Option<Decimal>,
    #[serde(default)]
    pub(super) is_suspended: bool,
    #[serde(default)]
    pub(super) supports_test_mode: bool,
    pub(super) metadata: Option<MetadataJson>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MetadataJson {
    pub(super) contract_address: Option<String>,
    pub(super) chain_id: Option<Decimal>,
    pub(super) network_code: Option<String>,
}

/// `GET /v3/countries`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CountryJson {
    pub(super) alpha2: String,
    #[serde(default)]
    pub(super) is_allowed: bool,
    /// Defaults to `isAllowed`.
    pub(super) is_buy_allowed: Option<bool>,
    #[serde(default)]
    pub(super) states: Vec<StateJson>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StateJson {
    pub(super) code: String,
    #[serde(default)]
    pub(super) is_allowed: bool,
    pub(super) is_buy_allowed: Option<bool>,
}

/// `GET /v3/currencies/{code}/limits`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LimitsJson {
    pub(super) base_currency: BoundsJson,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BoundsJson {
    pub(super) code: String,
    pub(super) min_buy_amount: Option<Decimal>,
    pub(super) max_buy_amount: Option<Decimal>,
}

/// `GET /v3/currencies/{code}/buy_quote`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QuoteJson {
    pub(super) base_currency_code: Option<String>,
    pub(super) base_currency: Option<CodeJson>,
    pub(super) currency: Option<CodeJson>,
    pub(super) quote_currency_amount: Decimal,
    pub(super) fee_amount: Decimal,
    #[serde(default)]
    pub(super) extra_fee_amount: Option<Decimal>,
    pub(super) network_fee_amount: Decimal,
    /// With all fees.
    pub(super) total_amount: Decimal,
}

#[derive(Debug, Deserialize)]
pub(super) struct CodeJson {
    pub(super) code: String,
}

/// A purchase: in `GET /v1/transactions/ext/{externalTransactionId}`, and as `data` of webhooks.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TransactionJson {
    pub(super) id: String,
    pub(super) external_transaction_id: Option<String>,
    pub(super) status: String,
    /// Without fees.
    pub(super) base_currency_amount: Option<Decimal>,
    pub(super) fee_amount: Option<Decimal>,
    pub(super) extra_fee_amount: Option<Decimal>,
    pub(super) network_fee_amount: Option<Decimal>,
    pub(super) quote_currency_amount: Option<Decimal>,
    pub(super) base_currency: Option<CodeJson>,
    pub(super) currency: Option<CodeJson>,
    pub(super) wallet_address: Option<String>,
    pub(super) crypto_transaction_id: Option<String>,
    pub(super) failure_reason: Option<String>,
    pub(super) updated_at: Option<String>,
}

/// A webhook.
#[derive(Debug, Deserialize)]
pub(super) struct EventJson {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) data: TransactionJson,
}

/// An error response.
#[derive(Debug, Deserialize)]
pub(super) struct ErrorJson {
    pub(super) message: String,
}
