use solana_hash::Hash;
use solana_message::VersionedMessage;
use solana_rpc_client_types::config::RpcContextConfig;
use solana_rpc_client_types::response::RpcBlockhash;
use solana_transaction_status::TransactionBinaryEncoding;

use super::decode::decode;
use super::params::Params;
use super::{RpcResult, level, view, with_context};
use crate::jsonrpc::RpcError;
use crate::solana::ledger::{Ledger, MAX_BLOCKHASH_AGE};

pub(super) fn latest(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let config: RpcContextConfig = params.config(0)?;
    let block = view(ledger, config)?.block;
    let last_valid_block_height = ledger.slots.height(block.slot) + MAX_BLOCKHASH_AGE;
    with_context(block.slot, RpcBlockhash { blockhash: block.hash.to_string(), last_valid_block_height })
}

pub(super) fn is_valid(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let hash: Hash = params.name(0)?;
    let config: RpcContextConfig = params.config(1)?;
    let block = view(ledger, config)?.block;
    with_context(block.slot, ledger.slots.last_valid_height(&hash, level(config.commitment)).is_some())
}

pub(super) fn fee_for_message(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let text: String = params.required(0)?;
    let config: RpcContextConfig = params.config(1)?;
    let message: VersionedMessage = decode(&text, TransactionBinaryEncoding::Base64)?;
    let block = view(ledger, config)?.block;
    let known =
        ledger.slots.last_valid_height(message.recent_blockhash(), level(config.commitment)).is_some();
    let fee = ledger
        .machine
        .fee(message)
        .map_err(|error| RpcError::invalid_params(format!("invalid transaction message: {error}")))?;
    with_context(block.slot, known.then_some(fee))
}
