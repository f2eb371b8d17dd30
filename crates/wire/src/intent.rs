use serde::{Deserialize, Serialize};

/// An order as identified on chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IntentSummary {
    /// The id by which the chains know the order: 0x and 64 hex digits.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: String,
    /// The state of the intent.
    pub state: IntentState,
    /// The chain that is paid on.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub from_chain_id: u64,
    /// The chain that is delivered on.
    #[cfg_attr(feature = "openapi", schema(example = 1))]
    pub to_chain_id: u64,
    /// The address of the payer; lower case on EVM chains.
    #[cfg_attr(feature = "openapi", schema(example = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"))]
    pub author: String,
    /// The address of the token that is paid.
    #[cfg_attr(feature = "openapi", schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))]
    pub from_token: String,
    /// The address of the token that is delivered.
    #[cfg_attr(feature = "openapi", schema(example = "0x0000000000000000000000000000000000000000"))]
    pub to_token: String,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "1000000000"))]
    pub src_amount: String,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "285000000000000000"))]
    pub dest_amount: String,
    /// When it was created, in ISO 8601 (UTC).
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:00Z"))]
    pub created_at: String,
    /// When the deposit was made; null before.
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:12Z"))]
    pub opened_at: Option<String>,
    /// When the recipient was paid, in ISO 8601 (UTC); null before.
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:18Z"))]
    pub filled_at: Option<String>,
    /// When the filler was paid; null before.
    pub settled_at: Option<String>,
}

/// An intent with its deposits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Intent {
    #[serde(flatten)]
    pub summary: IntentSummary,
    /// The deposits of the intent, at most one.
    pub deposits: Vec<IntentDeposit>,
}

/// The state of an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum IntentState {
    /// Not on chain yet.
    NonExistent,
    /// The deposit is in the escrow.
    Open,
    /// A filler committed to fill.
    Locked,
    /// Filled.
    Solved,
    /// Filled, and the filler was paid.
    Settled,
    /// Refunded after the deadline.
    Expired,
    /// Refunded before the deadline, by the filler or by attestation.
    Cancelled,
    /// No deposit arrived in time.
    Error,
}

/// A confirmed or submitted deposit of an intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IntentDeposit {
    /// A number that identifies the deposit.
    #[cfg_attr(feature = "openapi", schema(example = 225_586_839_060_480_u64))]
    pub id: u64,
    /// The id by which the chains know the order: 0x and 64 hex digits.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: String,
    /// Where the deposit was made.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    /// The transaction: a hash on EVM chains, a signature on Solana.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
    )]
    pub tx_hash: String,
    /// The address of the token.
    #[cfg_attr(feature = "openapi", schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))]
    pub input_token: String,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "1000000000"))]
    pub amount_in: String,
    /// When it was made or submitted, in ISO 8601 (UTC).
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:12Z"))]
    pub created_at: String,
    /// When its block was final.
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:15Z"))]
    pub confirmed_at: Option<String>,
}

/// Attestations of an intent: the arguments of the escrow's `claim` or `refundUnfilled`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IntentAttestations {
    /// The id by which the chains know the order: 0x and 64 hex digits.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: String,
    /// The chain of the escrow.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    /// The outcome that the attesters signed.
    pub outcome: AttestedOutcome,
    /// The destination chain's time of the fill, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "1794744026"))]
    pub filled_at: Option<String>,
    /// Reference of the fill; zero where the escrow checks it itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
    )]
    pub fill_ref: Option<String>,
    /// A destination chain time past the fill deadline at which the order was not filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_time: Option<String>,
    /// The attester epoch of the signers.
    #[cfg_attr(feature = "openapi", schema(example = "1"))]
    pub epoch: String,
    /// In ascending order of their signers, as the escrow requires; empty where both sides are on one chain.
    pub signatures: Vec<String>,
}

/// The attested outcome of an intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum AttestedOutcome {
    Filled,
    Unfilled,
}
