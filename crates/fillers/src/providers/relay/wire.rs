//! The parts of Relay's JSON that are read, as docs.relay.link (references/api, features/price-stabilization) and the types of
//! github.com/relayprotocol/relay-kit document them, read on 2026-11-18. Not verified against the live service.

use alloy_primitives::{Address, B256, Bytes, U256};
use serde::Deserialize;

use super::order::OrderData;

#[derive(Debug, Deserialize)]
pub(super) struct Quote {
    #[serde(default)]
    pub(super) steps: Vec<Step>,
    #[serde(default)]
    pub(super) fees: Fees,
    pub(super) details: Details,
    #[serde(default)]
    pub(super) protocol: Protocol,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Step {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) request_id: Option<String>,
    #[serde(default)]
    pub(super) items: Vec<Item>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Item {
    pub(super) data: Option<Transaction>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Transaction {
    pub(super) from: Address,
    pub(super) to: Address,
    #[serde(default)]
    pub(super) data: Bytes,
    #[serde(default)]
    pub(super) value: U256,
    pub(super) chain_id: u64,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Fees {
    pub(super) gas: Option<Sum>,
    pub(super) relayer: Option<Sum>,
    pub(super) app: Option<Sum>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Details {
    pub(super) sender: Option<Address>,
    pub(super) recipient: Option<Address>,
    pub(super) currency_in: Sum,
    pub(super) currency_out: Sum,
    /// In seconds.
    #[serde(default)]
    pub(super) time_estimate: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sum {
    pub(super) currency: Currency,
    #[serde(default)]
    pub(super) amount: String,
    pub(super) minimum_amount: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Currency {
    pub(super) chain_id: u64,
    pub(super) address: Address,
    pub(super) decimals: u8,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Protocol {
    pub(super) v2: Option<ProtocolOrder>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProtocolOrder {
    pub(super) order_id: B256,
    pub(super) order_data: Option<OrderData>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ErrorBody {
    #[serde(default)]
    pub(super) message: String,
    pub(super) error_code: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Requests {
    #[serde(default)]
    pub(super) requests: Vec<RelayRequest>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RelayRequest {
    pub(super) status: String,
    #[serde(default)]
    pub(super) data: RequestData,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RequestData {
    pub(super) fail_reason: Option<String>,
    pub(super) in_txs: Vec<SentTx>,
    pub(super) out_txs: Vec<SentTx>,
    pub(super) refund_currency_data: Option<RefundCurrency>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SentTx {
    pub(super) tx_hash: Option<String>,
    pub(super) chain_id: Option<u64>,
    pub(super) status: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct RefundCurrency {
    pub(super) currency: Option<Currency>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Chains {
    pub(super) chains: Vec<Chain>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Chain {
    pub(super) id: u64,
    #[serde(default)]
    pub(super) protocol: ChainProtocol,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ChainProtocol {
    pub(super) v2: Option<ChainDepository>,
}

/// Chains of other families have addresses of other forms.
#[derive(Debug, Deserialize)]
pub(super) struct ChainDepository {
    pub(super) depository: Option<String>,
}
