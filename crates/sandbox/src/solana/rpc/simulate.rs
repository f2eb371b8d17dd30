use solana_account_decoder::{UiAccount, UiAccountEncoding};
use solana_message::AccountKeys;
use solana_rpc_client_types::config::{
    RpcContextConfig, RpcSimulateTransactionAccountsConfig, RpcSimulateTransactionConfig,
};
use solana_rpc_client_types::response::{RpcBlockhash, RpcSimulateTransactionResult};
use solana_transaction::sanitized::SanitizedTransaction;
use solana_transaction::versioned::VersionedTransaction;
use solana_transaction_context::transaction::TransactionReturnData;
use solana_transaction_status::{UiLoadedAddresses, parse_ui_inner_instructions};

use super::decode::{binary_encoding, decode};
use super::encode::encode;
use super::params::{Params, parse};
use super::{RpcResult, view, with_context};
use crate::jsonrpc::RpcError;
use crate::solana::ledger::{Ledger, MAX_BLOCKHASH_AGE, Simulation};
use crate::solana::node::Node;

/// Simulates on the newest state, whatever the commitment: older states are not executable.
pub(super) fn simulate_transaction(node: &Node, by: u8, params: &mut Params) -> RpcResult {
    let text: String = params.required(0)?;
    let config: RpcSimulateTransactionConfig = params.config(1)?;
    let mut transaction: VersionedTransaction = decode(&text, binary_encoding(config.encoding)?)?;
    let ledger = node.ledger_for(by);
    let min_context_slot = config.min_context_slot;
    view(ledger, RpcContextConfig { commitment: config.commitment, min_context_slot })?;

    let newest = ledger.slots.open();
    let replacement_blockhash = config.replace_recent_blockhash.then(|| RpcBlockhash {
        blockhash: newest.hash.to_string(),
        last_valid_block_height: ledger.slots.height(newest.slot) + MAX_BLOCKHASH_AGE,
    });
    if config.replace_recent_blockhash {
        if config.sig_verify {
            let message = "sigVerify may not be used with replaceRecentBlockhash";
            return Err(RpcError::invalid_params(message));
        }
        transaction.message.set_recent_blockhash(newest.hash);
    }
    let transaction = ledger
        .machine
        .sanitize(transaction)
        .map_err(|error| RpcError::invalid_params(format!("invalid transaction: {error}")))?;
    let wrong = if config.sig_verify { transaction.verify().err() } else { None };
    let simulation = match wrong {
        Some(error) => Simulation { error: Some(error), ..Simulation::default() },
        None => ledger.simulate(&transaction),
    };

    let accounts = config.accounts.as_ref().map(|wanted| accounts(ledger, &transaction, &simulation, wanted));
    let keys = transaction.message().account_keys();
    let mut result = result(&simulation);
    result.accounts = accounts.transpose()?;
    result.inner_instructions = config.inner_instructions.then(|| inner(&simulation, &keys));
    result.replacement_blockhash = replacement_blockhash;
    result.loaded_addresses = Some(UiLoadedAddresses::from(&transaction.get_loaded_addresses()));
    if simulation.error.is_none() {
        let effects = &simulation.effects;
        result.pre_balances = Some(effects.balances_before.clone());
        result.post_balances = Some(effects.balances_after.clone());
        result.pre_token_balances =
            Some(effects.tokens_before.iter().map(|token| token.to_rpc().into()).collect());
        result.post_token_balances =
            Some(effects.tokens_after.iter().map(|token| token.to_rpc().into()).collect());
    }
    with_context(newest.slot, result)
}

/// The part of the result that a failed preflight returns too.
pub(super) fn result(simulation: &Simulation) -> RpcSimulateTransactionResult {
    let effects = &simulation.effects;
    let returned = effects.returned.clone();
    RpcSimulateTransactionResult {
        err: simulation.error.clone().map(Into::into),
        logs: Some(effects.logs.clone()),
        accounts: None,
        units_consumed: Some(effects.units),
        loaded_accounts_data_size: Some(simulation.loaded_bytes),
        return_data: returned.map(|(program_id, data)| TransactionReturnData { program_id, data }.into()),
        inner_instructions: None,
        replacement_blockhash: None,
        fee: (effects.fee > 0).then_some(effects.fee),
        pre_balances: None,
        post_balances: None,
        pre_token_balances: None,
        post_token_balances: None,
        loaded_addresses: None,
    }
}

fn inner(
    simulation: &Simulation,
    keys: &AccountKeys<'_>,
) -> Vec<solana_transaction_status::UiInnerInstructions> {
    let calls = simulation.effects.inner_instructions();
    calls.into_iter().map(|calls| parse_ui_inner_instructions(calls, keys)).collect()
}

fn accounts(
    ledger: &Ledger,
    transaction: &SanitizedTransaction,
    simulation: &Simulation,
    wanted: &RpcSimulateTransactionAccountsConfig,
) -> Result<Vec<Option<UiAccount>>, RpcError> {
    let encoding = wanted.encoding.unwrap_or(UiAccountEncoding::Base64);
    if matches!(encoding, UiAccountEncoding::Binary | UiAccountEncoding::Base58) {
        return Err(RpcError::invalid_params("base58 encoding not supported"));
    }
    let most = transaction.message().account_keys().len();
    if wanted.addresses.len() > most {
        return Err(RpcError::invalid_params(format!("Too many accounts provided; max {most}")));
    }
    if simulation.error.is_some() {
        return Ok(vec![None; wanted.addresses.len()]);
    }
    let find = |key: &_| simulation.accounts.get(key).or_else(|| ledger.machine.account(key));
    let time = ledger.slots.open().time;
    let shown = |text: &String| {
        let address = parse(text)?;
        find(&address).map(|account| encode(&address, account, encoding, None, time, find)).transpose()
    };
    wanted.addresses.iter().map(shown).collect()
}
