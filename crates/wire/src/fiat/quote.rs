use serde::{Deserialize, Serialize};

use super::{FiatAsset, PaymentMethod};
use crate::{RouteQuote, Token};

/// A request for fiat quotes. The target is `toChainId` and `toToken`, or `outputAsset`. The wallet is `recipient` or
/// `walletAddress`. Exactly one of `fiatAmount` and `cryptoAmount` is required.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatQuoteAsk {
    /// ISO 4217, in capitals.
    #[cfg_attr(feature = "openapi", schema(example = "USD"))]
    pub fiat_currency: String,
    /// The amount to pay, including fees: a decimal with at most the currency's digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fiat_amount: Option<String>,
    /// The exact amount to receive, in raw units of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crypto_amount: Option<String>,
    /// The chain of the token to buy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_chain_id: Option<u64>,
    /// The address of the token to buy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_token: Option<String>,
    /// The token to buy, in the form of newer clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_asset: Option<FiatAsset>,
    /// The receiving address, of the target chain's family.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// Another name of `recipient`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wallet_address: Option<String>,
    /// Use this provider only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Only offers that take this payment method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_method: Option<String>,
    /// Where the stablecoin of a jump is returned if it cannot be swapped; defaults to the recipient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_to: Option<String>,
    /// Maximum slippage of a jump, in basis points; 0 to 5000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slippage_bps: Option<u16>,
    /// ISO 3166: `DE`, or with a subdivision `US-NY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

/// The providers' offers, best output first, and why others have none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatQuoteAnswer {
    /// One quote per provider, best first.
    pub quotes: Vec<FiatQuote>,
    /// The providers without a quote, with their errors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FiatProviderError>,
}

/// A line of a streamed response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum FiatQuoteLine {
    /// The offer of a provider.
    Quote(Box<FiatQuote>),
    /// Why a provider has no offer.
    Error(FiatProviderError),
}

/// Why one provider has no offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatProviderError {
    /// The id of the provider.
    #[cfg_attr(feature = "openapi", schema(example = "sandbox-bank"))]
    pub provider: String,
    /// Stable, for programs: `AMOUNT_OUT_OF_RANGE`, `UNSUPPORTED_ASSET`, `UNSUPPORTED_CURRENCY`,
    /// `UNSUPPORTED_PAYMENT_METHOD`, `NOT_IN_COUNTRY`, `NO_ROUTE`, `PROVIDER_DISABLED`, `PROVIDER_UNAVAILABLE` or
    /// `INTERNAL_ERROR`.
    #[cfg_attr(feature = "openapi", schema(example = "AMOUNT_OUT_OF_RANGE"))]
    pub code: String,
    /// The least that it takes, in the asked currency, where the amount is out of range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "20.00"))]
    pub minimum: Option<String>,
    /// The most that it takes, in the asked currency, where the amount is out of range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "5000.00"))]
    pub maximum: Option<String>,
    /// The reason, as text for users.
    pub message: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
}

/// One provider's offer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatQuote {
    /// The id to create an order with.
    #[cfg_attr(feature = "openapi", schema(example = "019a8c3f5b200f8fad5bd9cb469fa16570867728950e"))]
    pub quote_id: String,
    /// The id of the provider.
    #[cfg_attr(feature = "openapi", schema(example = "sandbox-card"))]
    pub provider: String,
    /// The display name.
    #[cfg_attr(feature = "openapi", schema(example = "Sandbox Card"))]
    pub provider_name: String,
    /// The address of its logo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_logo_url: Option<String>,
    /// `estimate` or `firm`.
    #[cfg_attr(feature = "openapi", schema(example = "firm"))]
    pub kind: String,
    /// `direct` where the provider delivers the target itself, `jump` where a swap follows.
    #[cfg_attr(feature = "openapi", schema(example = "direct"))]
    pub swap_strategy: String,
    /// Swap routes from the stablecoin to the target, best first; present only for a jump.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routes: Option<Vec<FiatRoute>>,
    /// The currency code, such as `USD`.
    #[cfg_attr(feature = "openapi", schema(example = "USD"))]
    pub fiat_currency: String,
    /// The amount to pay, including fees.
    #[cfg_attr(feature = "openapi", schema(example = "100.00"))]
    pub fiat_amount: String,
    /// The sum of `fees`, in the currency: all that is lost between the payment and the target.
    #[cfg_attr(feature = "openapi", schema(example = "3.48"))]
    pub total_fee: String,
    /// The fees, by kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fees: Vec<FiatFee>,
    /// The amount to receive, in raw units of the target.
    #[cfg_attr(feature = "openapi", schema(example = "96520000"))]
    pub crypto_amount: String,
    /// The target.
    pub output_asset: FiatAsset,
    /// Catalog data of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// Raw units of the target.
    #[cfg_attr(feature = "openapi", schema(example = "96520000"))]
    pub expected_output_amount: String,
    /// Raw units of the target; less is never delivered.
    #[cfg_attr(feature = "openapi", schema(example = "96520000"))]
    pub min_output_amount: String,
    /// The tolerance of the bridge, in hundredths of a percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slippage_bps: Option<u16>,
    /// The payment methods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_methods: Option<Vec<PaymentMethod>>,
    /// The smallest amount that the provider takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "10.00"))]
    pub min_fiat_amount: Option<String>,
    /// The largest amount that the provider takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "10000.00"))]
    pub max_fiat_amount: Option<String>,
    /// Unix seconds; an order is not created after it.
    #[cfg_attr(feature = "openapi", schema(example = 1_794_744_060))]
    pub expires_at: i64,
}

/// A swap route from the stablecoin to the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatRoute {
    /// The id of the route within its quote.
    #[cfg_attr(feature = "openapi", schema(example = "north"))]
    pub route_id: String,
    /// The kind of filler: `native-filler`, `rfq`, …
    #[cfg_attr(feature = "openapi", schema(example = "native-filler"))]
    pub r#type: String,
    /// The route's amounts.
    pub quote: RouteQuote,
}

/// A fee included in the payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatFee {
    /// `provider`, `network`, `partner`, or `swap` for what the swap to the target costs.
    #[cfg_attr(feature = "openapi", schema(example = "provider"))]
    pub kind: String,
    /// In the currency of the quote.
    #[cfg_attr(feature = "openapi", schema(example = "2.99"))]
    pub amount: String,
}
