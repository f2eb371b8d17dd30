mod access_list;
mod blocks;
mod call;
mod encode;
mod estimate;
mod fees;
mod filters;
mod logs;
mod params;
mod proof;
mod state;
mod transactions;
mod view;

use std::sync::Arc;

use alloy_primitives::keccak256;
use serde_json::{Value, json};

use self::encode::quantity;
use self::params::Params;
use self::view::{BlockArg, Reader};
use super::block::COINBASE;
use super::chain::{EvmChain, EvmNode, Inner};
use super::errors::server_error;
use super::faults::VisibleChain;
use super::filters::FilterKind;
use crate::jsonrpc::{FIRST_NODE, Methods, RpcError};

const CLIENT: &str = concat!("causeway-sandbox/v", env!("CARGO_PKG_VERSION"), "/rust");
const METHOD_NOT_FOUND: i64 = -32601;

impl Methods for EvmChain {
    async fn call(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        EvmNode { chain: self, node: FIRST_NODE }.call(method, params).await
    }
}

impl Methods for EvmNode<'_> {
    async fn call(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        let inner = &self.chain.inner;
        let faults = inner.faults.lock().for_call(self.node, method);
        if !faults.slow.is_zero() {
            tokio::time::sleep(faults.slow).await;
        }
        if let Some(error) = faults.fail_before {
            return Err(error);
        }
        if let Some(refusal) = faults.lies.as_ref().and_then(|lies| lies.refusal(method)) {
            return Err(refusal);
        }
        let asked = faults.lies.as_ref().map(|_| params.clone());
        let response = if is_heavy(method, &params) {
            self.chain.answer_blocking(method, params, faults.visible).await
        } else {
            answer(inner, method, params, &faults.visible)
        };
        let response = match (&faults.lies, asked) {
            (Some(lies), Some(asked)) => response.map(|truth| {
                lies.falsify(method, &asked, truth, |number| {
                    let block = json!([quantity(number), false]);
                    let block =
                        answer(inner, "eth_getBlockByNumber", block, &VisibleChain::default()).ok()?;
                    block.get("hash").cloned()
                })
            }),
            _ => response,
        };
        faults.fail_after.map_or(response, Err)
    }
}

impl EvmChain {
    /// Answers on a blocking thread, with limited concurrency.
    async fn answer_blocking(
        &self,
        method: &str,
        params: Value,
        visible: VisibleChain,
    ) -> Result<Value, RpcError> {
        let permit = Arc::clone(&self.inner.calls).acquire_owned().await;
        let (inner, method) = (Arc::clone(&self.inner), method.to_owned());
        let task = tokio::task::spawn_blocking(move || {
            let answer = answer(&inner, &method, params, &visible);
            drop(permit);
            answer
        });
        task.await.unwrap_or_else(|_| Err(server_error("method handler crashed")))
    }
}

/// Whether a call may be slow.
fn is_heavy(method: &str, params: &Value) -> bool {
    matches!(
        method,
        "eth_call"
            | "eth_createAccessList"
            | "eth_estimateGas"
            | "eth_getFilterLogs"
            | "eth_getLogs"
            | "eth_getProof"
    ) || params.as_array().is_some_and(|params| params.iter().any(|param| param == "pending"))
}

