use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy_primitives::{Address, B256, U256};
use causeway_wire::{Approval, QuoteAsk};
use serde_json::Value;

use super::DepositMethod;
use super::bound::{Bound, Limit};
use super::contracts::{self, ORDER_VERSION};
use super::plan::Plan;
use crate::Error;
use crate::answers::{BuildAnswer, FrozenOrder, PermitDeposit, RouteQuote, TransferDeposit};
use terms::ParsedTerms;

pub(crate) use chain_address::{BITCOIN, TRON, on_chain};
pub(super) use provider::{check_settler, plan_provider};
pub use provider_transfer::{ProviderTrust, check_provider_transfer};
pub(super) use solana::TOKEN_PROGRAMS;
pub(super) use terms::{number, selector};

mod chain_address;
mod permit;
mod program_address;
mod provider;
mod provider_transfer;
mod solana;
mod terms;
mod token_permit;
mod transactions;
mod transfer;

/// The default slippage tolerance of the service, in millionths.
const DEFAULT_SLIPPAGE_MILLIONTHS: u64 = 5_000;
/// Latest acceptable refund time: a swap takes minutes, and the grace period of an escrow is a week at most.
const MAX_REFUND_DAYS: u64 = 8;

/// Error text for a field that differs from the request, with both values.
pub(super) fn mismatch(what: &str, is: impl Display, expected: impl Display) -> String {
    format!("The deposit does not match the request: {what} is {is}, expected {expected}.")
}

/// Checks a route against the request: the fixed amount, and the minimum output within the slippage tolerance.
pub(super) fn check_route(ask: &QuoteAsk, quote: &RouteQuote) -> Result<(), String> {
    let mismatch = |what: &str, is: &str, expected: &str| {
        format!("The route does not match the request: {what} is {is}, expected {expected}.")
    };
    let (fixed, is) = match ask.trade_type.as_str() {
        "EXACT_OUTPUT" => ("amountOut", &quote.amount_out),
        _ => ("amountIn", &quote.amount_in),
    };
    if number(is).is_none_or(|is| number(&ask.amount) != Some(is)) {
        return Err(mismatch(fixed, is, &ask.amount));
    }
    let out =
        number(&quote.amount_out).ok_or_else(|| mismatch("amountOut", &quote.amount_out, "a number"))?;
    let least = out.saturating_sub(max_slippage(out, ask.slippage_tolerance));
    let promised = quote.min_amount_out.as_deref();
    if promised.and_then(number).is_none_or(|promised| promised < least) {
        let promised = promised.unwrap_or("missing");
        return Err(mismatch("minAmountOut", promised, &format!("at least {least}")));
    }
    Ok(())
}

/// The tolerated loss of output, rounded up so that rounding by a filler is accepted.
fn max_slippage(out: U256, slippage: Option<f64>) -> U256 {
    let millionths = slippage.map_or(DEFAULT_SLIPPAGE_MILLIONTHS, |part| {
        // Six digits after the point, without the point.
        format!("{part:.6}").replace('.', "").parse().unwrap_or_default()
    });
    let (million, share) = (U256::from(1_000_000), U256::from(millionths));
    let (millions, rest) = out.div_rem(million);
    let rest = rest.saturating_mul(share).div_ceil(million);
    millions.saturating_mul(share).saturating_add(rest)
}

/// Checks a built deposit against the request before anything is signed, and returns the actions for the wallet.
///
/// `escrow` is the trusted escrow on the source chain; without one nothing is signed.
pub(super) fn plan_deposit(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    method: DepositMethod,
    built: &BuildAnswer,
    escrow: Option<&str>,
) -> Result<Plan, String> {
    let (frozen, approvals, service_permit): (_, &[Approval], _) = match (method, built) {
        (DepositMethod::ContractCall, BuildAnswer::ContractCall(call)) => {
            (&call.frozen, &call.approvals, None)
        }
        (DepositMethod::Permit2, BuildAnswer::Permit2(permit))
        | (DepositMethod::Authorization, BuildAnswer::Authorization(permit))
        | (DepositMethod::Permit, BuildAnswer::Permit(permit)) => {
            (&permit.frozen, &permit.approvals, Some(permit))
        }
        _ => return Err(format!("The service built a deposit other than {}.", method.as_str())),
    };
    let terms = read_terms(frozen)?;
    check_terms(ask, quote, frozen, &terms, escrow)?;
    let permits = match service_permit {
        Some(given) => plan_permits(ask, method, &terms, given)?,
        None => Vec::new(),
    };
    let actions = transactions::plan_requests(ask, &terms, method, approvals)?;
    Ok(Plan { actions, permits, settler: None, effects: None })
}

/// What is signed, built from the terms and equal to what the service gave.
fn plan_permits(
    ask: &QuoteAsk,
    method: DepositMethod,
    terms: &ParsedTerms,
    given: &PermitDeposit,
) -> Result<Vec<Value>, String> {
    let chain = ask.from_chain_id;
    let permit = match method {
        DepositMethod::Authorization => token_permit::build_authorization(terms, chain, &given.permit)?,
        DepositMethod::Permit => token_permit::build_token_permit(terms, chain, &given.permit)?,
        DepositMethod::ContractCall | DepositMethod::Permit2 => permit::build_permit(terms, chain),
    };
    permit::check_permit(Some(&given.permit), &permit, "permit")?;
    if method != DepositMethod::Permit {
        return Ok(vec![permit]);
    }
    let order = token_permit::build_order(terms, chain);
    permit::check_permit(given.order.as_ref(), &order, "order")?;
    Ok(vec![permit, order])
}

