use serde::{Deserialize, Serialize};

/// A swap order and its progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// The id of the order.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub id: String,
    /// The kind of filler: `native-filler`, `rfq`, …
    #[cfg_attr(feature = "openapi", schema(example = "native-filler"))]
    pub r#type: String,
    /// The quote that it belongs to.
    #[cfg_attr(feature = "openapi", schema(example = "019a8c3f5b200f8fad5bd9cb469fa16570867728950e"))]
    pub quote_id: String,
    /// The route of that quote.
    #[cfg_attr(feature = "openapi", schema(example = "house"))]
    pub route_id: String,
    /// `created`, `deposited`, `published`, `filled`, `refund_pending`, `refunded` or `failed`.
    #[cfg_attr(feature = "openapi", schema(example = "filled"))]
    pub status: String,
    /// The chain that is paid on.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub from_chain_id: u64,
    /// The chain that is delivered on.
    #[cfg_attr(feature = "openapi", schema(example = 1))]
    pub to_chain_id: u64,
    /// The address of the token that is paid.
    #[cfg_attr(feature = "openapi", schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))]
    pub from_token: Option<String>,
    /// The address of the token that is delivered.
    #[cfg_attr(feature = "openapi", schema(example = "0x0000000000000000000000000000000000000000"))]
    pub to_token: Option<String>,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "1000000000"))]
    pub src_amount: String,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "285000000000000000"))]
    pub dest_amount: String,
    /// The address of the payer; lower case on EVM chains.
    #[cfg_attr(feature = "openapi", schema(example = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"))]
    pub author: String,
    /// The address that receives the output.
    #[cfg_attr(feature = "openapi", schema(example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"))]
    pub recipient: Option<String>,
    /// Where a refund goes.
    #[cfg_attr(feature = "openapi", schema(example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"))]
    pub refund_to: Option<String>,
    /// The account that delivers.
    #[cfg_attr(feature = "openapi", schema(example = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"))]
    pub filler_address: Option<String>,
    /// The order's id at a remote filler.
    pub external_order_id: Option<String>,
    /// The confirmed transaction, else the submitted one.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
    )]
    pub deposit_tx_hash: Option<String>,
    /// The id of the order on chain.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: Option<String>,
    /// `EXACT_INPUT` or `EXACT_OUTPUT`.
    #[cfg_attr(feature = "openapi", schema(example = "EXACT_INPUT"))]
    pub trade_type: String,
    /// When it was created, in ISO 8601 (UTC).
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:00Z"))]
    pub created_at: String,
    /// When it changed last, in ISO 8601 (UTC).
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:21Z"))]
    pub updated_at: String,
    /// The transactions on the chains, as far as there are any.
    pub transactions: OrderTransactions,
    /// When the order reached its stages.
    pub timestamps: OrderTimestamps,
    /// All statuses so far, in order.
    #[cfg_attr(feature = "openapi", schema(example = json!(["created", "deposited", "published", "filled"])))]
    pub steps_completed: Vec<String>,
    /// The state of the order at its filler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_status: Option<ProviderStatus>,
    /// `provider` where a liquidity provider settles the order; absent where the escrow of this service does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "provider"))]
    pub settlement: Option<String>,
    /// Who holds the money until it is delivered, where a provider settles the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(example = "LI.FI's contracts and the bridge that it goes through")
    )]
    pub held_by: Option<String>,
    /// What a refund looks like, where a provider settles the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(example = "If the bridge fails, it returns the input to the paying address.")
    )]
    pub refunds: Option<String>,
    /// Why the order failed or was refunded, as text for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "Nobody delivered in time; the deposit is refunded."))]
    pub failure_reason: Option<String>,
    /// The token that is paid, where the catalog knows it.
    pub from_token_meta: Option<TokenMeta>,
    /// The token that is delivered, where the catalog knows it.
    pub to_token_meta: Option<TokenMeta>,
}

