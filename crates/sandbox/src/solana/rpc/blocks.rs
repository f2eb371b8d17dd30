use solana_commitment_config::CommitmentLevel;
use solana_rpc_client_types::config::{
    RpcBlockConfig, RpcBlocksConfigWrapper, RpcContextConfig, RpcEncodingConfigWrapper,
};
use solana_rpc_client_types::request::MAX_GET_CONFIRMED_BLOCKS_RANGE;
use solana_transaction_status::{BlockEncodingOptions, ConfirmedBlock, EncodeError, UiTransactionEncoding};

use super::params::Params;
use super::{RpcResult, at_least_confirmed, errors, to_json};
use crate::jsonrpc::RpcError;
use crate::solana::ledger::{Block, Ledger};

pub(super) fn block(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let slot: u64 = params.required(0)?;
    let config: Option<RpcEncodingConfigWrapper<RpcBlockConfig>> = params.optional(1)?;
    let config = config.map(|config| config.convert_to_current()).unwrap_or_default();
    let level = at_least_confirmed(config.commitment)?;
    let (block, parent) = find(ledger, slot, level)?;
    let transactions = ledger.history.of_slot(slot).filter_map(|record| record.with_meta()).collect();
    let block = ConfirmedBlock {
        previous_blockhash: parent.map(|parent| parent.hash.to_string()).unwrap_or_default(),
        blockhash: block.hash.to_string(),
        parent_slot: parent.map_or(slot.saturating_sub(1), |parent| parent.slot),
        transactions,
        rewards: Vec::new(),
        num_partitions: None,
        block_time: Some(block.time),
        block_height: Some(ledger.slots.height(slot)),
    };
    let options = BlockEncodingOptions {
        transaction_details: config.transaction_details.unwrap_or_default(),
        show_rewards: config.rewards.unwrap_or(true),
        max_supported_transaction_version: config.max_supported_transaction_version,
    };
    let encoding = config.encoding.unwrap_or(UiTransactionEncoding::Json);
    let encoded = block.encode_with_options(encoding, options);
    let unsupported =
        |EncodeError::UnsupportedTransactionVersion(version)| errors::unsupported_version(version);
    to_json(&encoded.map_err(unsupported)?)
}

pub(super) fn block_time(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let slot: u64 = params.required(0)?;
    to_json(&find(ledger, slot, CommitmentLevel::Processed)?.0.time)
}

pub(super) fn blocks(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let first: u64 = params.required(0)?;
    let wrapper: Option<RpcBlocksConfigWrapper> = params.optional(1)?;
    let (last, config) = wrapper.map(|wrapper| wrapper.unzip()).unwrap_or_default();
    let config: Option<RpcContextConfig> = params.optional(2)?.or(config);
    let level = at_least_confirmed(config.unwrap_or_default().commitment)?;
    let last = last.unwrap_or_else(|| first.saturating_add(MAX_GET_CONFIRMED_BLOCKS_RANGE));
    let last = last.min(ledger.slots.at(level).slot);
    if last.saturating_sub(first) > MAX_GET_CONFIRMED_BLOCKS_RANGE {
        let message = format!("Slot range too large; max {MAX_GET_CONFIRMED_BLOCKS_RANGE}");
        return Err(RpcError::invalid_params(message));
    }
    to_json(&ledger.slots.between(first, last).collect::<Vec<_>>())
}

pub(super) fn blocks_with_limit(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let first: u64 = params.required(0)?;
    let limit: usize = params.required(1)?;
    let config: RpcContextConfig = params.config(2)?;
    let level = at_least_confirmed(config.commitment)?;
    if limit as u64 > MAX_GET_CONFIRMED_BLOCKS_RANGE {
        let message = format!("Limit too large; max {MAX_GET_CONFIRMED_BLOCKS_RANGE}");
        return Err(RpcError::invalid_params(message));
    }
    let last = ledger.slots.at(level).slot;
    to_json(&ledger.slots.between(first, last).take(limit).collect::<Vec<_>>())
}

fn find(ledger: &Ledger, slot: u64, level: CommitmentLevel) -> Result<(Block, Option<Block>), RpcError> {
    let first = ledger.slots.first();
    if slot > ledger.slots.at(level).slot {
        return Err(errors::block_not_available(slot));
    }
    if ledger.slots.is_skipped(slot) {
        return Err(errors::slot_skipped(slot));
    }
    ledger.slots.find(slot).ok_or_else(|| errors::block_cleaned_up(slot, first))
}
