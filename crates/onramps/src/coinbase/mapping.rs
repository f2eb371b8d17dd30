//! What Coinbase's answers mean in our words. Nothing here asks anybody.

use std::collections::HashMap;

use alloy_primitives::hex;
use causeway_domain::fiat::{FiatAmount, FiatCurrency, FiatOrder, RampFee, RampFeeKind};
use causeway_domain::ports::{RampError, RampReport, RampState};
use causeway_domain::{Address, RawAmount, Token, TokenId};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use super::options::{chain, token_at};
use super::wire::{Amount, QuoteAnswer, Told};
use crate::transport::short;

/// How far Coinbase's clock may be ahead of ours.
const AHEAD: SignedDuration = SignedDuration::from_mins(5);

/// What a payment buys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Price {
    pub(super) pays: FiatAmount,
    pub(super) fees: Vec<RampFee>,
    pub(super) delivers: RawAmount,
}

/// Reads a quote; it has to be in the currency and for the token that was asked for.
pub(super) fn price(
    answer: &QuoteAnswer,
    currency: FiatCurrency,
    symbol: &str,
    decimals: u8,
) -> Result<Price, RampError> {
    let nonsense = |words: &str| RampError::Nonsense(words.to_owned());
    let in_currency = |amount: &Amount| amount.currency.as_deref().is_none_or(|told| told == currency.code());
    let all = [Some(&answer.payment_total), answer.coinbase_fee.as_ref(), answer.network_fee.as_ref()];
    if !all.into_iter().flatten().all(in_currency) {
        return Err(nonsense("it answers in another currency than was asked for"));
    }
    if answer.purchase_amount.currency.as_deref().is_some_and(|told| !told.eq_ignore_ascii_case(symbol)) {
        return Err(nonsense("it answers for another token than was asked for"));
    }
    let told = [
        (RampFeeKind::Provider, answer.coinbase_fee.as_ref()),
        (RampFeeKind::Network, answer.network_fee.as_ref()),
    ];
    let mut fees = Vec::new();
    for (kind, amount) in told {
        let amount = amount.map(|amount| amount.value.fee(currency)).transpose()?.flatten();
        fees.extend(amount.map(|amount| RampFee { kind, amount }));
    }
    Ok(Price {
        pays: answer.payment_total.value.near_fiat(currency)?,
        fees,
        delivers: answer.purchase_amount.value.raw_down(decimals)?,
    })
}

/// A status in our words. A purchase of a hosted session exists from when its payer has agreed to pay.
pub(super) fn state(status: &str) -> RampState {
    match status {
        "ONRAMP_ORDER_STATUS_PENDING_AUTH"
        | "ONRAMP_ORDER_STATUS_PENDING_VERIFICATION"
        | "ONRAMP_ORDER_STATUS_PENDING_PAYMENT" => RampState::Waiting,
        "ONRAMP_TRANSACTION_STATUS_CREATED" => RampState::Started,
        "ONRAMP_TRANSACTION_STATUS_IN_PROGRESS" | "ONRAMP_ORDER_STATUS_PROCESSING" => RampState::Paid,
        "ONRAMP_TRANSACTION_STATUS_SUCCESS" | "ONRAMP_ORDER_STATUS_COMPLETED" => RampState::Delivered,
        "ONRAMP_TRANSACTION_STATUS_FAILED" | "ONRAMP_ORDER_STATUS_FAILED" => RampState::Failed,
        other => RampState::Unknown(short(other)),
    }
}

/// Of several purchases under one name the one that has come furthest counts: a payer whose card was declined may try another.
pub(super) const fn rank(state: &RampState) -> u8 {
    match state {
        RampState::Failed | RampState::Canceled | RampState::Expired => 0,
        RampState::Waiting => 1,
        RampState::Unknown(_) => 2,
        RampState::Started => 3,
        RampState::Paid => 4,
        RampState::Delivered => 5,
    }
}

