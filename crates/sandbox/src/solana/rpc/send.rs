use serde_json::Value;
use solana_address::Address;
use solana_commitment_config::{CommitmentConfig, CommitmentLevel};
use solana_rpc_client_types::config::{RpcContextConfig, RpcSendTransactionConfig};
use solana_transaction::versioned::VersionedTransaction;

use super::decode::{binary_encoding, decode};
use super::params::Params;
use super::simulate::result;
use super::{RpcResult, errors, to_json, view};
use crate::jsonrpc::RpcError;
use crate::solana::ledger::Simulation;
use crate::solana::node::{MAX_AIRDROP, Node, SendError};

pub(super) fn send_transaction(node: &mut Node, by: u8, params: &mut Params) -> RpcResult {
    let text: String = params.required(0)?;
    let config: RpcSendTransactionConfig = params.config(1)?;
    let transaction: VersionedTransaction = decode(&text, binary_encoding(config.encoding)?)?;
    let commitment = match config.preflight_commitment {
        _ if config.skip_preflight => CommitmentLevel::Processed,
        commitment => commitment.unwrap_or_default(),
    };
    let commitment = Some(CommitmentConfig { commitment });
    view(node.ledger_for(by), RpcContextConfig { commitment, min_context_slot: config.min_context_slot })?;
    match node.send(transaction, config.skip_preflight) {
        Ok(signature) => to_json(&signature.to_string()),
        Err(SendError::Malformed(error)) => {
            Err(RpcError::invalid_params(format!("invalid transaction: {error}")))
        }
        Err(SendError::Signature) => Err(errors::signature_verification()),
        Err(SendError::Preflight(simulation)) => Err(preflight(&simulation)),
    }
}

fn preflight(simulation: &Simulation) -> RpcError {
    let reason = simulation.error.as_ref().map(ToString::to_string).unwrap_or_default();
    let error = RpcError::new(-32002, format!("Transaction simulation failed: {reason}"));
    match serde_json::to_value(result(simulation)) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}

pub(super) fn request_airdrop(node: &mut Node, params: &mut Params) -> RpcResult {
    let address: Address = params.name(0)?;
    // Read by hand, so that the error for an invalid number names the limit.
    let lamports: Value = params.required(1)?;
    let lamports = lamports.as_u64().ok_or_else(|| {
        RpcError::invalid_params(format!(
            "an airdrop is a whole number of lamports, at most {MAX_AIRDROP}: {lamports} is refused"
        ))
    })?;
    let signature = node.airdrop(&address, lamports);
    to_json(&signature.map_err(|error| RpcError::invalid_params(error.to_string()))?.to_string())
}
