//! Coinbase's JSON. Its guides use snake case and its reference camel case: both are accepted.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::amounts::Decimal;

/// An amount with its currency; newer responses have the number only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) value: Decimal,
    pub(super) currency: Option<String>,
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Pair {
            value: Decimal,
            currency: Option<String>,
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        if text.starts_with('{') {
            let Pair { value, currency } = serde_json::from_str(text).map_err(D::Error::custom)?;
            return Ok(Self { value, currency });
        }
        let value = serde_json::from_str(text).map_err(D::Error::custom)?;
        Ok(Self { value, currency: None })
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct BuyConfig {
    pub(super) countries: Vec<Country>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Country {
    pub(super) id: String,
    #[serde(default)]
    pub(super) subdivisions: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct BuyOptions {
    #[serde(alias = "paymentCurrencies")]
    pub(super) payment_currencies: Vec<PaymentCurrency>,
    #[serde(alias = "purchaseCurrencies")]
    pub(super) purchase_currencies: Vec<PurchaseCurrency>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PaymentCurrency {
    pub(super) id: String,
    #[serde(default, alias = "paymentMethodLimits", alias = "payment_method_limits")]
    pub(super) limits: Vec<MethodLimits>,
}

#[derive(Debug, Deserialize)]
pub(super) struct MethodLimits {
    pub(super) id: String,
    pub(super) min: Decimal,
    pub(super) max: Decimal,
}

#[derive(Debug, Deserialize)]
pub(super) struct PurchaseCurrency {
    pub(super) id: String,
    pub(super) symbol: String,
    #[serde(default)]
    pub(super) networks: Vec<Network>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Network {
    pub(super) name: String,
    #[serde(default, alias = "chainId")]
    pub(super) chain_id: String,
    #[serde(default, alias = "contractAddress")]
    pub(super) contract_address: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QuoteRequest {
    pub(super) purchase_currency: String,
    pub(super) purchase_network: String,
    pub(super) payment_amount: String,
    pub(super) payment_currency: String,
    pub(super) payment_method: String,
    pub(super) country: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) subdivision: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct QuoteAnswer {
    #[serde(alias = "paymentTotal")]
    pub(super) payment_total: Amount,
    #[serde(alias = "purchaseAmount")]
    pub(super) purchase_amount: Amount,
    #[serde(alias = "coinbaseFee")]
    pub(super) coinbase_fee: Option<Amount>,
    #[serde(alias = "networkFee")]
    pub(super) network_fee: Option<Amount>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionRequest {
    pub(super) purchase_currency: String,
    pub(super) destination_network: String,
    pub(super) destination_address: String,
    pub(super) payment_amount: String,
    pub(super) payment_currency: String,
    pub(super) partner_user_ref: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) payment_method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) country: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) subdivision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) redirect_url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SessionAnswer {
    pub(super) session: Session,
    pub(super) quote: Option<SessionQuote>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Session {
    pub(super) onramp_url: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionQuote {
    pub(super) payment_total: Decimal,
    pub(super) payment_currency: String,
    pub(super) purchase_amount: Decimal,
}

#[derive(Debug, Deserialize)]
pub(super) struct Transactions {
    #[serde(default)]
    pub(super) transactions: Vec<TransactionJson>,
}

/// A purchase: of a hosted session, or in the format of the newer orders.
#[derive(Debug, Deserialize)]
pub(super) struct TransactionJson {
    pub(super) status: String,
    #[serde(alias = "transactionId")]
    pub(super) transaction_id: Option<String>,
    #[serde(alias = "orderId")]
    pub(super) order_id: Option<String>,
    #[serde(alias = "partnerUserRef")]
    pub(super) partner_user_ref: Option<String>,
    #[serde(alias = "purchaseCurrency")]
    pub(super) purchase_currency: Option<String>,
    #[serde(alias = "purchaseNetwork")]
    pub(super) purchase_network: Option<String>,
    #[serde(alias = "destinationNetwork")]
    pub(super) destination_network: Option<String>,
    #[serde(alias = "purchaseAmount")]
    pub(super) purchase_amount: Option<Amount>,
    #[serde(alias = "paymentTotal")]
    pub(super) payment_total: Option<Amount>,
    #[serde(alias = "paymentCurrency")]
    pub(super) payment_currency: Option<String>,
    #[serde(alias = "walletAddress")]
    pub(super) wallet_address: Option<String>,
    #[serde(alias = "destinationAddress")]
    pub(super) destination_address: Option<String>,
    #[serde(alias = "contractAddress")]
    pub(super) contract_address: Option<String>,
    #[serde(alias = "txHash")]
    pub(super) tx_hash: Option<String>,
    #[serde(alias = "failureReason")]
    pub(super) failure_reason: Option<String>,
    #[serde(alias = "createdAt")]
    pub(super) created_at: Option<String>,
    #[serde(alias = "completedAt")]
    pub(super) completed_at: Option<String>,
    #[serde(alias = "updatedAt")]
    pub(super) updated_at: Option<String>,
    /// Only in a webhook.
    #[serde(alias = "eventType")]
    pub(super) event_type: Option<String>,
}

/// An error response of both API generations.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(default, alias = "errorType")]
    pub(super) error_type: Option<String>,
    #[serde(default, alias = "errorMessage", alias = "error_message")]
    pub(super) message: Option<String>,
}
