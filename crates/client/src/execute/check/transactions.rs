use alloy_primitives::{Address, B256, U256, hex};
use causeway_wire::{Approval, QuoteAsk, WalletApproval};

use super::super::DepositWay;
use super::super::plan::{Deed, Sending};
use super::super::request::{chain_of, read_transaction};
use super::other;
use super::permit::permit2;
use super::terms::{Agreed, Call, selector};
use crate::EvmTransaction;

/// Some tokens want an allowance set to zero first.
const MOST_APPROVALS: usize = 2;

/// Holds every request for the wallet against the terms, and draws up what it is asked for.
pub(super) fn plan_requests(
    ask: &QuoteAsk,
    agreed: &Agreed,
    way: DepositWay,
    approvals: &[Approval],
) -> Result<Vec<Deed>, String> {
    let (mut deeds, mut deposits, mut beside, mut on_solana) = (Vec::new(), 0, 0, false);
    for approval in approvals {
        let (deed, deposit) = match approval {
            Approval::Solana(approval) => {
                on_solana = true;
                let transaction = super::solana::check_transaction(ask, agreed, &approval.transaction)?;
                (Some(Deed::SignSolana(transaction)), approval.deposit == Some(true))
            }
            Approval::Eip1193(approval) => {
                (plan_send(ask, agreed, way, approval)?.map(Deed::Send), approval.deposit == Some(true))
            }
        };
        deposits += usize::from(deposit);
        beside += usize::from(!deposit && deed.is_some());
        deeds.extend(deed);
    }
    let wanted = usize::from(way == DepositWay::ContractCall);
    if deposits != wanted {
        return Err(format!("The answer has {deposits} deposits where it must have {wanted}."));
    }
    let needs_none = on_solana || agreed.word("inputToken").is_zero();
    match beside {
        0 => Ok(deeds),
        _ if needs_none => Err(format!("The answer has {beside} approvals where it must have 0.")),
        3.. => Err(format!("The answer has {beside} approvals where it must have at most {MOST_APPROVALS}.")),
        _ => Ok(deeds),
    }
}

/// What one request asks of the wallet; `None` where nothing is to be signed.
fn plan_send(
    ask: &QuoteAsk,
    agreed: &Agreed,
    way: DepositWay,
    approval: &WalletApproval,
) -> Result<Option<Sending>, String> {
    let (method, params) = (approval.request.method.as_str(), &approval.request.params);
    let chain = chain_of(params);
    if !matches!(method, "wallet_switchEthereumChain" | "eth_sendTransaction") {
        return Err(format!("The deposit asks the wallet for {method}, which no swap needs."));
    }
    if chain != Some(ask.from_chain_id) {
        let chain = chain.map_or_else(|| "missing".to_owned(), |chain| chain.to_string());
        return Err(other("transaction's chain", chain, ask.from_chain_id));
    }
    // Each transaction names its chain itself.
    if method == "wallet_switchEthereumChain" {
        return Ok(None);
    }
    let (from, transaction) = read_transaction(params)?;
    let deposit = approval.deposit == Some(true);
    if deposit { check_open(agreed, &transaction) } else { check_approval(agreed, way, &transaction) }?;
    same_address("transaction's payer", from, agreed.address("user"))?;
    let wait = approval.wait_for_receipt == Some(true);
    Ok(Some(Sending { transaction, deposit, wait }))
}

/// The escrow takes exactly these terms, and exactly their coin.
fn check_open(agreed: &Agreed, transaction: &EvmTransaction) -> Result<(), String> {
    same_address("deposit's contract", transaction.to, agreed.address("escrow"))?;
    same_call("deposit", &transaction.data, &agreed.open_call())?;
    let native = agreed.word("inputToken").is_zero();
    same_coin("deposit", transaction.value, if native { agreed.number("amountIn") } else { U256::ZERO })
}

/// The token of the terms, and no other, lets the escrow or Permit2 have exactly the input.
fn check_approval(agreed: &Agreed, way: DepositWay, transaction: &EvmTransaction) -> Result<(), String> {
    same_address("approval's token", transaction.to, agreed.address("inputToken"))?;
    let spender = match way {
        DepositWay::ContractCall => agreed.word("escrow"),
        DepositWay::Permit2 => permit2(transaction.chain_id).into_word(),
    };
    let approve = |amount| Call {
        selector: selector("approve(address,uint256)"),
        words: vec![("spender", spender), ("amount", amount)],
    };
    if *transaction.data != *approve(B256::ZERO).bytes() {
        same_call("approval", &transaction.data, &approve(agreed.word("amountIn")))?;
    }
    same_coin("approval", transaction.value, U256::ZERO)
}

fn same_address(what: &str, is: Address, asked: Address) -> Result<(), String> {
    if is == asked { Ok(()) } else { Err(other(what, format!("{is:#x}"), format!("{asked:#x}"))) }
}

fn same_coin(whose: &str, is: U256, asked: U256) -> Result<(), String> {
    if is == asked { Ok(()) } else { Err(other(&format!("{whose}'s coin"), is, asked)) }
}

/// Compares two calls word by word, so that what differs can be named.
fn same_call(whose: &str, is: &[u8], asked: &Call) -> Result<(), String> {
    let (selector, rest) = is.split_at_checked(4).unwrap_or((is, &[]));
    let differs = |name: &str, is: Option<&[u8]>, asked: Option<&[u8]>| {
        let is = is.map_or_else(|| "missing".to_owned(), hex::encode_prefixed);
        let asked = asked.map_or_else(|| "nothing more".to_owned(), hex::encode_prefixed);
        Err(other(&format!("{whose}'s {name}"), is, asked))
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
