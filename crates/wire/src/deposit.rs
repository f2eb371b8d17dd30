use serde::{Deserialize, Serialize};

use crate::{Terms, Warning};

/// Which route to deposit for, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BuildAsk {
    /// The quote, as it was answered.
    pub quote_id: String,
    /// One of the quote's routes.
    pub route_id: String,
    /// The quote's `fromAddress`.
    pub from: String,
    /// Defaults to the quote's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<String>,
    /// Defaults to the quote's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_to: Option<String>,
    /// `CONTRACT_CALL` (by default), `PERMIT2`, `AUTHORIZATION`, `PERMIT` or `TRANSFER`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposit_method: Option<String>,
}

/// How to deposit, by deposit method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind")]
pub enum BuildAnswer {
    #[serde(rename = "CONTRACT_CALL")]
    ContractCall(ContractCallDeposit),
    #[serde(rename = "PERMIT2")]
    Permit2(PermitDeposit),
    #[serde(rename = "AUTHORIZATION")]
    Authorization(PermitDeposit),
    #[serde(rename = "PERMIT")]
    Permit(PermitDeposit),
    #[serde(rename = "TRANSFER")]
    Transfer(Box<TransferDeposit>),
    /// The transaction of the provider that settles the swap.
    #[serde(rename = "PROVIDER_CALL")]
    Provider(Box<ProviderDeposit>),
    /// A plain transfer to an address of the provider that settles the swap.
    #[serde(rename = "PROVIDER_TRANSFER")]
    ProviderTransfer(Box<ProviderTransferDeposit>),
}

/// A deposit that the payer's wallet sends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ContractCallDeposit {
    /// In this order; exactly one has `deposit: true`.
    pub approvals: Vec<Approval>,
    /// The id by which the chains know the order: 0x and 64 hex digits.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: String,
    #[serde(flatten)]
    pub frozen: FrozenOrder,
}

/// A payment to the contracts of a liquidity provider, which settles the swap: the escrow has no part in it, so there are no
/// `terms` and no `recovery`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProviderDeposit {
    /// In this order; exactly one has `deposit: true`, and its transaction hash must be submitted, or on Solana the signed transaction.
    pub approvals: Vec<Approval>,
    /// The order to track once the transaction hash is submitted.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub order_id: String,
    /// Always `provider`.
    #[cfg_attr(feature = "openapi", schema(example = "provider"))]
    pub settlement: String,
    /// The provider's name.
    #[cfg_attr(feature = "openapi", schema(example = "lifi"))]
    pub provider: String,
    /// The bridge or exchange that the provider goes through.
    #[cfg_attr(feature = "openapi", schema(example = "across"))]
    pub tool: String,
    /// The provider's contract that the transaction calls.
    #[cfg_attr(feature = "openapi", schema(example = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"))]
    pub target: String,
    /// The provider's contract that takes the input by an allowance; absent for native coins and on Solana.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"))]
    pub spender: Option<String>,
    /// The least output, in raw units.
    #[cfg_attr(feature = "openapi", schema(example = "3495000000"))]
    pub min_amount_out: String,
    /// Who holds the money until it is delivered.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "LI.FI's contracts and the bridge that it goes through")
    )]
    pub held_by: String,
    /// What a refund looks like.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "If the bridge fails, it returns the input to the paying address.")
    )]
    pub refunds: String,
    /// A plain sentence for each action, for who holds the money and for refunds.
    pub summary: Vec<String>,
    /// What the payer should know before paying; absent where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A plain transfer to an address of a liquidity provider, which settles the swap. Nothing of ours protects it: the address is
