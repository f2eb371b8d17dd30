//! Transak's JSON, as far as it is used. Fields that are not documented as required are optional.

use serde::{Deserialize, Serialize};

use crate::amounts::Decimal;

/// Envelope of the older endpoints.
#[derive(Debug, Deserialize)]
pub(super) struct Response<T> {
    pub(super) response: T,
}

/// Envelope of the newer endpoints.
#[derive(Debug, Deserialize)]
pub(super) struct Data<T> {
    pub(super) data: T,
}

/// `GET /cryptocoverage/api/v1/public/crypto-currencies`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CryptoJson {
    pub(super) symbol: String,
    pub(super) network: NetworkJson,
    pub(super) address: Option<String>,
    pub(super) decimals: Option<u8>,
    #[serde(default)]
    pub(super) is_allowed: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NetworkJson {
    pub(super) name: String,
    /// A number, or a number in quotes; absent where the network has none.
    pub(super) chain_id: Option<Decimal>,
}

/// `GET /api/v2/lookup/currencies/fiat-currencies`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FiatJson {
    pub(super) symbol: String,
    #[serde(default)]
    pub(super) is_allowed: bool,
    #[serde(default)]
    pub(super) payment_options: Vec<OptionJson>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OptionJson {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default)]
    pub(super) is_active: bool,
    pub(super) min_amount: Option<Decimal>,
    pub(super) max_amount: Option<Decimal>,
}

/// `GET /api/v2/countries`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CountryJson {
    pub(super) alpha2: String,
    #[serde(default)]
    pub(super) is_allowed: bool,
}

/// `GET /api/v1/pricing/public/quotes`
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QuoteJson {
    pub(super) fiat_currency: String,
    pub(super) crypto_currency: String,
    pub(super) network: String,
    pub(super) is_buy_or_sell: String,
    pub(super) fiat_amount: Decimal,
    pub(super) crypto_amount: Decimal,
    pub(super) total_fee: Decimal,
    #[serde(default)]
    pub(super) fee_breakdown: Vec<FeeJson>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FeeJson {
    pub(super) id: String,
    pub(super) value: Decimal,
}

/// `POST /partners/api/v2/refresh-token`
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenRequest<'a> {
    pub(super) api_key: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenJson {
    pub(super) access_token: String,
    /// Seconds since 1970.
    pub(super) expires_at: i64,
}

/// `POST /api/v2/auth/session`
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionRequest<'a> {
    pub(super) widget_params: WidgetParams<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WidgetParams<'a> {
    pub(super) api_key: &'a str,
    pub(super) referrer_domain: &'a str,
    pub(super) products_availed: &'a str,
    pub(super) partner_order_id: String,
    pub(super) fiat_currency: String,
    pub(super) fiat_amount: String,
    pub(super) crypto_currency_code: &'a str,
    pub(super) network: &'a str,
    pub(super) wallet_address: String,
    pub(super) disable_wallet_address_form: bool,
    pub(super) hide_menu: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) payment_method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) country_code: Option<&'a str>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionJson {
    pub(super) widget_url: String,
}

/// An order, in `GET /partners/api/v2/orders` and in webhooks.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderJson {
    pub(super) id: String,
    pub(super) partner_order_id: Option<String>,
    pub(super) status: String,
    pub(super) is_buy_or_sell: Option<String>,
    pub(super) fiat_currency: Option<String>,
    pub(super) fiat_amount: Option<Decimal>,
    pub(super) crypto_currency: Option<String>,
    pub(super) crypto_amount: Option<Decimal>,
    pub(super) network: Option<NetworkName>,
    pub(super) wallet_address: Option<String>,
    pub(super) transaction_hash: Option<String>,
    pub(super) status_reason: Option<String>,
    pub(super) created_at: Option<String>,
    pub(super) updated_at: Option<String>,
}

/// A network by its name, or as an object that has one.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum NetworkName {
    Name(String),
    Object { name: String },
}

impl NetworkName {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Name(name) | Self::Object { name } => name,
        }
    }
}

/// A webhook: a signed token that holds the event.
#[derive(Debug, Deserialize)]
pub(super) struct WebhookJson {
    pub(super) data: String,
}

/// The claims of the token.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventJson {
    #[serde(rename = "eventID")]
    pub(super) event_id: String,
    pub(super) webhook_data: OrderJson,
    pub(super) created_at: Option<String>,
    /// Seconds since 1970, where the signer wrote them.
    pub(super) iat: Option<i64>,
}

/// An error response.
#[derive(Debug, Deserialize)]
pub(super) struct ErrorJson {
    pub(super) error: ErrorDetails,
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorDetails {
    pub(super) message: String,
}
