use alloy_primitives::{Address, B256, U256, hex};
use causeway_wire::{Approval, QuoteAsk, WalletApproval};

use super::super::DepositMethod;
use super::super::plan::{SendTransaction, WalletAction};
use super::super::request::{chain_id_param, read_transaction};
use super::mismatch;
use super::permit::permit2;
use super::terms::{Call, ParsedTerms, selector};
use crate::EvmTransaction;

/// Some tokens need the allowance reset to zero first.
pub(super) const MAX_APPROVALS: usize = 2;

/// Checks every wallet request against the terms, and returns the actions.
pub(super) fn plan_requests(
    ask: &QuoteAsk,
    terms: &ParsedTerms,
    method: DepositMethod,
    approvals: &[Approval],
) -> Result<Vec<WalletAction>, String> {
    let (mut actions, mut deposits, mut others, mut on_solana) = (Vec::new(), 0, 0, false);
    for approval in approvals {
        let (action, deposit) = match approval {
            Approval::Solana(approval) => {
                on_solana = true;
                let transaction = super::solana::check_transaction(ask, terms, &approval.transaction)?;
                (Some(WalletAction::SignSolana(transaction)), approval.deposit == Some(true))
            }
            Approval::Eip1193(approval) => (
                plan_send(ask, terms, method, approval)?.map(WalletAction::Send),
                approval.deposit == Some(true),
            ),
        };
        deposits += usize::from(deposit);
        others += usize::from(!deposit && action.is_some());
        actions.extend(action);
    }
    let wanted = usize::from(method == DepositMethod::ContractCall);
    if deposits != wanted {
        return Err(format!("The response has {deposits} deposits, expected {wanted}."));
    }
    let needs_none = on_solana || terms.word("inputToken").is_zero();
    if needs_none && others > 0 {
        return Err(format!("The response has {others} approvals, expected 0."));
    }
    if others > MAX_APPROVALS {
        return Err(format!("The response has {others} approvals, expected at most {MAX_APPROVALS}."));
    }
    Ok(actions)
}

/// The transaction of one request; `None` if nothing has to be signed.
fn plan_send(
    ask: &QuoteAsk,
    terms: &ParsedTerms,
    method: DepositMethod,
    approval: &WalletApproval,
) -> Result<Option<SendTransaction>, String> {
    let (rpc_method, params) = (approval.request.method.as_str(), &approval.request.params);
    let chain = chain_id_param(params);
    if !matches!(rpc_method, "wallet_switchEthereumChain" | "eth_sendTransaction") {
        return Err(format!(
            "The deposit requests {rpc_method} from the wallet, which a swap does not need."
        ));
    }
    if chain != Some(ask.from_chain_id) {
        let chain = chain.map_or_else(|| "missing".to_owned(), |chain| chain.to_string());
        return Err(mismatch("transaction's chain", chain, ask.from_chain_id));
    }
    // Each transaction names its chain itself.
    if rpc_method == "wallet_switchEthereumChain" {
        return Ok(None);
    }
    let (from, transaction) = read_transaction(params)?;
    let deposit = approval.deposit == Some(true);
    if deposit { check_open(terms, &transaction) } else { check_approval(terms, method, &transaction) }?;
    check_address("transaction's payer", from, terms.address("user"))?;
    let wait = approval.wait_for_receipt == Some(true);
    Ok(Some(SendTransaction { transaction, deposit, wait }))
}

/// Checks that the escrow gets exactly these terms and exactly the native amount.
fn check_open(terms: &ParsedTerms, transaction: &EvmTransaction) -> Result<(), String> {
    check_address("deposit's contract", transaction.to, terms.address("escrow"))?;
    check_call("deposit", &transaction.data, &terms.open_call())?;
    let native = terms.word("inputToken").is_zero();
    check_value("deposit", transaction.value, if native { terms.number("amountIn") } else { U256::ZERO })
}

/// Checks that the approval covers exactly the input token and amount, for the escrow or Permit2.
fn check_approval(
    terms: &ParsedTerms,
    method: DepositMethod,
    transaction: &EvmTransaction,
) -> Result<(), String> {
    check_address("approval's token", transaction.to, terms.address("inputToken"))?;
    let spender = match method {
        DepositMethod::ContractCall => terms.word("escrow"),
        DepositMethod::Permit2 => permit2(transaction.chain_id).into_word(),
        DepositMethod::Authorization | DepositMethod::Permit => {
            return Err("A signature of the token needs no approval, and the response has one.".to_owned());
        }
    };
    let approve = |amount| Call {
        selector: selector("approve(address,uint256)"),
        words: vec![("spender", spender), ("amount", amount)],
    };
    if *transaction.data != *approve(B256::ZERO).bytes() {
        check_call("approval", &transaction.data, &approve(terms.word("amountIn")))?;
    }
    check_value("approval", transaction.value, U256::ZERO)
}

pub(super) fn check_address(what: &str, is: Address, asked: Address) -> Result<(), String> {
    if is == asked { Ok(()) } else { Err(mismatch(what, format!("{is:#x}"), format!("{asked:#x}"))) }
}

pub(super) fn check_value(whose: &str, is: U256, asked: U256) -> Result<(), String> {
    if is == asked { Ok(()) } else { Err(mismatch(&format!("{whose}'s value"), is, asked)) }
}

/// Compares two calls word by word, so that the error names the difference.
pub(super) fn check_call(whose: &str, is: &[u8], asked: &Call) -> Result<(), String> {
    let (selector, rest) = is.split_at_checked(4).unwrap_or((is, &[]));
    let differs = |name: &str, is: Option<&[u8]>, asked: Option<&[u8]>| {
        let is = is.map_or_else(|| "missing".to_owned(), hex::encode_prefixed);
        let asked = asked.map_or_else(|| "nothing more".to_owned(), hex::encode_prefixed);
        Err(mismatch(&format!("{whose}'s {name}"), is, asked))
    };
    if selector != asked.selector {
        return differs("call", Some(selector), Some(&asked.selector));
    }
    let mut given = rest.chunks(32);
    for (name, word) in &asked.words {
        let is = given.next();
        if is != Some(word.as_slice()) {
            return differs(name, is, Some(word.as_slice()));
        }
    }
    match given.next() {
        Some(more) => differs("call", Some(more), None),
        None => Ok(()),
    }
}
