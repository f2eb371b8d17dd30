//! Maps Coinbase's JSON to the domain. Pure functions.

use std::collections::HashMap;

use alloy_primitives::hex;
use causeway_domain::fiat::{FiatAmount, FiatCurrency, FiatOrder, RampFee, RampFeeKind};
use causeway_domain::ports::{RampError, RampReport, RampState};
use causeway_domain::{Address, RawAmount, Token, TokenId};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use super::options::{chain, token_at};
use super::wire::{Amount, QuoteAnswer, TransactionJson};
use crate::transport::sanitize;

/// How far Coinbase's clock may be ahead of ours.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(5);

/// What a payment buys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Price {
    pub(super) pays: FiatAmount,
    pub(super) fees: Vec<RampFee>,
    pub(super) delivers: RawAmount,
}

/// The price of a quote; it must be in the requested currency and token.
pub(super) fn price(
    answer: &QuoteAnswer,
    currency: FiatCurrency,
    symbol: &str,
    decimals: u8,
) -> Result<Price, RampError> {
    let invalid = |message: &str| RampError::Nonsense(message.to_owned());
    let in_currency = |amount: &Amount| amount.currency.as_deref().is_none_or(|code| code == currency.code());
    let all = [Some(&answer.payment_total), answer.coinbase_fee.as_ref(), answer.network_fee.as_ref()];
    if !all.into_iter().flatten().all(in_currency) {
        return Err(invalid("the quote is in another currency"));
    }
    if answer.purchase_amount.currency.as_deref().is_some_and(|code| !code.eq_ignore_ascii_case(symbol)) {
        return Err(invalid("the quote is for another token"));
    }
    let charged = [
        (RampFeeKind::Provider, answer.coinbase_fee.as_ref()),
        (RampFeeKind::Network, answer.network_fee.as_ref()),
    ];
    let mut fees = Vec::new();
    for (kind, amount) in charged {
        let amount = amount.map(|amount| amount.value.fee(currency)).transpose()?.flatten();
        fees.extend(amount.map(|amount| RampFee { kind, amount }));
    }
    Ok(Price {
        pays: answer.payment_total.value.near_fiat(currency)?,
        fees,
        delivers: answer.purchase_amount.value.raw_down(decimals)?,
    })
}

/// Maps a status. A purchase of a hosted session exists once its payer has agreed to pay.
pub(super) fn state(status: &str) -> RampState {
    match status {
        "ONRAMP_ORDER_STATUS_PENDING_AUTH"
        | "ONRAMP_ORDER_STATUS_PENDING_VERIFICATION"
        | "ONRAMP_ORDER_STATUS_PENDING_PAYMENT" => RampState::Waiting,
        "ONRAMP_TRANSACTION_STATUS_CREATED" => RampState::Started,
        "ONRAMP_TRANSACTION_STATUS_IN_PROGRESS" | "ONRAMP_ORDER_STATUS_PROCESSING" => RampState::Paid,
        "ONRAMP_TRANSACTION_STATUS_SUCCESS" | "ONRAMP_ORDER_STATUS_COMPLETED" => RampState::Delivered,
        "ONRAMP_TRANSACTION_STATUS_FAILED" | "ONRAMP_ORDER_STATUS_FAILED" => RampState::Failed,
        other => RampState::Unknown(sanitize(other)),
    }
}

