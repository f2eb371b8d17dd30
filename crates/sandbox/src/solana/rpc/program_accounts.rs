use solana_account::{AccountSharedData, ReadableAccount};
use solana_account_decoder::UiAccountEncoding;
use solana_address::Address;
use solana_rpc_client_types::config::{RpcAccountInfoConfig, RpcProgramAccountsConfig};
use solana_rpc_client_types::filter::RpcFilterType;
use solana_rpc_client_types::request::MAX_GET_PROGRAM_ACCOUNT_FILTERS;
use solana_rpc_client_types::response::RpcKeyedAccount;

use super::accounts::context;
use super::encode::encode;
use super::params::Params;
use super::{RpcResult, errors, to_json, view, with_context};
use crate::jsonrpc::RpcError;
use crate::solana::ledger::{Ledger, View, token_account};

/// The limit of accounts in one response.
const MAX_PROGRAM_ACCOUNTS: usize = 10_000;

pub(super) fn program_accounts(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let program: Address = params.name(0)?;
    let config: RpcProgramAccountsConfig = params.config(1)?;
    let filters = config.filters.unwrap_or_default();
    verify(&filters)?;
    let view = view(ledger, context(&config.account_config))?;
    let found: Vec<_> = view
        .owned_by(&program)
        .into_iter()
        .filter(|(_, account)| filters.iter().all(|filter| allows(filter, account)))
        .collect();
    if found.len() > MAX_PROGRAM_ACCOUNTS {
        let count = found.len();
        return Err(errors::scan(format!(
            "{count} accounts match, more than {MAX_PROGRAM_ACCOUNTS}: add a filter"
        )));
    }
    let accounts = list(&view, found, &config.account_config)?;
    if config.with_context == Some(true) {
        with_context(view.block.slot, accounts)
    } else {
        to_json(&accounts)
    }
}

/// Shows accounts with their addresses.
pub(super) fn list(
    view: &View<'_>,
    accounts: Vec<(Address, &AccountSharedData)>,
    config: &RpcAccountInfoConfig,
) -> Result<Vec<RpcKeyedAccount>, RpcError> {
    let encoding = config.encoding.unwrap_or(UiAccountEncoding::Binary);
    let time = view.block.time;
    let keyed = |(key, account): (Address, &AccountSharedData)| {
        let account = encode(&key, account, encoding, config.data_slice, time, |key| view.account(key))?;
        Ok(RpcKeyedAccount { pubkey: key.to_string(), account })
    };
    accounts.into_iter().map(keyed).collect()
}

fn verify(filters: &[RpcFilterType]) -> Result<(), RpcError> {
    if filters.len() > MAX_GET_PROGRAM_ACCOUNT_FILTERS {
        let message = format!("Too many filters provided; max {MAX_GET_PROGRAM_ACCOUNT_FILTERS}");
        return Err(RpcError::invalid_params(message));
    }
    filters.iter().try_for_each(|filter| {
        filter.verify().map_err(|error| RpcError::invalid_params(format!("Invalid param: {error:?}")))
    })
}

fn allows(filter: &RpcFilterType, account: &AccountSharedData) -> bool {
    match filter {
        RpcFilterType::DataSize(size) => account.data().len() as u64 == *size,
        RpcFilterType::Memcmp(compare) => compare.bytes_match(account.data()),
        RpcFilterType::TokenAccountState => token_account(account).is_some(),
    }
}