/// the provider's word, the escrow has no part in it, and there are no `terms` and no `recovery`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProviderTransferDeposit {
    #[serde(flatten)]
    pub transfer: Payment,
    /// The same values, for clients that expect them here.
    pub deposit: Payment,
    /// Always `provider`.
    #[cfg_attr(feature = "openapi", schema(example = "provider"))]
    pub settlement: String,
    /// The provider's name.
    #[cfg_attr(feature = "openapi", schema(example = "oneclick"))]
    pub provider: String,
    /// What the provider goes through.
    #[cfg_attr(feature = "openapi", schema(example = "near-intents"))]
    pub tool: String,
    /// Who receives the output.
    #[cfg_attr(feature = "openapi", schema(example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"))]
    pub recipient: String,
    /// Where the provider returns the input if it does not deliver.
    #[cfg_attr(feature = "openapi", schema(example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"))]
    pub refund_to: String,
    /// The least output, in raw units.
    #[cfg_attr(feature = "openapi", schema(example = "24850125"))]
    pub min_amount_out: String,
    /// Who holds the money until it is delivered.
    #[cfg_attr(feature = "openapi", schema(example = "the agent of 1Click, until it has delivered"))]
    pub held_by: String,
    /// What a refund looks like.
    #[cfg_attr(
        feature = "openapi",
        schema(
            example = "If 1Click cannot deliver, it returns the input less its fee to the refund address."
        )
    )]
    pub refunds: String,
    /// A plain sentence for the transfer, for who holds the money and for refunds.
    pub summary: Vec<String>,
    /// What the payer should know before paying; absent where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// A deposit that the payer signs and the service submits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PermitDeposit {
    /// EIP-712 typed data for `eth_signTypedData_v4`: `domain`, `types`, `primaryType`, `message`.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub permit: serde_json::Value,
    /// The order as EIP-712 typed data, which is signed as well; present for `PERMIT` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub order: Option<serde_json::Value>,
    /// The transfer that the signature allows.
    pub transfer_details: TransferDetails,
    /// The approval that Permit2 needs first; absent where the allowance suffices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
    /// The id by which the chains know the order: 0x and 64 hex digits.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: String,
    #[serde(flatten)]
    pub frozen: FrozenOrder,
}

/// The spender and amount of the permit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TransferDetails {
    /// The escrow.
    #[cfg_attr(feature = "openapi", schema(example = "0x5FbDB2315678afecb367f032d93F642f64180aa3"))]
    pub to: String,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "1000000000"))]
    pub requested_amount: String,
}

/// A deposit by a plain transfer to an address of this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TransferDeposit {
    #[serde(flatten)]
    pub transfer: Transfer,
    /// The same values, for clients that expect them here.
    pub deposit: Transfer,
    #[serde(flatten)]
    pub frozen: FrozenOrder,
}

/// A transfer to an address of an order that our contracts know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Transfer {
    #[serde(flatten)]
    pub payment: Payment,
    /// The id by which the chains know the order: 0x and 64 hex digits.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")
    )]
    pub intent_id: String,
}

/// What to send, where and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Payment {
    /// The address that the payer sends to.
    #[cfg_attr(feature = "openapi", schema(example = "0x2D5f5Bd9D4c0B1B1c8C8e4b8b3BD3C1c5E1A7A11"))]
    pub deposit_address: String,
    /// Raw units.
    #[cfg_attr(feature = "openapi", schema(example = "1000000000"))]
    pub amount: String,
    /// The address of the token to send.
    #[cfg_attr(feature = "openapi", schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"))]
    pub token: String,
    /// The chain id.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    /// The CAIP-2 id of the chain, such as `eip155:8453`.
    #[cfg_attr(feature = "openapi", schema(example = "eip155:8453"))]
    pub caip2: String,
    /// How many decimals an amount of it has.
    #[cfg_attr(feature = "openapi", schema(example = 6))]
    pub decimals: u8,
    /// Unix seconds; later transfers are refunded.
    #[cfg_attr(feature = "openapi", schema(example = 1_794_744_600))]
    pub expires_at: u64,
    /// The order, which exists from now on.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub order_id: String,
    /// Absolute URL of a QR code as SVG.
    #[cfg_attr(
        feature = "openapi",
        schema(
            example = "https://swap.example/api/qrcode/transfer?amount=1000&recipient=0x2D5f5Bd9D4c0B1B1c8C8e4b8b3BD3C1c5E1A7A11&caip2=eip155%3A8453&token=0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913&decimals=6"
        )
    )]
    pub qr_image_url: String,
    /// A payment link for wallets; absent where no reliable format exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(
            example = "ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x2D5f5Bd9D4c0B1B1c8C8e4b8b3BD3C1c5E1A7A11&uint256=1000000000"
        )
    )]
    pub payment_uri: Option<String>,
    /// The content of the QR code.
    #[cfg_attr(
        feature = "openapi",
        schema(
            example = "ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x2D5f5Bd9D4c0B1B1c8C8e4b8b3BD3C1c5E1A7A11&uint256=1000000000"
        )
    )]
    pub qr_payload: String,
}

