use serde::{Deserialize, Serialize};

/// Every term of an order by the name that the contracts give it; hashed in this order they are the intent's id.
///
/// Addresses are 32 bytes in hex, an EVM address in the last 20; numbers are decimal strings; times are Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    /// The version of the terms.
    #[cfg_attr(feature = "openapi", schema(example = "1"))]
    pub version: String,
    /// The chain that is paid on.
    #[cfg_attr(feature = "openapi", schema(example = "8453"))]
    pub origin_chain_id: String,
    /// The escrow contract or program that holds the deposit.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x0000000000000000000000005fbdb2315678afecb367f032d93f642f64180aa3")
    )]
    pub escrow: String,
    /// The payer, as 32 bytes.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266")
    )]
    pub user: String,
    /// Makes the order unique, and proves that we quoted it.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x6f1c0c6c6be9d1d4b1f5a3d1f1a0c9e7b6f8c7d5e4f3a2b1c0d9e8f7a6b5c4d3")
    )]
    pub nonce: String,
    /// The token that is paid, as 32 bytes.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x000000000000000000000000833589fcd6edb6e08f4c7c32d4f71b54bda02913")
    )]
    pub input_token: String,
    /// The input amount, in raw units.
    #[cfg_attr(feature = "openapi", schema(example = "1000000000"))]
    pub amount_in: String,
    /// Where a refund goes, as 32 bytes.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266")
    )]
    pub refund_to: String,
    /// The account that may give the order up.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8")
    )]
    pub filler: String,
    /// The account that receives the claim.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x0000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc")
    )]
    pub payee: String,
    /// Zero for no referrer.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x0000000000000000000000000000000000000000000000000000000000000000")
    )]
    pub referrer: String,
    /// The referrer's share of the input, in raw units.
    #[cfg_attr(feature = "openapi", schema(example = "0"))]
    pub referrer_fee: String,
    /// The chain that is delivered on.
    #[cfg_attr(feature = "openapi", schema(example = "1"))]
    pub destination_chain_id: String,
    /// The contract that records the delivery.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x0000000000000000000000009fe46736679d2d9a65f0992f2272de9f3c7fa6e0")
    )]
    pub settler: String,
    /// The token that is delivered, as 32 bytes.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x0000000000000000000000000000000000000000000000000000000000000000")
    )]
    pub output_token: String,
    /// The output amount, in raw units.
    #[cfg_attr(feature = "openapi", schema(example = "285000000000000000"))]
    pub amount_out: String,
    /// The recipient of the output, as 32 bytes.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266")
    )]
    pub recipient: String,
    /// Until when the deposit can be made, in Unix seconds.
    #[cfg_attr(feature = "openapi", schema(example = "1794744600"))]
    pub open_deadline: String,
    /// Until when the order can be delivered, in Unix seconds.
    #[cfg_attr(feature = "openapi", schema(example = "1794745500"))]
    pub fill_deadline: String,
    /// When anybody may refund, in Unix seconds.
    #[cfg_attr(feature = "openapi", schema(example = "1794767100"))]
    pub refund_at: String,
    /// The set of attesters that decides.
    #[cfg_attr(feature = "openapi", schema(example = "0"))]
    pub epoch: String,
}
