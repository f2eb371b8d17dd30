use serde::{Deserialize, Serialize};

/// An order as the chains know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IntentSummary {
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: String,
    pub state: IntentState,
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub from_chain_id: u64,
    #[cfg_attr(feature = "openapi", schema(example = 1))]
    pub to_chain_id: u64,
    /// Who deposits; lower case on EVM chains.
    #[cfg_attr(feature = "openapi", schema(example = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"))]
    pub author: String,
    #[cfg_attr(feature = "openapi", schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))]
    pub from_token: String,
    #[cfg_attr(feature = "openapi", schema(example = "0x0000000000000000000000000000000000000000"))]
    pub to_token: String,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "1000000000"))]
    pub src_amount: String,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "285000000000000000"))]
    pub dest_amount: String,
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:00Z"))]
    pub created_at: String,
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:12Z"))]
    pub opened_at: Option<String>,
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:18Z"))]
    pub filled_at: Option<String>,
    pub settled_at: Option<String>,
}

/// An intent with its deposits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Intent {
    #[serde(flatten)]
    pub summary: IntentSummary,
    pub deposits: Vec<IntentDeposit>,
}

/// Where an intent stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum IntentState {
    /// The chain has not seen it yet.
    NonExistent,
    /// The deposit is in the escrow.
    Open,
    /// A filler is about to deliver.
    Locked,
    /// Delivered.
    Solved,
    /// Delivered, and the filler was paid.
    Settled,
    /// Given back, because the time was over.
    Expired,
    /// Given back before, by the filler or by the attesters' word.
    Cancelled,
    /// No deposit came in time.
    Error,
}

/// A deposit made for an intent, or told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IntentDeposit {
    #[cfg_attr(feature = "openapi", schema(example = 225_586_839_060_480_u64))]
    pub id: u64,
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: String,
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
    )]
    pub tx_hash: String,
    #[cfg_attr(feature = "openapi", schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))]
    pub input_token: String,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "1000000000"))]
    pub amount_in: String,
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:12Z"))]
    pub created_at: String,
    /// When its block was beyond doubt.
    #[cfg_attr(feature = "openapi", schema(example = "2026-11-15T12:00:15Z"))]
    pub confirmed_at: Option<String>,
}

/// What the attesters have signed of an intent: the arguments of the escrow's `claim`, or of its `refundUnfilled`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IntentAttestations {
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: String,
    /// Where the escrow lies.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    pub outcome: AttestedOutcome,
    /// The destination chain's time of the delivery, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "1794744026"))]
    pub filled_at: Option<String>,
    /// Where to look for the delivery; zero where the escrow looks itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
    )]
    pub fill_ref: Option<String>,
    /// A time of the destination chain, past the fill deadline, at which nothing was delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_time: Option<String>,
    /// In which epoch the signers attest.
    #[cfg_attr(feature = "openapi", schema(example = "1"))]
    pub epoch: String,
    /// In ascending order of their signers, as the escrow wants them; none where both sides lie on one chain.
    pub signatures: Vec<String>,
}

/// What became of an intent, by the attesters' word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum AttestedOutcome {
    Filled,
    Unfilled,
}
