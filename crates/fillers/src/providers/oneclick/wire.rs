//! The parts of 1Click's JSON that are read, as docs.near-intents.org (api-reference/oneclick, version 0.1.10 of its API document)
//! and the types of github.com/defuse-protocol/one-click-sdk-typescript as of 2026-06-26 document them, read on 2026-11-18. Not
//! verified against the live service.

use serde::Deserialize;

/// A token of `/v0/tokens`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed {
    pub(super) asset_id: String,
    pub(super) decimals: u8,
    pub(super) blockchain: String,
    /// Absent for the coin of the chain.
    #[serde(default)]
    pub(super) contract_address: Option<String>,
}

/// The answer of `/v0/quote`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Quoted {
    /// What was asked, as 1Click has understood it.
    pub(super) quote_request: Request,
    pub(super) quote: Quote,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub(super) dry: bool,
    pub(super) swap_type: String,
    pub(super) origin_asset: String,
    pub(super) deposit_type: String,
    pub(super) destination_asset: String,
    pub(super) amount: String,
    pub(super) refund_to: String,
    pub(super) refund_type: String,
    pub(super) recipient: String,
    pub(super) recipient_type: String,
    #[serde(default)]
    pub(super) virtual_chain_recipient: Option<String>,
    #[serde(default)]
    pub(super) virtual_chain_refund_recipient: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Quote {
    #[serde(default)]
    pub(super) deposit_address: Option<String>,
    #[serde(default)]
    pub(super) deposit_memo: Option<String>,
    pub(super) amount_in: String,
    pub(super) min_amount_in: String,
    pub(super) amount_out: String,
    pub(super) min_amount_out: String,
    /// When the address becomes inactive, and what arrives may be lost.
    #[serde(default)]
    pub(super) deadline: Option<String>,
    /// When swaps at the address become slow.
    #[serde(default)]
    pub(super) time_when_inactive: Option<String>,
    pub(super) time_estimate: f64,
}

/// The answer of `/v0/status` and of `/v0/deposit/submit`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Status {
    #[serde(rename = "status")]
    pub(super) word: String,
    pub(super) quote_response: Quoted,
    #[serde(default)]
    pub(super) swap_details: Details,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Details {
    #[serde(default)]
    pub(super) origin_chain_tx_hashes: Vec<Sent>,
    #[serde(default)]
    pub(super) destination_chain_tx_hashes: Vec<Sent>,
    #[serde(default)]
    pub(super) deposited_amount: Option<String>,
    #[serde(default)]
    pub(super) refund_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sent {
    pub(super) hash: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(default)]
    pub(super) message: String,
}
