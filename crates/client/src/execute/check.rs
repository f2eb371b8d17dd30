use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy_primitives::{Address, B256, U256};
use causeway_wire::{Approval, BuildAnswer, FrozenOrder, QuoteAsk, RouteQuote, TransferDeposit};

use super::DepositWay;
use super::plan::Plan;
use crate::Error;
use terms::{Agreed, number};

mod permit;
mod solana;
mod terms;
mod transactions;
mod transfer;

/// What an asker who says nothing is taken to tolerate, in millionths, as the service has it.
const USUAL_SLIPPAGE: u64 = 5_000;
/// No honest order keeps its money for longer: a swap takes minutes, and an escrow's grace is a week at most.
const LONGEST_DAYS: u64 = 8;

/// What differs from what was asked for, with both values.
fn other(what: &str, is: impl Display, asked: impl Display) -> String {
    format!("The deposit is not the one asked for: its {what} is {is}, not {asked}.")
}

/// Holds a route against what was asked for: the amount that was fixed, and the least output that is tolerated.
pub(super) fn check_route(ask: &QuoteAsk, quote: &RouteQuote) -> Result<(), String> {
    let other = |what: &str, is: &str, asked: &str| {
        format!("The route is not the one asked for: its {what} is {is}, not {asked}.")
    };
    let (fixed, is) = match ask.trade_type.as_str() {
        "EXACT_OUTPUT" => ("amountOut", &quote.amount_out),
        _ => ("amountIn", &quote.amount_in),
    };
    if number(is).is_none_or(|is| number(&ask.amount) != Some(is)) {
        return Err(other(fixed, is, &ask.amount));
    }
    let out = number(&quote.amount_out).ok_or_else(|| other("amountOut", &quote.amount_out, "a number"))?;
    let least = out.saturating_sub(tolerated(out, ask.slippage_tolerance));
    if number(&quote.min_amount_out).is_none_or(|promised| promised < least) {
        return Err(other("minAmountOut", &quote.min_amount_out, &format!("at least {least}")));
    }
    Ok(())
}

/// The tolerated part of the output, rounded up by less than a unit: a filler that rounds is no liar.
fn tolerated(out: U256, slippage: Option<f64>) -> U256 {
    let millionths = slippage.map_or(USUAL_SLIPPAGE, |part| {
        // Six digits after the point, without the point.
        format!("{part:.6}").replace('.', "").parse().unwrap_or_default()
    });
    let (million, share) = (U256::from(1_000_000), U256::from(millionths));
    let (millions, rest) = out.div_rem(million);
    let rest = rest.saturating_mul(share).div_ceil(million);
    millions.saturating_mul(share).saturating_add(rest)
}

/// Holds a deposit against what was asked for and says what differs, before anything of it is signed; draws up what is.
///
/// Which contract is the escrow only `escrows` can tell; where it is empty the service is believed.
pub(super) fn plan_deposit(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    way: DepositWay,
    built: &BuildAnswer,
    escrows: &BTreeMap<u64, String>,
) -> Result<Plan, String> {
    let (frozen, approvals, told): (_, &[Approval], _) = match (way, built) {
        (DepositWay::ContractCall, BuildAnswer::ContractCall(call)) => (&call.frozen, &call.approvals, None),
        (DepositWay::Permit2, BuildAnswer::Permit2(permit)) => {
            (&permit.frozen, &permit.approvals, Some(&permit.permit))
        }
        _ => return Err(format!("The service built another deposit than {}.", way.as_str())),
    };
    let agreed = Agreed::read(&frozen.terms)?;
    check_terms(ask, quote, frozen, &agreed, escrows)?;
    let permit = told.map(|_| permit::permit_of(&agreed, ask.from_chain_id));
    if let Some(permit) = &permit {
        permit::check_permit(told, permit, "permit")?;
    }
    Ok(Plan { deeds: transactions::plan_requests(ask, &agreed, way, approvals)?, permit })
}

/// Holds a plain transfer against what was asked for, before anybody sends it.
///
/// That is the route, the terms, token, amount and chain, the deposit address, which belongs to exactly these terms, and the
/// payment link with it. `escrow` is the one that is trusted on the source chain; without it the service is believed. A
/// picture of a code cannot be checked: draw `qrPayload` yourself.
pub fn check_transfer(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    deposit: &TransferDeposit,
    escrow: Option<&str>,
) -> Result<(), Error> {
    let escrows = escrow.map(|escrow| (ask.from_chain_id, escrow.to_owned())).into_iter().collect();
    let check = || {
        check_route(ask, quote)?;
        let agreed = Agreed::read(&deposit.frozen.terms)?;
        check_terms(ask, quote, &deposit.frozen, &agreed, &escrows)?;
        transfer::check_transfer(ask, quote, &agreed, deposit)
    };
    check().map_err(Error::unlike)
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

fn check_terms(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    FrozenOrder { recovery, .. }: &FrozenOrder,
    agreed: &Agreed,
    escrows: &BTreeMap<u64, String>,
) -> Result<(), String> {
    let numbers = [
        ("source chain", "originChainId", &ask.from_chain_id.to_string()),
        ("destination chain", "destinationChainId", &ask.to_chain_id.to_string()),
        ("input", "amountIn", &quote.amount_in),
    ];
    for (what, name, asked) in numbers {
        if agreed.text(name) != asked {
            return Err(other(what, agreed.text(name), asked));
        }
    }
    let named = |address: &Option<String>| address.clone().unwrap_or_else(|| ask.from_address.clone());
    let trusted = if escrows.is_empty() { Some(&recovery.escrow) } else { escrows.get(&ask.from_chain_id) };
    let trusted = trusted.cloned().unwrap_or_else(|| "one that is trusted".to_owned());
    let words = [
        ("payer", "user", &ask.from_address),
        ("input token", "inputToken", &ask.from_token),
        ("output token", "outputToken", &ask.to_token),
        ("recipient", "recipient", &named(&ask.recipient)),
        ("refund address", "refundTo", &named(&ask.refund_to)),
        ("escrow", "escrow", &recovery.escrow),
        ("escrow", "escrow", &trusted),
    ];
    for (what, name, asked) in words {
        if word(asked) != Some(agreed.word(name)) {
            return Err(other(what, agreed.text(name), asked));
        }
    }
    let out = agreed.number("amountOut");
    if number(&quote.min_amount_out).is_none_or(|least| out < least) {
        return Err(other("output", out, format!("at least {}", quote.min_amount_out)));
    }
    check_referral(ask, agreed)?;
    let longest = Duration::from_secs(LONGEST_DAYS * 86_400);
    let latest = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_add(longest);
    if agreed.number("refundAt") > U256::from(latest.as_secs()) {
        return Err(other("refund time", agreed.text("refundAt"), format!("within {LONGEST_DAYS} days")));
    }
    Ok(())
}

/// The referrer's part of the input is no more than was asked for, and nobody else's.
fn check_referral(ask: &QuoteAsk, agreed: &Agreed) -> Result<(), String> {
    let (fee, whole) = (agreed.number("referrerFee"), U256::from(10_000));
    let bps = U256::from(ask.referrer_fee_bps.unwrap_or_default());
    let (tens, rest) = agreed.number("amountIn").div_rem(whole);
    let most = tens.saturating_mul(bps).saturating_add(rest.saturating_mul(bps) / whole);
    if fee > most {
        return Err(other("referrer fee", fee, format!("at most {most}")));
    }
    let asked = ask.referrer.as_deref().unwrap_or("nobody");
    if !fee.is_zero() && word(asked) != Some(agreed.word("referrer")) {
        return Err(other("referrer", agreed.text("referrer"), asked));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
