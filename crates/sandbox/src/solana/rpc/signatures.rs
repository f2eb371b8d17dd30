use solana_address::Address;
use solana_commitment_config::CommitmentLevel;
use solana_rpc_client_types::config::{
    RpcContextConfig, RpcSignatureStatusConfig, RpcSignaturesForAddressConfig,
};
use solana_rpc_client_types::request::{
    MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT as MAX_LIMIT,
    MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS as MAX_STATUSES,
};
use solana_rpc_client_types::response::RpcConfirmedTransactionStatusWithSignature;
use solana_signature::Signature;
use solana_transaction_status::{TransactionConfirmationStatus, TransactionStatus};

use super::params::{Params, at_most, parse};
use super::{RpcResult, at_least_confirmed, errors, to_json, view, with_context};
use crate::jsonrpc::RpcError;
use crate::solana::ledger::{Ledger, Record};

/// Slots for which a node knows a status without searching its history.
const RECENT_SLOTS: u64 = 300;

pub(super) fn statuses(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let texts: Vec<String> = params.required(0)?;
    let config: Option<RpcSignatureStatusConfig> = params.optional(1)?;
    at_most(&texts, MAX_STATUSES)?;
    let slot = ledger.slots.open().slot;
    let everywhere = config.is_some_and(|config| config.search_transaction_history);
    let status = |text: &String| {
        let record = ledger.history.get(&parse(text)?);
        let record = record.filter(|record| everywhere || record.slot + RECENT_SLOTS >= slot);
        Ok(record.map(|record| status(ledger, record)))
    };
    let statuses: Result<Vec<_>, RpcError> = texts.iter().map(status).collect();
    with_context(slot, statuses?)
}

fn status(ledger: &Ledger, record: &Record) -> TransactionStatus {
    let confirmation = confirmation(ledger, record.slot);
    TransactionStatus {
        slot: record.slot,
        confirmations: match confirmation {
            TransactionConfirmationStatus::Processed => Some(0),
            TransactionConfirmationStatus::Confirmed => Some(1),
            TransactionConfirmationStatus::Finalized => None,
        },
        status: record.error.clone().map_or(Ok(()), Err),
        err: record.error.clone(),
        confirmation_status: Some(confirmation),
    }
}

fn confirmation(ledger: &Ledger, slot: u64) -> TransactionConfirmationStatus {
    if slot <= ledger.slots.at(CommitmentLevel::Finalized).slot {
        TransactionConfirmationStatus::Finalized
    } else if slot <= ledger.slots.at(CommitmentLevel::Confirmed).slot {
        TransactionConfirmationStatus::Confirmed
    } else {
        TransactionConfirmationStatus::Processed
    }
}

pub(super) fn for_address(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let address: Address = params.name(0)?;
    let config: RpcSignaturesForAddressConfig = params.config(1)?;
    let known = |text: Option<String>| text.map(|text| known_signature(ledger, &text)).transpose();
    let (before, until) = (known(config.before)?, known(config.until)?);
    let limit = config.limit.unwrap_or(MAX_LIMIT);
    if limit == 0 || limit > MAX_LIMIT {
        return Err(RpcError::invalid_params(format!("Invalid limit; max {MAX_LIMIT}")));
    }
    at_least_confirmed(config.commitment)?;
    let context =
        RpcContextConfig { commitment: config.commitment, min_context_slot: config.min_context_slot };
    let newest = view(ledger, context)?.block.slot;

    let mut reached = before.is_none();
    let found: Vec<_> = ledger
        .history
        .oldest_first()
        .rev()
        .filter(|record| {
            let wanted = reached;
            reached |= Some(record.signature) == before;
            wanted
        })
        .take_while(|record| Some(record.signature) != until)
        .filter(|record| record.slot <= newest && record.keys.contains(&address))
        .take(limit)
        .map(|record| RpcConfirmedTransactionStatusWithSignature {
            signature: record.signature.to_string(),
            slot: record.slot,
            err: record.error.clone().map(Into::into),
            memo: record.memo.clone(),
            block_time: Some(record.time),
            confirmation_status: Some(confirmation(ledger, record.slot)),
            transaction_index: Some(record.index),
        })
        .collect();
    to_json(&found)
}

fn known_signature(ledger: &Ledger, text: &str) -> Result<Signature, RpcError> {
    let signature = parse(text)?;
    ledger.history.get(&signature).ok_or_else(|| errors::filter_not_found(text))?;
    Ok(signature)
}
