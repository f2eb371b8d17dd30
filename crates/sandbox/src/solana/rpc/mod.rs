mod accounts;
mod blockhash;
mod blocks;
mod cluster;
mod decode;
mod encode;
mod errors;
mod params;
mod program_accounts;
mod send;
mod signatures;
mod simulate;
mod tokens;
mod transaction;

use serde::Serialize;
use serde_json::Value;
use solana_commitment_config::{CommitmentConfig, CommitmentLevel};
use solana_rpc_client_types::config::RpcContextConfig;
use solana_rpc_client_types::response::{Response, RpcResponseContext};

use super::ledger::{Ledger, View};
use super::node::Node;
use crate::jsonrpc::RpcError;
use params::Params;

type RpcResult = Result<Value, RpcError>;

/// Answers one call as an Agave node would; `by` is the number of the node.
pub(super) fn call(node: &mut Node, by: u8, method: &str, params: Value) -> RpcResult {
    let mut params = Params::new(params)?;
    let params = &mut params;
    match method {
        "sendTransaction" => return send::send_transaction(node, by, params),
        "requestAirdrop" => return send::request_airdrop(node, params),
        "simulateTransaction" => return simulate::simulate_transaction(node, by, params),
        "getHealth" => return cluster::health(node, by),
        _ => {}
    }
    let ledger = node.ledger_for(by);
    match method {
        "getAccountInfo" => accounts::account_info(ledger, params),
        "getBalance" => accounts::balance(ledger, params),
        "getBlock" => blocks::block(ledger, params),
        "getBlockHeight" => cluster::block_height(ledger, params),
        "getBlockTime" => blocks::block_time(ledger, params),
        "getBlocks" => blocks::blocks(ledger, params),
        "getBlocksWithLimit" => blocks::blocks_with_limit(ledger, params),
        "getEpochInfo" => cluster::epoch_info(ledger, params),
        "getEpochSchedule" => to_json(ledger.machine.epochs()),
        "getFeeForMessage" => blockhash::fee_for_message(ledger, params),
        "getFirstAvailableBlock" | "minimumLedgerSlot" => to_json(&ledger.slots.first()),
        "getGenesisHash" => to_json(&cluster::GENESIS_HASH),
        "getIdentity" => cluster::identity(),
        "getLatestBlockhash" => blockhash::latest(ledger, params),
        "getMinimumBalanceForRentExemption" => accounts::rent_minimum(ledger, params),
        "getMultipleAccounts" => accounts::multiple(ledger, params),
        "getProgramAccounts" => program_accounts::program_accounts(ledger, params),
        "getRecentPrioritizationFees" => cluster::prioritization_fees(ledger, params),
        "getSignatureStatuses" => signatures::statuses(ledger, params),
        "getSignaturesForAddress" => signatures::for_address(ledger, params),
        "getSlot" => cluster::slot(ledger, params),
        "getTokenAccountBalance" => tokens::account_balance(ledger, params),
        "getTokenAccountsByOwner" => tokens::accounts_by_owner(ledger, params),
        "getTokenSupply" => tokens::supply(ledger, params),
        "getTransaction" => transaction::transaction(ledger, params),
        "getVersion" => cluster::version(),
        "isBlockhashValid" => blockhash::is_valid(ledger, params),
        _ => Err(errors::method_not_found()),
    }
}

fn to_json(value: &impl Serialize) -> RpcResult {
    serde_json::to_value(value).map_err(|_| errors::internal())
}

/// A result with its context slot.
fn with_context(slot: u64, value: impl Serialize) -> RpcResult {
    to_json(&Response { context: RpcResponseContext::new(slot), value })
}

/// The commitment of a call; finalized by default.
fn level(commitment: Option<CommitmentConfig>) -> CommitmentLevel {
    commitment.unwrap_or_default().commitment
}

/// The view of the requested commitment, if it has reached the minimum context slot.
fn view(ledger: &Ledger, config: RpcContextConfig) -> Result<View<'_>, RpcError> {
    let view = ledger.view(level(config.commitment));
    if config.min_context_slot.is_some_and(|least| view.block.slot < least) {
        return Err(errors::min_context_slot(view.block.slot));
    }
    Ok(view)
}

/// History is available from `confirmed` on.
fn at_least_confirmed(commitment: Option<CommitmentConfig>) -> Result<CommitmentLevel, RpcError> {
    let level = level(commitment);
    if level == CommitmentLevel::Processed {
        return Err(RpcError::invalid_params("Method does not support commitment below `confirmed`"));
    }
    Ok(level)
}
