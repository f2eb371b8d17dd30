use std::fmt::LowerHex;

use alloy_consensus::transaction::Recovered;
use alloy_consensus::{Transaction as _, TxEnvelope};
use alloy_eips::eip4895::Withdrawals;
use alloy_primitives::{B256, U256};
use alloy_rlp::Encodable as _;
use alloy_rpc_types_eth::{
    Block, BlockTransactions, Header as RpcHeader, Log as RpcLog, Transaction, TransactionReceipt,
};
use serde::Serialize;
use serde_json::Value;

use crate::evm::block::{Mined, SealedBlock};
use crate::evm::data_fee::DataFee;
use crate::evm::errors::server_error;
use crate::jsonrpc::RpcError;

/// Any answer as JSON.
pub(super) fn json<T: Serialize>(value: T) -> Result<Value, RpcError> {
    serde_json::to_value(value).map_err(|error| server_error(error.to_string()))
}

/// A number as a JSON-RPC quantity.
pub(super) fn quantity(number: impl LowerHex) -> Value {
    Value::String(format!("{number:#x}"))
}

/// A transaction in a block.
pub(super) fn transaction(block: &SealedBlock, index: usize, mined: &Mined) -> Transaction {
    Transaction {
        inner: mined.tx.clone(),
        block_hash: Some(block.hash),
        block_number: Some(block.number()),
        transaction_index: Some(index as u64),
        effective_gas_price: Some(mined.tx.effective_gas_price(block.header.base_fee_per_gas)),
        block_timestamp: Some(block.header.timestamp),
    }
}

/// A pending transaction.
pub(super) fn pending(tx: &Recovered<TxEnvelope>) -> Transaction {
    Transaction {
        inner: tx.clone(),
        block_hash: None,
        block_number: None,
        transaction_index: None,
        effective_gas_price: Some(tx.max_fee_per_gas()),
        block_timestamp: None,
    }
}

/// A block, with its transactions or their hashes.
pub(super) fn block(block: &SealedBlock, full: bool) -> Result<Value, RpcError> {
    let transactions = if full {
        let encode = block.body.iter().enumerate().map(|(index, mined)| transaction(block, index, mined));
        BlockTransactions::Full(encode.collect())
    } else {
        BlockTransactions::Hashes(block.body.iter().map(Mined::hash).collect())
    };
    json(Block {
        header: RpcHeader {
            hash: block.hash,
            inner: block.header.clone(),
            total_difficulty: None,
            size: Some(U256::from(size(block))),
        },
        uncles: Vec::new(),
        transactions,
        withdrawals: Some(Withdrawals::default()),
    })
}

/// The pending block, which has no hash and no miner.
pub(super) fn pending_block(sealed: &SealedBlock, full: bool) -> Result<Value, RpcError> {
    let mut face = block(sealed, full)?;
    for field in ["hash", "nonce", "miner"] {
        face[field] = Value::Null;
    }
    Ok(face)
}

/// The size of the RLP-encoded block: header, transactions, no uncles, no withdrawals.
fn size(block: &SealedBlock) -> usize {
    let transactions: usize = block.body.iter().map(|mined| mined.tx.inner().length()).sum();
    let list = |payload: usize| payload + alloy_rlp::length_of_length(payload);
    list(block.header.length() + list(transactions) + list(0) + list(0))
}

/// The logs of one transaction.
pub(super) fn logs(block: &SealedBlock, index: usize, mined: &Mined, removed: bool) -> Vec<RpcLog> {
    let first = block.logs_before(index);
    let face = |(at, log): (u64, &alloy_primitives::Log)| RpcLog {
        inner: log.clone(),
        block_hash: Some(block.hash),
        block_number: Some(block.number()),
        block_timestamp: Some(block.header.timestamp),
        transaction_hash: Some(mined.hash()),
        transaction_index: Some(index as u64),
        log_index: Some(first + at),
        removed,
    };
    (0..).zip(&mined.logs).map(face).collect()
}

/// The receipt of one transaction, with what its data cost where the chain charges for them.
pub(super) fn receipt(
    block: &SealedBlock,
    index: usize,
    mined: &Mined,
    data_fee: DataFee,
) -> Result<Value, RpcError> {
    let logs = logs(block, index, mined, false);
    let mut receipt = json(TransactionReceipt {
        inner: mined.receipt(block.gas_through(index), mined.bloom(), logs),
        transaction_hash: mined.hash(),
        transaction_index: Some(index as u64),
        block_hash: Some(block.hash),
        block_number: Some(block.number()),
        gas_used: mined.gas_used,
        effective_gas_price: mined.tx.effective_gas_price(block.header.base_fee_per_gas),
        blob_gas_used: None,
        blob_gas_price: None,
        from: mined.tx.signer(),
        to: mined.tx.to(),
        contract_address: mined.created(),
    })?;
    match data_fee {
        DataFee::Free => {}
        DataFee::Apart(_) => receipt["l1Fee"] = quantity(data_fee.apart(&mined.tx)),
        DataFee::AsGas(_) => {
            receipt["gasUsedForL1"] = quantity(data_fee.gas(&mined.tx, block.base_fee()));
        }
    }
    Ok(receipt)
}

pub(super) fn hashes(hashes: &[B256]) -> Result<Value, RpcError> {
    json(hashes)
}
