//! The parts of 0x's JSON that are read, as the OpenAPI document of Swap API v2 (github.com/0xProject/0x-docs, fern/openapi.json,
//! as of 2026-05-28) and docs.0x.org have them, read on 2026-11-19. Not verified against the live service.

use alloy_primitives::{Address, Bytes, U256};
use serde::Deserialize;

/// What an answer of `/swap/allowance-holder/quote` says first. Without liquidity it says nothing else.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Liquidity {
    pub(super) liquidity_available: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Quote {
    pub(super) sell_token: Address,
    pub(super) buy_token: Address,
    pub(super) sell_amount: String,
    pub(super) buy_amount: String,
    pub(super) min_buy_amount: String,
    /// Absent for a chain's own coin.
    pub(super) allowance_target: Option<Address>,
    #[serde(default)]
    pub(super) issues: Issues,
    #[serde(default)]
    pub(super) fees: Fees,
    /// What the swap costs in the chain's own coin.
    pub(super) total_network_fee: Option<String>,
    #[serde(default)]
    pub(super) zid: String,
    pub(super) transaction: Transaction,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Issues {
    /// Absent where the payer has allowed enough before.
    pub(super) allowance: Option<AllowanceIssue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AllowanceIssue {
    pub(super) spender: Address,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Fees {
    #[serde(rename = "integratorFee")]
    pub(super) integrator: Option<Cost>,
    #[serde(rename = "zeroExFee")]
    pub(super) own: Option<Cost>,
    #[serde(rename = "gasFee")]
    pub(super) gas: Option<Cost>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Cost {
    pub(super) amount: String,
    pub(super) token: Address,
}

#[derive(Debug, Deserialize)]
pub(super) struct Transaction {
    pub(super) to: Address,
    pub(super) data: Bytes,
    pub(super) value: U256,
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) message: String,
}
