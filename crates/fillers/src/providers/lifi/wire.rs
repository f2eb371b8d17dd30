//! The parts of LI.FI's JSON that are read, as docs.li.fi documents them (agents/reference/schemas, agents/workflows/execution
//! and agents/workflows/status-recovery, read on 2026-11-18). Not verified against the live service.

use alloy_primitives::{Address, Bytes, U256};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Quote {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) action: Action,
    pub(super) estimate: Estimate,
    pub(super) transaction_request: Option<TransactionRequest>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Action {
    pub(super) from_chain_id: u64,
    pub(super) to_chain_id: u64,
    pub(super) from_token: Token,
    pub(super) to_token: Token,
    pub(super) from_amount: String,
    pub(super) from_address: Option<Address>,
    pub(super) to_address: Option<Address>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Token {
    pub(super) address: Address,
    pub(super) chain_id: u64,
    pub(super) decimals: u8,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Estimate {
    pub(super) from_amount: String,
    pub(super) to_amount: String,
    pub(super) to_amount_min: String,
    pub(super) approval_address: Option<Address>,
    /// In seconds; LI.FI's examples have whole and broken numbers.
    #[serde(default)]
    pub(super) execution_duration: f64,
    #[serde(default)]
    pub(super) fee_costs: Vec<Cost>,
    #[serde(default)]
    pub(super) gas_costs: Vec<Cost>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cost {
    pub(super) amount: Option<String>,
    pub(super) token: Token,
    /// Whether the fee is taken from the input; else the payer pays it on top.
    #[serde(default)]
    pub(super) included: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TransactionRequest {
    pub(super) from: Option<Address>,
    pub(super) to: Address,
    pub(super) data: Bytes,
    #[serde(default)]
    pub(super) value: U256,
    pub(super) chain_id: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(default)]
    pub(super) message: String,
    pub(super) code: Option<u32>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TransferState {
    pub(super) status: String,
    #[serde(default)]
    pub(super) substatus: Option<String>,
    #[serde(default)]
    pub(super) sending: Option<Leg>,
    #[serde(default)]
    pub(super) receiving: Option<Leg>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Leg {
    pub(super) tx_hash: Option<String>,
    pub(super) chain_id: Option<u64>,
    pub(super) token: Option<LegToken>,
}

/// Some of LI.FI's examples have a token with its symbol only.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LegToken {
    pub(super) address: Option<Address>,
    pub(super) chain_id: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Chains {
    pub(super) chains: Vec<Chain>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chain {
    pub(super) id: u64,
    pub(super) diamond_address: Option<Address>,
}