/// The confirmed transactions, each in a final block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OrderTransactions {
    /// The deposit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposit: Option<OrderTransaction>,
    /// The delivery to the recipient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<OrderTransaction>,
    /// The refund.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund: Option<OrderTransaction>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderTransaction {
    /// The block's timestamp.
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:12Z"))]
    pub timestamp: String,
    /// The transaction: a hash on EVM chains, a signature on Solana.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
    )]
    pub tx_hash: String,
    /// The chain of the transaction.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    /// Raw units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "1000000000"))]
    pub amount: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderTimestamps {
    /// When it was created, in ISO 8601 (UTC).
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:00Z"))]
    pub created_at: String,
    /// When a filler took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:15Z"))]
    pub published_at: Option<String>,
    /// When it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<String>,
    /// A deposit in a later block is returned instead of delivered for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:05:00Z"))]
    pub deposit_before: Option<String>,
    /// From then on anybody may send an undelivered deposit back to `refundTo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T14:05:00Z"))]
    pub refund_at: Option<String>,
}

/// The filler's progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProviderStatus {
    /// The filler's name.
    #[cfg_attr(feature = "openapi", schema(example = "house"))]
    pub provider: String,
    /// `waiting`, `asked`, `accepted`, `declined`, `delivered`, `paid` or `returned`.
    #[cfg_attr(feature = "openapi", schema(example = "paid"))]
    pub native_status: String,
}

/// Token data for displaying an amount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenMeta {
    /// The symbol, such as `USDC`.
    #[cfg_attr(feature = "openapi", schema(example = "USDC"))]
    pub symbol: String,
    /// How many decimals an amount of it has.
    #[cfg_attr(feature = "openapi", schema(example = 6))]
    pub decimals: u8,
    /// The address of its logo, if it has one of its own.
    #[serde(rename = "logoURI")]
    pub logo_uri: Option<String>,
}

/// The orders of a deposit address, and the transfers that it has received.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DepositAddressOrders {
    /// The orders of this address.
    pub data: Vec<DepositAddressOrder>,
    /// The transfers that the address has received.
    pub observed_deposits: Vec<ObservedDeposit>,
}

/// An order with a deposit address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DepositAddressOrder {
    /// The order that it belongs to.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub order_id: String,
    /// The deposit address with its CAIP-2 chain.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "eip155:8453:0x2D5f5Bd9D4c0B1B1c8C8e4b8b3BD3C1c5E1A7A11")
    )]
    pub oda_id: String,
    /// The address that the payer sends to.
    #[cfg_attr(feature = "openapi", schema(example = "0x2D5f5Bd9D4c0B1B1c8C8e4b8b3BD3C1c5E1A7A11"))]
    pub deposit_address: String,
    /// The status of the order.
    #[cfg_attr(feature = "openapi", schema(example = "created"))]
    pub status: String,
    /// `awaiting_deposit`, `awaiting_more`, `sweeping`, `asking_filler`, `filling`, `filled`, `refunding`, `refunded` or
    /// `expired`.
    #[cfg_attr(feature = "openapi", schema(example = "awaiting_deposit"))]
    pub step: String,
    /// The id by which the chains know the order: 0x and 64 hex digits.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: String,
    /// Where a refund goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"))]
    pub refund_to: Option<String>,
    /// What went wrong, as text for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The transfer that paid the order, once it was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
    )]
    pub deposit_tx_hash: Option<String>,
    /// The transaction that returned the money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_tx_hash: Option<String>,
    /// Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = 1_794_744_000))]
    pub valid_before: Option<i64>,
    /// When it was created, in ISO 8601 (UTC).
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:00Z"))]
    pub created_at: String,
    /// When it changed last, in ISO 8601 (UTC).
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:00Z"))]
    pub updated_at: String,
}

/// An arrival at a deposit address in a final block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ObservedDeposit {
    /// The chain id.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    /// `null` where the transaction was not found.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
    )]
    pub tx_hash: Option<String>,
    /// The address of the token.
    #[cfg_attr(feature = "openapi", schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))]
    pub token: String,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "1000000000"))]
    pub amount: String,
}

/// One event of an order, as sent by the event stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderEvent {
    /// The order that it belongs to.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub order_id: String,
    /// The new status; absent where it did not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "deposited"))]
    pub status: Option<String>,
    /// What happened, as text for users.
    #[cfg_attr(feature = "openapi", schema(example = "The deposit is final."))]
    pub detail: String,
    /// ISO 8601.
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:00Z"))]
    pub at: String,
}

/// A webhook payload: one event of an order, and the order at the time of sending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookEvent {
    /// The same id is the same event, sent again.
    pub id: String,
    pub event: OrderEvent,
    pub order: Order,
}
