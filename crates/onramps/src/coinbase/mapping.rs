//! What Coinbase's answers mean in our words. Nothing here asks anybody.

use std::collections::HashMap;

use alloy_primitives::hex;
use causeway_domain::fiat::{FiatAmount, FiatCurrency, FiatOrder, RampFee, RampFeeKind};
use causeway_domain::ports::{RampError, RampReport, RampState};
use causeway_domain::{Address, RawAmount, Token, TokenId};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use super::options::{chain, token_at};
use super::wire::{Amount, QuoteAnswer, Transaction};
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
    told: &Transaction,
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
        (Some(amount), Some(decimals)) => Some(amount.value.raw_down(decimals).map_err(|error| error.to_string())?),
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
pub(super) fn event(told: &Transaction, body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    let id = told.transaction_id.as_deref().or(told.order_id.as_deref()).unwrap_or("purchase");
    format!("{}:{}", short(id), hex::encode(digest.get(..16).unwrap_or_default()))
}

fn paid(told: &Transaction) -> Result<Option<FiatAmount>, String> {
    let Some(total) = &told.payment_total else { return Ok(None) };
    let Some(currency) = total.currency.as_deref().or(told.payment_currency.as_deref()) else { return Ok(None) };
    let currency: FiatCurrency = currency.parse().map_err(|_| "its currency is none".to_owned())?;
    if total.value.is_zero() {
        return Ok(None);
    }
    total.value.near_fiat(currency).map(Some).map_err(|error| error.to_string())
}

fn from_the_past(told: &Transaction, now: Timestamp) -> Result<(), String> {
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

#[cfg(test)]
mod tests {
    use causeway_domain::ports::RampState::{Delivered, Failed, Paid, Started, Unknown, Waiting};

    use super::super::fixture::{self, assets, usdc};
    use super::super::wire::Transactions;
    use super::*;

    fn usd() -> FiatCurrency {
        "USD".parse().unwrap()
    }

    fn now() -> Timestamp {
        "2026-11-16T06:05:00Z".parse().unwrap()
    }

    #[test]
    fn every_documented_status_is_known_and_any_other_stays_open() {
        let table = [
            ("ONRAMP_TRANSACTION_STATUS_CREATED", Started),
            ("ONRAMP_TRANSACTION_STATUS_IN_PROGRESS", Paid),
            ("ONRAMP_TRANSACTION_STATUS_SUCCESS", Delivered),
            ("ONRAMP_TRANSACTION_STATUS_FAILED", Failed),
            ("ONRAMP_ORDER_STATUS_PENDING_AUTH", Waiting),
            ("ONRAMP_ORDER_STATUS_PENDING_VERIFICATION", Waiting),
            ("ONRAMP_ORDER_STATUS_PENDING_PAYMENT", Waiting),
            ("ONRAMP_ORDER_STATUS_PROCESSING", Paid),
            ("ONRAMP_ORDER_STATUS_COMPLETED", Delivered),
            ("ONRAMP_ORDER_STATUS_FAILED", Failed),
            ("ONRAMP_TRANSACTION_STATUS_UNSPECIFIED", Unknown("ONRAMP_TRANSACTION_STATUS_UNSPECIFIED".into())),
            ("ONRAMP_TRANSACTION_STATUS_TELEPORTED", Unknown("ONRAMP_TRANSACTION_STATUS_TELEPORTED".into())),
        ];
        for (status, expected) in table {
            assert_eq!(state(status), expected);
        }
    }

    #[test]
    fn a_quote_is_read_exactly() {
        let read = price(&fixture::read("quote"), usd(), "USDC", 6).unwrap();
        assert_eq!((read.pays.minor, read.delivers.to_string().as_str()), (10_000, "97460000"));
        let fees: Vec<_> = read.fees.iter().map(|fee| (fee.kind.as_str(), fee.amount.minor)).collect();
        assert_eq!(fees, [("provider", 249), ("network", 5)]);
    }

    #[test]
    fn a_quote_for_something_else_is_coinbases_fault() {
        let good = fixture::text("quote");
        let cases = [
            good.replace("\"USD\"", "\"EUR\""),
            good.replace("\"USDC\"", "\"USDT\""),
            good.replace("\"2.49\"", "\"-2.49\""),
            good.replace("\"100.00\"", "100.00412345678901"),
            good.replace("\"97.46\"", "\"-1\""),
        ];
        for case in cases {
            assert_ne!(case, good);
            let answer: QuoteAnswer = serde_json::from_str(&case).unwrap();
            assert!(matches!(price(&answer, usd(), "USDC", 6), Err(RampError::Nonsense(_))), "{case}");
        }
        let float: QuoteAnswer = serde_json::from_str(&good.replace("\"100.00\"", "99.999999999999986")).unwrap();
        assert_eq!(price(&float, usd(), "USDC", 6).unwrap().pays.minor, 10_000, "what floating point adds is no cent");
    }

    #[test]
    fn both_forms_of_a_purchase_are_read() {
        let told: Transactions = fixture::read("transactions");
        let report_of = |told: &Transaction| report(told, &assets(), now()).unwrap();
        let success = report_of(&told.transactions[0]);
        assert_eq!((&success.state, success.asset), (&Delivered, Some(usdc().id)));
        assert_eq!(success.amount.unwrap().to_string(), "97460000");
        assert_eq!(success.paid, Some(FiatAmount::new(usd(), 10_000)));
        assert!(success.payouts[0].starts_with("0x6f0c"));
        let failed = report_of(&told.transactions[1]);
        assert_eq!((&failed.state, failed.payouts.len()), (&Failed, 0));
        assert_eq!(failed.reason.unwrap().0, "payment_failed");
        let order = report_of(&fixture::read("webhook_order"));
        assert_eq!((&order.state, order.paid, order.asset), (&Paid, success.paid, success.asset));
        assert_eq!(order.wallet, success.wallet);
        assert!(rank(&success.state) > rank(&failed.state));
    }

    #[test]
    fn what_has_not_happened_yet_is_not_believed() {
        let told: Transaction = fixture::read("webhook_transaction");
        assert!(report(&told, &assets(), "2026-11-15T00:00:00Z".parse().unwrap()).is_err());
    }

    #[test]
    fn the_same_event_has_the_same_name_and_another_has_another() {
        let told: Transaction = fixture::read("webhook_transaction");
        assert_eq!(event(&told, b"a"), event(&told, b"a"));
        assert_ne!(event(&told, b"a"), event(&told, b"b"));
    }
}