/// The report of a purchase; an unreadable field is Coinbase's fault.
pub(super) fn report(
    transaction: &TransactionJson,
    assets: &HashMap<TokenId, Token>,
    now: Timestamp,
) -> Result<RampReport, String> {
    check_not_in_future(transaction, now)?;
    let network = transaction.purchase_network.as_deref().or(transaction.destination_network.as_deref());
    let on = network.and_then(chain);
    let asset = on.and_then(|chain| {
        let contract = transaction.contract_address.as_deref().unwrap_or_default();
        let symbol = transaction.purchase_currency.as_deref().unwrap_or_default();
        token_at(chain, contract, symbol, assets).or_else(|| unique_by_symbol(chain, symbol, assets))
    });
    let decimals = asset.and_then(|asset| assets.get(&asset)).map(|token| token.decimals);
    let amount = match (&transaction.purchase_amount, decimals) {
        (Some(amount), Some(decimals)) => {
            Some(amount.value.raw_down(decimals).map_err(|error| error.to_string())?)
        }
        _ => None,
    };
    let wallet = transaction.wallet_address.as_deref().or(transaction.destination_address.as_deref());
    let wallet = match (wallet.filter(|wallet| !wallet.is_empty()), on) {
        (Some(wallet), Some(chain)) => {
            Some(Address::parse_any_case(chain.family(), wallet).map_err(|error| error.to_string())?)
        }
        _ => None,
    };
    let hash = transaction.tx_hash.as_deref().filter(|hash| hash.len() > 2 && hash.len() <= 128);
    let state = state(&transaction.status);
    let reason = matches!(state, RampState::Failed).then(|| failure(transaction.failure_reason.as_deref()));
    Ok(RampReport {
        state,
        provider_order: transaction.transaction_id.clone().or_else(|| transaction.order_id.clone()),
        paid: paid(transaction)?,
        asset,
        amount: amount.filter(|amount| !amount.is_zero()),
        wallet,
        payouts: hash.map(str::to_owned).into_iter().collect(),
        // Nothing was charged unless sending failed: the payer may try another card.
        may_retry: transaction.failure_reason.as_deref() != Some("FAILURE_REASON_SEND_FAILED"),
        reason,
    })
}

/// Checks that a report matches the order under whose id it was found.
pub(super) fn check_belongs_to(report: &RampReport, order: &FiatOrder) -> Result<(), RampError> {
    let what = if report.paid.is_some_and(|paid| paid.currency != order.pays.currency) {
        "another currency"
    } else if report.asset.is_some_and(|asset| asset != order.sold) {
        "another token"
    } else if report.wallet.is_some_and(|wallet| wallet != order.deliver_to()) {
        "another wallet"
    } else {
        return Ok(());
    };
    Err(RampError::Nonsense(format!("it reports {what} under the order's id")))
}

/// The idempotency key of a webhook: a hash of its content, since it has no event id.
pub(super) fn event(transaction: &TransactionJson, body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    let id = transaction.transaction_id.as_deref().or(transaction.order_id.as_deref()).unwrap_or("purchase");
    format!("{}:{}", sanitize(id), hex::encode(digest.get(..16).unwrap_or_default()))
}

fn paid(transaction: &TransactionJson) -> Result<Option<FiatAmount>, String> {
    let Some(total) = &transaction.payment_total else { return Ok(None) };
    let Some(currency) = total.currency.as_deref().or(transaction.payment_currency.as_deref()) else {
        return Ok(None);
    };
    let currency: FiatCurrency = currency.parse().map_err(|_| "its currency is unknown".to_owned())?;
    if total.value.is_zero() {
        return Ok(None);
    }
    total.value.near_fiat(currency).map(Some).map_err(|error| error.to_string())
}

fn check_not_in_future(transaction: &TransactionJson, now: Timestamp) -> Result<(), String> {
    let times = [&transaction.created_at, &transaction.completed_at, &transaction.updated_at];
    let latest = now.checked_add(MAX_CLOCK_SKEW).unwrap_or(now);
    let read = |time: &String| time.parse::<Timestamp>().ok();
    let late = times.into_iter().flatten().filter_map(read).any(|time| time > latest);
    if late { Err("its time is in the future".to_owned()) } else { Ok(()) }
}

/// A token by its symbol, if that is unique on the chain.
fn unique_by_symbol(
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
    let (code, message) = match reason {
        Some("FAILURE_REASON_BUY_FAILED") => ("payment_failed", "The payment failed; nothing was charged."),
        Some("FAILURE_REASON_SEND_FAILED") => {
            ("delivery_failed", "Coinbase could not send the purchase and refunds the payment.")
        }
        _ => ("payment_failed", "Coinbase could not complete the purchase."),
    };
    (code.to_owned(), message.to_owned())
}
