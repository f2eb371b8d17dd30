use causeway_wire::{Approval, Recovery, Terms, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer;

/// How to deposit, by deposit method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    #[serde(rename = "PROVIDER_CALL")]
    Provider(Box<ProviderDeposit>),
    #[serde(rename = "PROVIDER_TRANSFER")]
    ProviderTransfer(Box<ProviderTransferDeposit>),
}

impl BuildAnswer {
    /// A sentence for each action, if the service gives them.
    pub fn summary(&self) -> &[String] {
        match self {
            Self::ContractCall(call) => &call.frozen.summary,
            Self::Permit2(permit) | Self::Authorization(permit) | Self::Permit(permit) => {
                &permit.frozen.summary
            }
            Self::Transfer(transfer) => &transfer.frozen.summary,
            Self::Provider(provider) => &provider.summary,
            Self::ProviderTransfer(provider) => &provider.notice.summary,
        }
    }

    /// What the payer should know before paying.
    pub fn warnings(&self) -> &[Warning] {
        match self {
            Self::ContractCall(call) => &call.frozen.warnings,
            Self::Permit2(permit) | Self::Authorization(permit) | Self::Permit(permit) => {
                &permit.frozen.warnings
            }
            Self::Transfer(transfer) => &transfer.frozen.warnings,
            Self::Provider(provider) => &provider.warnings,
            Self::ProviderTransfer(provider) => &provider.notice.warnings,
        }
    }
}

answer! {
    /// A deposit that the payer's wallet sends.
    pub struct ContractCallDeposit {
        required {
            /// In this order; exactly one has `deposit: true`.
            approvals: Vec<Approval>,
        }
        optional { intent_id: Option<String>, }
        flattened { frozen: FrozenOrder }
    }
}

answer! {
    /// A payment to the contracts of the liquidity provider that settles the swap.
    pub struct ProviderDeposit {
        required {
            /// In this order; exactly one has `deposit: true`.
            approvals: Vec<Approval>,
            /// The provider's contract that the transaction calls.
            target: String,
        }
        optional {
            order_id: Option<String>,
            provider: Option<String>,
            tool: Option<String>,
            /// The provider's contract that takes the input by an allowance.
            spender: Option<String>,
            min_amount_out: Option<String>,
            held_by: Option<String>,
            refunds: Option<String>,
            summary: Vec<String>,
            warnings: Vec<Warning>,
        }
    }
}

answer! {
    /// A deposit that the payer signs and the service submits.
    pub struct PermitDeposit {
        required {
            /// EIP-712 typed data for `eth_signTypedData_v4`.
            permit: Value,
        }
        optional {
            /// The order as typed data, which is signed as well; for `PERMIT` only.
            order: Option<Value>,
            /// The approval that Permit2 needs first.
            approvals: Vec<Approval>,
            intent_id: Option<String>,
        }
        flattened { frozen: FrozenOrder }
    }
}

answer! {
    /// What to send, where and until when.
    pub struct Transfer {
        required { deposit_address: String, }
        optional {
            /// Raw units.
            amount: Option<String>,
            token: Option<String>,
            chain_id: Option<u64>,
            caip2: Option<String>,
            decimals: Option<u8>,
            memo: Option<String>,
            /// Unix seconds; later transfers are refunded.
            expires_at: Option<u64>,
            order_id: Option<String>,
            intent_id: Option<String>,
            /// A QR code as SVG.
            qr_image_url: Option<String>,
            /// A payment link for wallets.
            payment_uri: Option<String>,
            /// The content of the QR code.
            qr_payload: Option<String>,
        }
    }
}

/// A deposit by a plain transfer to an address of this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransferDeposit {
    #[serde(flatten)]
    pub transfer: Transfer,
    /// The same values, where some services put them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposit: Option<Transfer>,
    #[serde(flatten)]
    pub frozen: FrozenOrder,
}

/// A transfer to an address of the liquidity provider that settles the swap. Nothing of ours protects it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProviderTransferDeposit {
    #[serde(flatten)]
    pub transfer: Transfer,
    /// The same values, where some services put them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deposit: Option<Transfer>,
    #[serde(flatten)]
    pub notice: ProviderNotice,
}

answer! {
    /// Who settles a transfer, for whom, and what happens to the money meanwhile.
    pub struct ProviderNotice {
        required {}
        optional {
            settlement: Option<String>,
            provider: Option<String>,
            tool: Option<String>,
            recipient: Option<String>,
            refund_to: Option<String>,
            min_amount_out: Option<String>,
            held_by: Option<String>,
            refunds: Option<String>,
            summary: Vec<String>,
            warnings: Vec<Warning>,
        }
    }
}

answer! {
    /// What the order is, for clear signing and for a refund without the service.
    pub struct FrozenOrder {
        required {}
        optional {
            summary: Vec<String>,
            terms: Option<Terms>,
            recovery: Option<Recovery>,
            /// What the payer should know.
            warnings: Vec<Warning>,
        }
    }
}

answer! {
    /// The order that a deposit belongs to.
    pub struct SubmitAnswer {
        required { order_id: String, }
        optional { tx_hash: Option<String>, }
    }
}