/// Checks a plain transfer against the request, before it is sent.
///
/// Checks the route, the terms, token, amount and chain, the deposit address, which is derived from these terms, and the
/// payment link. QR images cannot be checked: render `qrPayload` yourself.
pub fn check_transfer(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    deposit: &TransferDeposit,
    trust: &TransferTrust,
) -> Result<(), Error> {
    let limit = Limit::read(ask, &trust.bound)?;
    let limit =
        limit.ok_or_else(|| Error::InvalidBound("a transfer needs an amount or a price".to_owned()))?;
    let escrow = match trust.escrows.get(&ask.from_chain_id) {
        Some(escrow) => Some(escrow.as_str()),
        None if trust.escrows.is_empty() => contracts::known_escrow(ask.from_chain_id),
        None => None,
    };
    let check = || {
        check_route(ask, quote)?;
        if let Some(problem) = limit.violation(quote) {
            return Err(format!("The route does not match the request: {problem}."));
        }
        let terms = read_terms(&deposit.frozen)?;
        check_terms(ask, quote, &deposit.frozen, &terms, escrow)?;
        transfer::check_transfer(ask, quote, &terms, deposit)
    };
    check().map_err(Error::invalid_response)
}

/// What the caller of [`check_transfer`] brings: how bad the price may be, and where funds may go.
#[derive(Clone, Debug)]
pub struct TransferTrust {
    bound: Bound,
    escrows: BTreeMap<u64, String>,
}

impl TransferTrust {
    /// Trusts the escrows of published deployments.
    pub const fn new(bound: Bound) -> Self {
        Self { bound, escrows: BTreeMap::new() }
    }

    /// Trusts only this escrow on the chain.
    #[must_use]
    pub fn with_trusted_escrow(mut self, chain_id: u64, escrow: &str) -> Self {
        self.escrows.insert(chain_id, escrow.to_owned());
        self
    }
}

fn read_terms(frozen: &FrozenOrder) -> Result<ParsedTerms, String> {
    let terms = frozen.terms.as_ref();
    ParsedTerms::read(terms.ok_or("The response has no terms, so the deposit cannot be verified.")?)
}

/// Converts an address to the 32-byte word of the terms.
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
    terms: &ParsedTerms,
    escrow: Option<&str>,
) -> Result<(), String> {
    let numbers = [
        ("version", "version", &ORDER_VERSION.to_owned()),
        ("source chain", "originChainId", &ask.from_chain_id.to_string()),
        ("destination chain", "destinationChainId", &ask.to_chain_id.to_string()),
        ("input", "amountIn", &quote.amount_in),
    ];
    for (what, name, asked) in numbers {
        if terms.text(name) != asked {
            return Err(mismatch(what, terms.text(name), asked));
        }
    }
    let or_payer = |address: &Option<String>| address.clone().unwrap_or_else(|| ask.from_address.clone());
    let trusted = escrow.unwrap_or("a trusted escrow").to_owned();
    let named = recovery.as_ref().map_or_else(|| trusted.clone(), |recovery| recovery.escrow.clone());
    let words = [
        ("payer", "user", &ask.from_address),
        ("input token", "inputToken", &ask.from_token),
        ("output token", "outputToken", &ask.to_token),
        ("recipient", "recipient", &or_payer(&ask.recipient)),
        ("refund address", "refundTo", &or_payer(&ask.refund_to)),
        ("escrow", "escrow", &named),
        ("escrow", "escrow", &trusted),
    ];
    for (what, name, asked) in words {
        if word(asked) != Some(terms.word(name)) {
            return Err(mismatch(what, terms.text(name), asked));
        }
    }
    let out = terms.number("amountOut");
    let promised = quote.min_amount_out.as_ref().unwrap_or(&quote.amount_out);
    if number(promised).is_none_or(|least| out < least) {
        return Err(mismatch("output", out, format!("at least {promised}")));
    }
    check_referral(ask, terms)?;
    let longest = Duration::from_secs(MAX_REFUND_DAYS * 86_400);
    let latest = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_add(longest);
    if terms.number("refundAt") > U256::from(latest.as_secs()) {
        return Err(mismatch(
            "refund time",
            terms.text("refundAt"),
            format!("a time within {MAX_REFUND_DAYS} days"),
        ));
    }
    Ok(())
}

/// Checks that the referrer fee is at most the requested one and goes to the requested referrer.
fn check_referral(ask: &QuoteAsk, terms: &ParsedTerms) -> Result<(), String> {
    let (fee, whole) = (terms.number("referrerFee"), U256::from(10_000));
    let bps = U256::from(ask.referrer_fee_bps.unwrap_or_default());
    let (tens, rest) = terms.number("amountIn").div_rem(whole);
    let max_fee = tens.saturating_mul(bps).saturating_add(rest.saturating_mul(bps) / whole);
    if fee > max_fee {
        return Err(mismatch("referrer fee", fee, format!("at most {max_fee}")));
    }
    let asked = ask.referrer.as_deref().unwrap_or("none");
    if !fee.is_zero() && word(asked) != Some(terms.word("referrer")) {
        return Err(mismatch("referrer", terms.text("referrer"), asked));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