/// Answers one call from the visible chain.
fn answer(inner: &Inner, method: &str, params: Value, visible: &VisibleChain) -> Result<Value, RpcError> {
    let reader = Reader { inner, stale: visible.stale, frozen: visible.frozen.as_deref() };
    let take = |max: usize| Params::new(params, max);
    match method {
        "web3_clientVersion" => Ok(json!(CLIENT)),
        "web3_sha3" => encode::json(keccak256(take(1)?.bytes(0)?)),
        "net_version" => Ok(json!(inner.chain_id.to_string())),
        "net_listening" => Ok(json!(true)),
        "net_peerCount" => Ok(quantity(0)),
        "eth_chainId" => Ok(quantity(inner.chain_id)),
        "eth_protocolVersion" => Ok(json!("0x44")),
        "eth_syncing" | "eth_mining" => Ok(json!(false)),
        // The node has no keys, so it has no own pending transactions.
        "eth_accounts" | "eth_pendingTransactions" => Ok(json!([])),
        "eth_coinbase" => Ok(json!(COINBASE)),
        "eth_blockNumber" => Ok(reader.block_number()),
        "eth_getBlockByNumber" => by_number(&take(2)?, |at, params| reader.get_block(at, params)),
        "eth_getBlockByHash" => by_hash(&take(2)?, |at, params| reader.get_block(at, params)),
        "eth_getBlockReceipts" => reader.get_block_receipts(take(1)?.read(0, BlockArg::any)?),
        "eth_getBlockTransactionCountByNumber" => by_number(&take(1)?, |at, _| reader.count_transactions(at)),
        "eth_getBlockTransactionCountByHash" => by_hash(&take(1)?, |at, _| reader.count_transactions(at)),
        "eth_getUncleCountByBlockNumber" => by_number(&take(1)?, |at, _| reader.count_uncles(at)),
        "eth_getUncleCountByBlockHash" => by_hash(&take(1)?, |at, _| reader.count_uncles(at)),
        "eth_getTransactionByBlockNumberAndIndex" => {
            by_number(&take(2)?, |at, params| reader.get_transaction_at(at, params))
        }
        "eth_getTransactionByBlockHashAndIndex" => {
            by_hash(&take(2)?, |at, params| reader.get_transaction_at(at, params))
        }
        "eth_getTransactionByHash" => reader.get_transaction(&take(1)?),
        "eth_getTransactionReceipt" => reader.get_receipt(&take(1)?),
        "eth_getTransactionCount" => reader.get_transaction_count(&take(2)?),
        "eth_sendRawTransaction" => reader.send_raw_transaction(&take(1)?),
        "eth_getBalance" => reader.get_balance(&take(2)?),
        "eth_getCode" => reader.get_code(&take(2)?),
        "eth_getStorageAt" => reader.get_storage_at(&take(3)?),
        "eth_call" => reader.call(&take(4)?),
        "eth_estimateGas" => reader.estimate_gas(&take(4)?),
        "eth_createAccessList" => reader.create_access_list(&take(3)?),
        "eth_getProof" => reader.get_proof(&take(3)?),
        "eth_gasPrice" => Ok(reader.gas_price()),
        "eth_maxPriorityFeePerGas" => Ok(reader.max_priority_fee()),
        "eth_blobBaseFee" => Ok(quantity(1)),
        "eth_feeHistory" => reader.fee_history(&take(3)?),
        "eth_getLogs" => reader.get_logs(&take(1)?),
        "eth_newFilter" => reader.new_log_filter(&take(1)?),
        "eth_newBlockFilter" => Ok(reader.install(FilterKind::Blocks)),
        "eth_newPendingTransactionFilter" => Ok(reader.install(FilterKind::Pending)),
        "eth_getFilterChanges" => reader.get_filter_changes(&take(1)?),
        "eth_getFilterLogs" => reader.get_filter_logs(&take(1)?),
        "eth_uninstallFilter" => reader.uninstall(&take(1)?),
        "eth_subscribe" => Err(RpcError::new(METHOD_NOT_FOUND, "notifications not supported")),
        "eth_unsubscribe" => Err(server_error("subscription not found")),
        _ => Err(RpcError::new(
            METHOD_NOT_FOUND,
            format!("the method {method} does not exist/is not available"),
        )),
    }
}

type Answer = Result<Value, RpcError>;

fn by_number(params: &Params, answer: impl Fn(BlockArg, &Params) -> Answer) -> Answer {
    answer(params.read(0, BlockArg::number_or_tag)?, params)
}

fn by_hash(params: &Params, answer: impl Fn(BlockArg, &Params) -> Answer) -> Answer {
    answer(BlockArg::Hash(params.hash(0)?), params)
}