/// Data of the order that every built deposit includes, for clear signing and for a refund without the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FrozenOrder {
    /// A plain sentence for each action.
    #[cfg_attr(feature = "openapi", schema(example = json!(["Deposit 1000 USDC on Base for 0.28 ETH on Ethereum."])))]
    pub summary: Vec<String>,
    /// The terms as the chain hashes them, enough to recover the money without this service.
    pub terms: Terms,
    /// How to recover the money without this service.
    pub recovery: Recovery,
    /// What the payer should know before paying; absent where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
}

/// How to get the deposit back without the service, with `terms` and any wallet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Recovery {
    /// The chain of the escrow.
    #[cfg_attr(feature = "openapi", schema(example = 8453))]
    pub chain_id: u64,
    /// Its `refund(terms)` refunds to `refundTo` and can be called by anybody.
    #[cfg_attr(feature = "openapi", schema(example = "0x5FbDB2315678afecb367f032d93F642f64180aa3"))]
    pub escrow: String,
    /// Unix seconds; the refund is possible from the next second on.
    #[cfg_attr(feature = "openapi", schema(example = 1_794_767_100))]
    pub refund_after: u64,
    /// Its `sweep(terms)` and `giveBack(terms, tokens)` move the balance of the order's deposit address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"))]
    pub deposit_factory: Option<String>,
}

/// One action for a wallet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type")]
pub enum Approval {
    #[serde(rename = "eip1193_request")]
    Eip1193(WalletApproval),
    #[serde(rename = "solana_sendTransaction")]
    Solana(SolanaApproval),
}

/// A transaction for a Solana wallet to sign, then to send or to submit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SolanaApproval {
    /// A version 0 transaction in base64, with room for the payer's signature.
    pub transaction: String,
    /// Whether this transaction is the deposit. Submit it signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposit: Option<bool>,
}

/// A request to pass to an EVM wallet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WalletApproval {
    /// The request for the wallet.
    pub request: WalletRequest,
    /// The chain must confirm it before the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_for_receipt: Option<bool>,
    /// Whether this transaction is the deposit. Submit its transaction hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposit: Option<bool>,
}

/// The arguments of EIP-1193's `request`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WalletRequest {
    /// `wallet_switchEthereumChain` or `eth_sendTransaction`.
    #[cfg_attr(feature = "openapi", schema(example = "eth_sendTransaction"))]
    pub method: String,
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>, example = json!([{
        "from": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
        "to": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
        "data": "0xe917a962",
        "value": "0x0",
        "chainId": "0x2105",
    }])))]
    /// The parameters of the method.
    pub params: Vec<serde_json::Value>,
}

/// Reports a deposit or submits a signed one; exactly one of the three proofs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SubmitAsk {
    /// The quote, as it was answered.
    pub quote_id: String,
    /// The route that was built.
    pub route_id: String,
    /// The deposit's transaction: its hash, `0x` and 64 hex digits, on EVM; its signature in base58 on Solana.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tx_hash: Option<String>,
    /// The deposit's transaction, signed, for us to send: hex with `0x` on EVM, base64 on Solana.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_transaction: Option<String>,
    /// The payer's signature of the permit, in hex. For `PERMIT`: its 65 bytes, followed by the signature of the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// The order that the deposit belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SubmitAnswer {
    /// The order to track.
    #[cfg_attr(feature = "openapi", schema(example = "0f8fad5bd9cb469fa16570867728950e"))]
    pub order_id: String,
    /// The transaction: a hash on EVM chains, a signature on Solana.
    #[cfg_attr(
        feature = "openapi",
        schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")
    )]
    pub tx_hash: String,
}
