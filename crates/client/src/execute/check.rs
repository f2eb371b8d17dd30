use alloy_primitives::{Address, B256, U256};
use causeway_wire::{Approval, BuildAnswer, FrozenOrder, QuoteAsk, RouteQuote, Terms};
use serde_json::Value;

use super::DepositWay;
use super::deposit::{approvals, read_request};

mod solana;

/// Holds a deposit against what was asked for, before anything of it is signed.
///
/// It finds what the service misunderstood. What a contract then does with the money is the contract's to say.
pub(super) fn check_deposit(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    way: DepositWay,
    built: &BuildAnswer,
) -> Result<(), String> {
    let frozen = match (way, built) {
        (DepositWay::ContractCall, BuildAnswer::ContractCall(call)) => &call.frozen,
        (DepositWay::Permit2, BuildAnswer::Permit2(permit)) => {
            check_permit(&permit.permit, &permit.frozen)?;
            &permit.frozen
        }
        _ => return Err(format!("The service built another deposit than {}.", way.as_str())),
    };
    check_terms(ask, quote, &frozen.terms)?;
    if word(&frozen.recovery.escrow).is_none_or(|escrow| frozen.terms.escrow.parse() != Ok(escrow)) {
        return Err("The deposit goes into another escrow than the one that pays it back.".to_owned());
    }
    check_transactions(ask, &frozen.terms, way, approvals(built))
}

/// A word of the terms for an address as people write it.
pub(super) fn word(text: &str) -> Option<B256> {
    if let Ok(address) = text.parse::<Address>() {
        let native = address == Address::repeat_byte(0xee);
        return Some(if native { B256::ZERO } else { address.into_word() });
    }
    let bytes = bs58::decode(text).into_vec().ok()?;
    B256::try_from(&bytes[..]).ok()
}

fn check_terms(ask: &QuoteAsk, quote: &RouteQuote, terms: &Terms) -> Result<(), String> {
    let unlike = |what: &str, is: &str, asked: &str| {
        Err(format!("The deposit is not the one asked for: its {what} is {is}, not {asked}."))
    };
    let numbers = [
        ("source chain", &terms.origin_chain_id, &ask.from_chain_id.to_string()),
        ("destination chain", &terms.destination_chain_id, &ask.to_chain_id.to_string()),
        ("input", &terms.amount_in, &quote.amount_in),
    ];
    for (what, is, asked) in numbers {
        if is != asked {
            return unlike(what, is, asked);
        }
    }
    let recipient = ask.recipient.as_ref().unwrap_or(&ask.from_address);
    let refund_to = ask.refund_to.as_ref().unwrap_or(&ask.from_address);
    let words = [
        ("payer", &terms.user, &ask.from_address),
        ("input token", &terms.input_token, &ask.from_token),
        ("output token", &terms.output_token, &ask.to_token),
        ("recipient", &terms.recipient, recipient),
        ("refund address", &terms.refund_to, refund_to),
    ];
    for (what, is, asked) in words {
        if word(asked).is_none_or(|asked| is.parse() != Ok(asked)) {
            return unlike(what, is, asked);
        }
    }
    let (Ok(out), Ok(least)) = (terms.amount_out.parse::<U256>(), quote.min_amount_out.parse::<U256>())
    else {
        return unlike("output", &terms.amount_out, &quote.min_amount_out);
    };
    if out < least {
        return unlike("output", &terms.amount_out, &quote.min_amount_out);
    }
    Ok(())
}

fn check_transactions(
    ask: &QuoteAsk,
    terms: &Terms,
    way: DepositWay,
    approvals: &[Approval],
) -> Result<(), String> {
    let (mut coin, mut deposits) = (U256::ZERO, 0);
    for approval in approvals {
        let approval = match approval {
            Approval::Eip1193(approval) => approval,
            Approval::Solana(approval) => {
                solana::check_transaction(ask, terms, &approval.transaction)?;
                deposits += usize::from(approval.deposit == Some(true));
                continue;
            }
        };
        deposits += usize::from(approval.deposit == Some(true));
        let Some((from, transaction)) = read_request(&approval.request)? else { continue };
        if ask.from_address.parse() != Ok(from) || transaction.chain_id != ask.from_chain_id {
            return Err("A transaction of the deposit is for another wallet or another chain.".to_owned());
        }
        coin = coin.saturating_add(transaction.value);
    }
    let native = word(&ask.from_token) == Some(B256::ZERO);
    let most = if native { terms.amount_in.parse().unwrap_or_default() } else { U256::ZERO };
    if coin > most {
        return Err(format!(
            "The deposit spends {coin} raw units of the chain's coin, more than the {most} asked for."
        ));
    }
    let wanted = usize::from(way == DepositWay::ContractCall);
    if deposits != wanted {
        return Err(format!("The answer has {deposits} deposits where it must have {wanted}."));
    }
    Ok(())
}

/// The permit must move what the terms say, on their chain, and nothing else.
fn check_permit(permit: &Value, frozen: &FrozenOrder) -> Result<(), String> {
    let text = |pointer: &str| match permit.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let token = word(&text("/message/permitted/token"));
    let spender = text("/message/spender").parse::<Address>().ok();
    let alike = text("/domain/chainId") == frozen.terms.origin_chain_id
        && text("/message/permitted/amount") == frozen.terms.amount_in
        && token.is_some()
        && token == frozen.terms.input_token.parse().ok()
        && spender.is_some()
        && spender == frozen.recovery.escrow.parse().ok();
    if alike { Ok(()) } else { Err("The permit does not move what the terms of the deposit say.".to_owned()) }
}

#[cfg(test)]
mod tests;
