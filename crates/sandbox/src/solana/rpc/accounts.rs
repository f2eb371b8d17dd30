use solana_account::ReadableAccount;
use solana_account_decoder::{UiAccount, UiAccountEncoding};
use solana_address::Address;
use solana_rpc_client_types::config::{RpcAccountInfoConfig, RpcContextConfig};
use solana_rpc_client_types::request::MAX_MULTIPLE_ACCOUNTS;

use super::encode::encode;
use super::params::{Params, at_most, parse};
use super::{RpcResult, to_json, view, with_context};
use crate::jsonrpc::RpcError;
use crate::solana::ledger::{Ledger, View};

pub(super) fn balance(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let address: Address = params.name(0)?;
    let config: RpcContextConfig = params.config(1)?;
    let view = view(ledger, config)?;
    with_context(view.block.slot, view.account(&address).map_or(0, ReadableAccount::lamports))
}

pub(super) fn account_info(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let address: Address = params.name(0)?;
    let config: RpcAccountInfoConfig = params.config(1)?;
    let view = view(ledger, context(&config))?;
    with_context(view.block.slot, show(&view, &address, &config, UiAccountEncoding::Binary)?)
}

pub(super) fn multiple(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let addresses: Vec<String> = params.required(0)?;
    let config: RpcAccountInfoConfig = params.config(1)?;
    at_most(&addresses, MAX_MULTIPLE_ACCOUNTS)?;
    let view = view(ledger, context(&config))?;
    let accounts: Result<Vec<_>, RpcError> = addresses
        .iter()
        .map(|address| show(&view, &parse(address)?, &config, UiAccountEncoding::Base64))
        .collect();
    with_context(view.block.slot, accounts?)
}

pub(super) fn rent_minimum(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let length: usize = params.required(0)?;
    to_json(&ledger.machine.rent_minimum(length))
}

pub(super) fn context(config: &RpcAccountInfoConfig) -> RpcContextConfig {
    RpcContextConfig { commitment: config.commitment, min_context_slot: config.min_context_slot }
}

fn show(
    view: &View<'_>,
    address: &Address,
    config: &RpcAccountInfoConfig,
    encoding: UiAccountEncoding,
) -> Result<Option<UiAccount>, RpcError> {
    let encoding = config.encoding.unwrap_or(encoding);
    let account = view.account(address);
    let time = view.block.time;
    account
        .map(|account| encode(address, account, encoding, config.data_slice, time, |key| view.account(key)))
        .transpose()
}
