use solana_account::ReadableAccount;
use solana_account_decoder::parse_token::token_amount_to_ui_amount_v3;
use solana_address::Address;
use solana_rpc_client_types::config::{RpcAccountInfoConfig, RpcContextConfig, RpcTokenAccountsFilter};

use super::accounts::context;
use super::encode::mint_details;
use super::params::{Params, parse};
use super::program_accounts::list;
use super::{RpcResult, view, with_context};
use crate::jsonrpc::RpcError;
use crate::solana::ledger::{Ledger, View, mint, token_account};
use crate::solana::programs::is_token_program;

pub(super) fn account_balance(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let address: Address = params.name(0)?;
    let config: RpcContextConfig = params.config(1)?;
    let view = view(ledger, config)?;
    let account = view.account(&address).ok_or_else(|| refused("could not find account"))?;
    let token = token_account(account).ok_or_else(|| refused("not a Token account"))?;
    let mint = view.account(&token.mint).ok_or_else(|| refused("could not find mint"))?;
    let details = mint_details(mint, view.block.time).ok_or_else(|| refused("mint could not be unpacked"))?;
    with_context(view.block.slot, token_amount_to_ui_amount_v3(token.amount, &details))
}

pub(super) fn supply(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let address: Address = params.name(0)?;
    let config: RpcContextConfig = params.config(1)?;
    let view = view(ledger, config)?;
    let account = view.account(&address).ok_or_else(|| refused("could not find account"))?;
    if !is_token_program(account.owner()) {
        return Err(refused("not a Token mint"));
    }
    let state = mint(account).ok_or_else(|| refused("mint could not be unpacked"))?;
    let details = mint_details(account, view.block.time);
    let details = details.ok_or_else(|| refused("mint could not be unpacked"))?;
    with_context(view.block.slot, token_amount_to_ui_amount_v3(state.supply, &details))
}

pub(super) fn accounts_by_owner(ledger: &Ledger, params: &mut Params) -> RpcResult {
    let owner: Address = params.name(0)?;
    let filter: RpcTokenAccountsFilter = params.required(1)?;
    let config: RpcAccountInfoConfig = params.config(2)?;
    let view = view(ledger, context(&config))?;
    let (program, mint) = program_and_mint(&view, filter)?;
    let found = view
        .owned_by(&program)
        .into_iter()
        .filter(|(_, account)| {
            token_account(account)
                .is_some_and(|token| token.owner == owner && mint.is_none_or(|mint| mint == token.mint))
        })
        .collect();
    with_context(view.block.slot, list(&view, found, &config)?)
}

fn program_and_mint(
    view: &View<'_>,
    filter: RpcTokenAccountsFilter,
) -> Result<(Address, Option<Address>), RpcError> {
    match filter {
        RpcTokenAccountsFilter::Mint(text) => {
            let mint = parse(&text)?;
            let account = view.account(&mint).ok_or_else(|| refused("could not find mint"))?;
            if !is_token_program(account.owner()) {
                return Err(refused("not a Token mint"));
            }
            Ok((*account.owner(), Some(mint)))
        }
        RpcTokenAccountsFilter::ProgramId(text) => {
            let program = parse(&text)?;
            if !is_token_program(&program) {
                return Err(refused("unrecognized Token program id"));
            }
            Ok((program, None))
        }
    }
}

fn refused(reason: &str) -> RpcError {
    RpcError::invalid_params(format!("Invalid param: {reason}"))
}
