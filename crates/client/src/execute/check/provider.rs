use alloy_primitives::{Address, B256, U256};
use causeway_wire::{Approval, QuoteAsk, WalletApproval};

use super::super::effects::{Effects, EvmPayment, Payment};
use super::super::plan::{Plan, SendTransaction, WalletAction};
use super::super::request::{chain_id_param, read_transaction};
use super::super::trusted_provider::{TrustedProvider, Unchecked};
use super::terms::{Call, selector};
use super::transactions::{MAX_APPROVALS, check_address, check_call, check_value};
use super::{mismatch, number, word};
use crate::EvmTransaction;
use crate::answers::{ProviderDeposit, RouteQuote};
use crate::token_identifier::SOLANA_CHAIN_ID;

pub(in super::super) use call::check_settler;

mod call;
mod solana;
mod swap;

/// What a payment to a provider may do, from the request alone.
struct Allowed {
    payer: Address,
    token: Address,
    amount: U256,
    /// The least output of the route.
    least: U256,
    target: Address,
    spender: Option<Address>,
}

/// Checks a payment to the contracts of a provider, which settles the swap: every contract is one that the caller trusts, nothing
/// but the input is spent or allowed, and the call itself says what was asked, as far as calls of its kind say it.
pub(in super::super) fn plan_provider(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    deposit: &ProviderDeposit,
    trusted: &[TrustedProvider],
) -> Result<Plan, String> {
    let least = check_output(quote, deposit)?;
    if ask.from_chain_id == SOLANA_CHAIN_ID {
        return solana::plan_call(ask, quote, deposit, trusted);
    }
    let pinned = |what: &str, text: &str| {
        let address =
            text.parse::<Address>().ok().filter(|address| trusted.iter().any(|one| one.is(*address)));
        address.ok_or_else(|| mismatch(what, text, "a contract that is trusted for this provider"))
    };
    let amount = number(&quote.amount_in).ok_or_else(|| mismatch("input", &quote.amount_in, "a number"))?;
    let allowed = Allowed {
        payer: evm_address("payer", &ask.from_address)?,
        token: evm_address("input token", &ask.from_token)?,
        amount,
        least,
        target: pinned("provider's contract", &deposit.target)?,
        spender: deposit.spender.as_deref().map(|text| pinned("spender", text)).transpose()?,
    };
    let (mut actions, mut deposits, mut others, mut settler) = (Vec::new(), 0, 0, None);
    for approval in &deposit.approvals {
        let Approval::Eip1193(approval) = approval else {
            return Err(
                "The response has a Solana transaction, which this provider's payment does not need."
                    .to_owned(),
            );
        };
        if let Some(send) = plan_send(ask, &allowed, approval)? {
            if send.deposit {
                settler = call::check_call(ask, &allowed, trusted, &send.transaction.data)?;
            }
            deposits += usize::from(send.deposit);
            others += usize::from(!send.deposit);
            actions.push(WalletAction::Send(send));
        }
    }
    if deposits != 1 {
        return Err(format!("The response has {deposits} deposits, expected 1."));
    }
    let most = if allowed.token.is_zero() { 0 } else { MAX_APPROVALS };
    if others > most {
        return Err(format!("The response has {others} approvals, expected at most {most}."));
    }
    let effects = effects(ask, &allowed, trusted)?;
    Ok(Plan { actions, permits: Vec::new(), settler, effects: Some(effects) })
}

/// What the transactions may do, which is compared once they are about to be signed.
fn effects(ask: &QuoteAsk, allowed: &Allowed, trusted: &[TrustedProvider]) -> Result<Effects, String> {
    let output = if ask.to_chain_id == ask.from_chain_id {
        let recipient = ask.recipient.as_deref().unwrap_or(&ask.from_address);
        let token = evm_address("output token", &ask.to_token)?;
        Some((token, evm_address("recipient", recipient)?, allowed.least))
    } else {
        None
    };
    let payment = EvmPayment {
        chain_id: ask.from_chain_id,
        payer: allowed.payer,
        token: allowed.token,
        amount: allowed.amount,
        spender: allowed.spender.unwrap_or(allowed.target),
        output,
    };
    let is_left = |one: &TrustedProvider| one.is(allowed.target) && one.leaves(Unchecked::Effects);
    Ok(Effects {
        payment: Payment::Evm(payment),
        contract: format!("{:#x}", allowed.target),
        is_trusted: trusted.iter().any(is_left),
    })
}

/// An EVM address of the request, where native coin is zero.
fn evm_address(what: &str, text: &str) -> Result<Address, String> {
    let word = word(text).filter(|word| word.starts_with(&[0; 12]));
    word.map(Address::from_word).ok_or_else(|| mismatch(what, text, "an EVM address"))
}

/// The least output of the route, which the deposit must promise as well.
fn check_output(quote: &RouteQuote, deposit: &ProviderDeposit) -> Result<U256, String> {
    let promised = quote.min_amount_out.as_ref().unwrap_or(&quote.amount_out);
    let least = number(promised).unwrap_or(U256::MAX);
    let out = deposit.min_amount_out.as_deref().and_then(number);
    if out.is_none_or(|out| out < least) {
        let out = deposit.min_amount_out.as_deref().unwrap_or("missing");
        return Err(mismatch("output", out, format!("at least {promised}")));
    }
    Ok(least)
}

fn plan_send(
    ask: &QuoteAsk,
    allowed: &Allowed,
    approval: &WalletApproval,
) -> Result<Option<SendTransaction>, String> {
    let (method, params) = (approval.request.method.as_str(), &approval.request.params);
    if !matches!(method, "wallet_switchEthereumChain" | "eth_sendTransaction") {
        return Err(format!("The deposit requests {method} from the wallet, which a swap does not need."));
    }
    let chain = chain_id_param(params);
    if chain != Some(ask.from_chain_id) {
        let chain = chain.map_or_else(|| "missing".to_owned(), |chain| chain.to_string());
        return Err(mismatch("transaction's chain", chain, ask.from_chain_id));
    }
    if method == "wallet_switchEthereumChain" {
        return Ok(None);
    }
    let (from, transaction) = read_transaction(params)?;
    check_address("transaction's payer", from, allowed.payer)?;
    let deposit = approval.deposit == Some(true);
    if deposit {
        check_address("deposit's contract", transaction.to, allowed.target)?;
        let value = if allowed.token.is_zero() { allowed.amount } else { U256::ZERO };
        check_value("deposit", transaction.value, value)?;
    } else {
        check_allowance(allowed, &transaction)?;
    }
    let wait = approval.wait_for_receipt == Some(true);
    Ok(Some(SendTransaction { transaction, deposit, wait }))
}

/// An allowance of exactly the input for the pinned spender, or of nothing.
fn check_allowance(allowed: &Allowed, transaction: &EvmTransaction) -> Result<(), String> {
    check_address("approval's token", transaction.to, allowed.token)?;
    let spender = allowed.spender.ok_or("The response has an approval without a spender.")?;
    let approve = |amount: U256| Call {
        selector: selector("approve(address,uint256)"),
        words: vec![("spender", spender.into_word()), ("amount", B256::from(amount))],
    };
    if *transaction.data != *approve(U256::ZERO).bytes() {
        check_call("approval", &transaction.data, &approve(allowed.amount))?;
    }
    check_value("approval", transaction.value, U256::ZERO)
}

#[cfg(test)]
mod tests;
