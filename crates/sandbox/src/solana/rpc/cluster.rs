use serde_json::json;
use solana_address::Address;
use solana_rpc_client_types::config::RpcContextConfig;
use solana_rpc_client_types::response::{RpcApiVersion, RpcIdentity, RpcPrioritizationFee, RpcVersionInfo};

use super::params::{Params, at_most, parse};
use super::{RpcResult, errors, to_json, view};
use crate::solana::ledger::Ledger;
use crate::solana::node::{self, Node};

/// Mainnet's, because the chain's CAIP-2 id contains it.
pub(super) const GENESIS_HASH: &str = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
/// The number of slots in a fee response.
const FEE_SLOTS: usize = 150;
const MAX_FEE_ADDRESSES: usize = 128;

pub(super) fn health(node: &Node, by: u8) -> RpcResult {
    let behind = node.ledger.slots.open().slot.saturating_sub(node.ledger_for(by).slots.open().slot);
    if behind > 0 {
        return Err(errors::node_behind(behind));
    }
    to_json(&"ok")
}

pub(super) fn version() -> RpcResult {
    to_json(&RpcVersionInfo { solana_core: RpcApiVersion::default().to_string(), feature_set: Some(0) })
}

pub(super) fn identity() -> RpcResult {
    to_json(&RpcIdentity { identity: node::identity().to_string() })
}

pub(super) fn slot(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let config: RpcContextConfig = params.config(0)?;
    to_json(&view(ledger, config)?.block.slot)
}

pub(super) fn block_height(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let config: RpcContextConfig = params.config(0)?;
    to_json(&ledger.slots.height(view(ledger, config)?.block.slot))
}

pub(super) fn epoch_info(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let config: RpcContextConfig = params.config(0)?;
    let slot = view(ledger, config)?.block.slot;
    let (epoch, index) = ledger.machine.epochs().get_epoch_and_slot_index(slot);
    Ok(json!({
        "absoluteSlot": slot,
        "blockHeight": ledger.slots.height(slot),
        "epoch": epoch,
        "slotIndex": index,
        "slotsInEpoch": ledger.machine.epochs().get_slots_in_epoch(epoch),
        "transactionCount": ledger.history.oldest_first().count(),
    }))
}

/// Blocks of the sandbox are never full, so the fees are zero.
pub(super) fn prioritization_fees(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let addresses: Vec<String> = params.config(0)?;
    at_most(&addresses, MAX_FEE_ADDRESSES)?;
    addresses.iter().try_for_each(|text| parse::<Address>(text).map(|_| ()))?;
    let mut fees: Vec<_> = ledger
        .slots
        .newest()
        .take(FEE_SLOTS)
        .map(|block| RpcPrioritizationFee { slot: block.slot, prioritization_fee: 0 })
        .collect();
    fees.reverse();
    to_json(&fees)
}