/// What a purchase tells; a part that cannot be read makes the whole of it Coinbase's fault.
pub(super) fn report(
    told: &Told,
    assets: &HashMap<TokenId, Token>,
    now: Timestamp,
) -> Result<RampReport, String> {
    from_the_past(told, now)?;
    let network = told.purchase_network.as_deref().or(told.destination_network.as_deref());
    let on = network.and_then(chain);
    let asset = on.and_then(|chain| {
        let contract = told.contract_address.as_deref().unwrap_or_default();
        let symbol = told.purchase_currency.as_deref().unwrap_or_default();
        token_at(chain, contract, symbol, assets).or_else(|| only_one(chain, symbol, assets))
    });
    let decimals = asset.and_then(|asset| assets.get(&asset)).map(|token| token.decimals);
    let amount = match (&told.purchase_amount, decimals) {
        (Some(amount), Some(decimals)) => {
            Some(amount.value.raw_down(decimals).map_err(|error| error.to_string())?)
        }
        _ => None,
    };
    let wallet = told.wallet_address.as_deref().or(told.destination_address.as_deref());
    let wallet = match (wallet.filter(|wallet| !wallet.is_empty()), on) {
        (Some(wallet), Some(chain)) => {
            Some(Address::parse(chain.family(), wallet).map_err(|error| error.to_string())?)
        }
        _ => None,
    };
    let hash = told.tx_hash.as_deref().filter(|hash| hash.len() > 2 && hash.len() <= 128);
    let state = state(&told.status);
    let reason = matches!(state, RampState::Failed).then(|| failure(told.failure_reason.as_deref()));
    Ok(RampReport {
        state,
        provider_order: told.transaction_id.clone().or_else(|| told.order_id.clone()),
        paid: paid(told)?,
        asset,
        amount: amount.filter(|amount| !amount.is_zero()),
        wallet,
        payouts: hash.map(str::to_owned).into_iter().collect(),
        // Nothing was charged unless the sending failed: another card may be tried.
        may_retry: told.failure_reason.as_deref() != Some("FAILURE_REASON_SEND_FAILED"),
        reason,
    })
}

/// Whether what is told is about the order at all; it is asked for by the order's name, and must be the order's.
pub(super) fn belongs(report: &RampReport, order: &FiatOrder) -> Result<(), RampError> {
    let what = if report.paid.is_some_and(|paid| paid.currency != order.pays.currency) {
        "another currency"
    } else if report.asset.is_some_and(|asset| asset != order.sold) {
        "another token"
    } else if report.wallet.is_some_and(|wallet| wallet != order.deliver_to()) {
        "another wallet"
    } else {
        return Ok(());
    };
    Err(RampError::Nonsense(format!("it tells of {what} under the order's name")))
}

/// By which a second delivery of the same webhook is known: what it says, since it has no number.
pub(super) fn event(told: &Told, body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    let id = told.transaction_id.as_deref().or(told.order_id.as_deref()).unwrap_or("purchase");
    format!("{}:{}", short(id), hex::encode(digest.get(..16).unwrap_or_default()))
}

fn paid(told: &Told) -> Result<Option<FiatAmount>, String> {
    let Some(total) = &told.payment_total else { return Ok(None) };
    let Some(currency) = total.currency.as_deref().or(told.payment_currency.as_deref()) else {
        return Ok(None);
    };
    let currency: FiatCurrency = currency.parse().map_err(|_| "its currency is none".to_owned())?;
    if total.value.is_zero() {
        return Ok(None);
    }
    total.value.near_fiat(currency).map(Some).map_err(|error| error.to_string())
}

fn from_the_past(told: &Told, now: Timestamp) -> Result<(), String> {
    let times = [&told.created_at, &told.completed_at, &told.updated_at];
    let latest = now.checked_add(AHEAD).unwrap_or(now);
    let read = |time: &String| time.parse::<Timestamp>().ok();
    let late = times.into_iter().flatten().filter_map(read).any(|time| time > latest);
    if late { Err("it tells what has not happened yet".to_owned()) } else { Ok(()) }
}

/// A token by its symbol, where only one on the chain has it.
fn only_one(
    chain: causeway_domain::ChainId,
    symbol: &str,
    assets: &HashMap<TokenId, Token>,
) -> Option<TokenId> {
    let mut found = assets
        .values()
        .filter(|token| token.id.chain() == chain && token.symbol.eq_ignore_ascii_case(symbol));
    let first = found.next()?.id;
    found.next().is_none().then_some(first)
}

fn failure(reason: Option<&str>) -> (String, String) {
    let (code, words) = match reason {
        Some("FAILURE_REASON_BUY_FAILED") => ("payment_failed", "The payment failed; nothing was charged."),
        Some("FAILURE_REASON_SEND_FAILED") => {
            ("delivery_failed", "Coinbase could not send the purchase and gives the payment back.")
        }
        _ => ("payment_failed", "Coinbase could not complete the purchase."),
    };
    (code.to_owned(), words.to_owned())
}
