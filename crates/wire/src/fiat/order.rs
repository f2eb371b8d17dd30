use serde::{Deserialize, Serialize};

use super::{FiatAsset, FiatPolling};

/// Creates an order from a quote. The author is in `author` or in `metadata.author`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatOrderAsk {
    /// The quote to buy from.
    #[cfg_attr(feature = "openapi", schema(example = "019a8c3f5b200f8fad5bd9cb469fa16570867728950e"))]
    pub quote_id: String,
    /// The wallet whose order list contains the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"))]
    pub author: Option<String>,
    /// One of a jump's routes; the best one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route_id: Option<String>,
    /// Stored with the order and never sent to a provider; at most 4 KiB of JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<serde_json::Value>,
    /// Where the stablecoin of a jump is returned if it cannot be swapped; defaults to the recipient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_to: Option<String>,
}

/// An order and the next step of its payer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatOrderAnswer {
    /// The id of the new order.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub order_id: String,
    /// Its status.
    #[cfg_attr(feature = "openapi", schema(example = "created"))]
    pub status: String,
    /// The id of the provider.
    #[cfg_attr(feature = "openapi", schema(example = "sandbox-card"))]
    pub provider: String,
    /// The provider's checkout page.
    pub widget_url: String,
    /// Our wrapper page around it, which posts events to its opener and parent.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "https://swap.example/v1/fiat/widget/0f8fad5bd9cb469fa16570867728950e")
    )]
    pub wrapper_url: String,
    /// The next step of the payer.
    pub action: FiatAction,
}

/// The next step of the payer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatAction {
    /// `wrapper`: show the page at `url`.
    #[cfg_attr(feature = "openapi", schema(example = "wrapper"))]
    pub r#type: String,
    /// The page to open.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "https://swap.example/v1/fiat/widget/0f8fad5bd9cb469fa16570867728950e")
    )]
    pub url: String,
}

/// A purchase with all its data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatOrderView {
    /// The id of the order.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub order_id: String,
    /// The current status.
    #[cfg_attr(feature = "openapi", schema(example = "completed"))]
    pub status: String,
    /// Whether it has ended.
    pub terminal: bool,
    /// The progress of the purchase, as a single word.
    #[cfg_attr(feature = "openapi", schema(example = "completed"))]
    pub progress: String,
    /// The id of the provider.
    #[cfg_attr(feature = "openapi", schema(example = "sandbox-card"))]
    pub provider: String,
    /// `direct` or `jump`.
    #[cfg_attr(feature = "openapi", schema(example = "jump"))]
    pub swap_strategy: String,
    /// The currency code, such as `USD`.
    #[cfg_attr(feature = "openapi", schema(example = "USD"))]
    pub fiat_currency: String,
    /// The amount that is paid, in the currency.
    #[cfg_attr(feature = "openapi", schema(example = "100.00"))]
    pub fiat_amount: String,
    /// The token that is bought.
    pub output_asset: FiatAsset,
    /// Raw units of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_output_amount: Option<String>,
    /// The amount that the recipient received, in raw units of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_amount: Option<String>,
    /// The provider's delivery: to the recipient, or to a jump's deposit address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer_tx_hash: Option<String>,
    /// The transaction that delivered the target to the recipient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill_tx_hash: Option<String>,
    /// The transaction that returned a jump's funds to `refundTo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_tx_hash: Option<String>,
    /// The swap that took a jump's funds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap_order_id: Option<String>,
    /// The deposit address of a jump.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposit_address: Option<String>,
    /// Where a jump's funds are returned if they cannot be swapped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_to: Option<String>,
    /// The terms of a jump's deposit address, which allow a refund without the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<JumpTerms>,
    /// How to recover the money without this service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<JumpRecovery>,
    /// Actions available to the payer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<FiatAction>,
    /// Why it ended without delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FiatFailure>,
    /// When it was created, in ISO 8601 (UTC).
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:00Z"))]
    pub created_at: String,
    /// When it changed last, in ISO 8601 (UTC).
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:01:21Z"))]
    pub updated_at: String,
}

/// Why a purchase failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FiatFailure {
    /// Stable, for programs.
    #[cfg_attr(feature = "openapi", schema(example = "payment_declined"))]
    pub reason: String,
    /// `provider`, `swap` or `service`.
    #[cfg_attr(feature = "openapi", schema(example = "provider"))]
    pub source: String,
    /// A message for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A purchase as listed for a wallet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiatOrder {
    #[serde(flatten)]
    pub view: FiatOrderView,
    /// Lower case on EVM chains.
    #[cfg_attr(feature = "openapi", schema(example = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"))]
    pub author: String,
    /// The address that receives the tokens.
    #[cfg_attr(feature = "openapi", schema(example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"))]
    pub recipient: String,
    /// When to ask again.
    pub polling: FiatPolling,
}

/// Every term of a jump by the name that the contracts give it; hashed in this order they are the jump's id.
///
/// Addresses are 32 bytes in hex, an EVM address in the last 20; numbers are decimal strings; times are Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct JumpTerms {
    /// The version of the terms.
    #[cfg_attr(feature = "openapi", schema(example = "1"))]
    pub version: String,
    /// The chain that is paid on.
    #[cfg_attr(feature = "openapi", schema(example = "8453"))]
    pub origin_chain_id: String,
    /// The escrow contract or program that holds the deposit.
    pub escrow: String,
    /// Makes the order unique, and proves that we quoted it.
    pub nonce: String,
    /// Whose signature opens the swap or returns the funds early.
    pub maker: String,
    /// The token that is paid, as 32 bytes.
    pub input_token: String,
    /// Where a refund goes.
    pub refund_to: String,
    /// The chain that is delivered on.
    #[cfg_attr(feature = "openapi", schema(example = "42161"))]
    pub destination_chain_id: String,
    /// The token that is delivered, as 32 bytes.
    pub output_token: String,
    /// The address that receives the output.
    pub recipient: String,
    /// At least `rateOut` of the output for every `rateIn` of the input.
    pub rate_in: String,
    /// The minimum rate, as `rateOut` of output for `rateIn` of input.
    pub rate_out: String,
    /// Later, all funds are returned.
    #[cfg_attr(feature = "openapi", schema(example = "1794767100"))]
    pub expiry: String,
}

/// How to refund a jump without the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct JumpRecovery {
    /// The chain id.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    /// The escrow contract or program that holds the deposit.
    pub escrow: String,
    /// The factory of the deposit address, where the chain has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposit_factory: Option<String>,
    /// Unix seconds; from then on anybody may return the balance to `refundTo`.
    #[cfg_attr(feature = "openapi", schema(example = 1_794_767_100))]
    pub refund_after: u64,
}
