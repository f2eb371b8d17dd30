use serde_json::json;

use crate::jsonrpc::RpcError;

pub(super) fn method_not_found() -> RpcError {
    RpcError::new(-32601, "Method not found")
}

pub(super) fn internal() -> RpcError {
    RpcError::new(-32603, "Internal error")
}

pub(super) fn block_cleaned_up(slot: u64, first: u64) -> RpcError {
    let message = format!("Block {slot} cleaned up, does not exist on node. First available block: {first}");
    RpcError::new(-32001, message)
}

pub(super) fn signature_verification() -> RpcError {
    RpcError::new(-32003, "Transaction signature verification failure")
}

pub(super) fn block_not_available(slot: u64) -> RpcError {
    RpcError::new(-32004, format!("Block not available for slot {slot}"))
}

pub(super) fn node_behind(slots: u64) -> RpcError {
    RpcError::new(-32005, format!("Node is behind by {slots} slots"))
        .with_data(json!({ "numSlotsBehind": slots }))
}

pub(super) fn slot_skipped(slot: u64) -> RpcError {
    let message = format!("Slot {slot} was skipped, or missing due to ledger jump to recent snapshot");
    RpcError::new(-32007, message)
}

pub(super) fn scan(message: String) -> RpcError {
    RpcError::new(-32012, message)
}

pub(super) fn unsupported_version(version: u8) -> RpcError {
    let message = format!(
        "Transaction version ({version}) is not supported by the requesting client. Please try the request \
         again with the following configuration parameter: \"maxSupportedTransactionVersion\": {version}"
    );
    RpcError::new(-32015, message)
}

pub(super) fn min_context_slot(reached: u64) -> RpcError {
    RpcError::new(-32016, "Minimum context slot has not been reached")
        .with_data(json!({ "contextSlot": reached }))
}

pub(super) fn filter_not_found(signature: &str) -> RpcError {
    RpcError::new(-32020, format!("Transaction {signature} not found"))
}
