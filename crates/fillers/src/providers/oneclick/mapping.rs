use std::sync::Arc;

use alloy_primitives::U256;
use causeway_domain::ports::{
    FillerAsk, Offer, ProviderAddress, ProviderAsk, ProviderReport, ProviderReturn, ProviderState,
};
use causeway_domain::{
    Address, CustodyNotice, DepositMethod, Fee, FeeKind, Order, ProviderOffer, ProviderTerms, RawAmount,
};
use jiff::{SignedDuration, Timestamp};

use super::TOOL;
use super::assets::Asset;
use super::wire::{Quoted, Request, Status};
use crate::providers::answers::{Unusable, amount, seconds};

/// The two tokens of an ask as 1Click knows them.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) from: &'a Asset,
    pub(super) to: &'a Asset,
}

/// What differs between quotes of the same answer.
pub(super) struct OfferTerms<'a> {
    pub(super) notice: &'a Arc<CustodyNotice>,
    pub(super) now: Timestamp,
    pub(super) valid_for: SignedDuration,
    pub(super) fee_bps: u16,
}

/// The offer of a quote, checked against the ask.
pub(super) fn offer(
    ask: &FillerAsk,
    pair: Pair<'_>,
    quoted: &Quoted,
    terms: &OfferTerms<'_>,
) -> Result<Offer, Unusable> {
    let decimals = [("input", pair.from, ask.from.decimals), ("output", pair.to, ask.to.decimals)];
    for (what, asset, known) in decimals {
        if asset.decimals != known {
            let words = format!("its {what} token has {} decimals instead of {known}", asset.decimals);
            return Err(Unusable::Wrong(words));
        }
    }
    let asked = ProviderAsk::to_quote(&ask.ask, TOOL);
    let min_amount_out = check(&asked, pair, quoted, true).map_err(Unusable::Wrong)?;
    let amount_out = amount("output", &quoted.quote.amount_out).map_err(Unusable::Wrong)?;
    let fee =
        asked.amount_in.get().checked_mul(U256::from(terms.fee_bps)).map(|part| part / U256::from(10_000));
    let fee = fee.filter(|fee| !fee.is_zero());
    Ok(Offer {
        exact_out: None,
        deposit_methods: vec![DepositMethod::Transfer],
        amount_in: asked.amount_in,
        amount_out,
        min_amount_out,
        expected_duration_seconds: seconds(quoted.quote.time_estimate),
        valid_before: terms.now.checked_add(terms.valid_for).unwrap_or(terms.now),
        price_holds_until: None,
        estimated_gas: None,
        fees: fee
            .map(|fee| Fee { kind: FeeKind::Protocol, token: asked.from, amount: RawAmount::new(fee) })
            .into_iter()
            .collect(),
        parties: None,
        filler_quote: None,
        gas_charge: None,
        provider: Some(ProviderOffer {
            terms: ProviderTerms { tool: TOOL.to_owned(), slippage: asked.slippage },
            notice: Arc::clone(terms.notice),
            joined: None,
        }),
    })
}

/// The address that a quote names for the payment, if the quote is the one that was asked for.
pub(super) fn address(
    ask: &ProviderAsk,
    pair: Pair<'_>,
    quoted: &Quoted,
) -> Result<ProviderAddress, Unusable> {
    let wrong = |words: String| Unusable::Wrong(words);
    let min_amount_out = check(ask, pair, quoted, false).map_err(wrong)?;
    let quote = &quoted.quote;
    if quote.deposit_memo.as_deref().is_some_and(|memo| !memo.is_empty()) {
        return Err(Unusable::Declined(
            "its address needs a memo, which a plain transfer does not have".to_owned(),
        ));
    }
    let text =
        quote.deposit_address.as_deref().ok_or_else(|| wrong("it names no deposit address".to_owned()))?;
    let address = Address::parse(ask.from.chain().family(), text)
        .map_err(|error| wrong(format!("its deposit address is none of the source chain: {error}")))?;
    let times = [&quote.deadline, &quote.time_when_inactive].into_iter().flatten();
    let times =
        times.map(|text| text.parse::<Timestamp>().map_err(|_| wrong("its deadline is no time".to_owned())));
    let times = times.collect::<Result<Vec<_>, _>>()?;
    let until =
        times.into_iter().min().ok_or_else(|| wrong("its deposit address has no deadline".to_owned()))?;
    let pays_until =
        u64::try_from(until.as_second()).map_err(|_| wrong("its deadline is no time".to_owned()))?;
    Ok(ProviderAddress { address, pays_until, min_amount_out })
}

/// Compares everything in a quote with what was asked, and returns its least output.
fn check(ask: &ProviderAsk, pair: Pair<'_>, quoted: &Quoted, dry: bool) -> Result<RawAmount, String> {
    let Quoted { quote_request: asked, quote } = quoted;
    let is = |text: &str, address: Address| {
        Address::parse_any_case(address.family(), text).is_ok_and(|named| named == address)
    };
    let same = [
        ("kind of quote", asked.dry == dry && asked.swap_type == "EXACT_INPUT"),
        ("input token", asked.origin_asset == pair.from.id),
        ("output token", asked.destination_asset == pair.to.id),
        ("amount", asked.amount == ask.amount_in.to_string()),
        ("kind of deposit", asked.deposit_type == "ORIGIN_CHAIN"),
        ("kind of refund", asked.refund_type == "ORIGIN_CHAIN"),
        ("kind of delivery", asked.recipient_type == "DESTINATION_CHAIN"),
        ("recipient", virtual_recipients(asked) == 0),
    ];
    if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
        return Err(format!("it quoted another {what}"));
    }
    for (what, named, address) in
        [("pays", &asked.recipient, ask.recipient), ("refunds", &asked.refund_to, ask.refund_to)]
    {
        if !is(named, address) {
            let named: String = named.chars().filter(|c| !c.is_control()).take(80).collect();
            return Err(format!("it {what} {named} instead of {address}"));
        }
    }
    let taken = amount("input", &quote.amount_in)?;
    if taken != ask.amount_in {
        return Err(format!("it takes {taken} raw units instead of {}", ask.amount_in));
    }
    if amount("least input", &quote.min_amount_in)? > ask.amount_in {
        return Err("its least input is more than the input".to_owned());
    }
    let (out, least) = (amount("output", &quote.amount_out)?, amount("least output", &quote.min_amount_out)?);
    if least > out || least.is_zero() {
        return Err("its least output is not one of its output".to_owned());
    }
    Ok(least)
}

/// Recipients in chains within chains, which nobody here asks for.
fn virtual_recipients(asked: &Request) -> usize {
    let all = [&asked.virtual_chain_recipient, &asked.virtual_chain_refund_recipient];
    all.into_iter().flatten().filter(|text| !text.is_empty()).count()
}

/// 1Click's status of an order; `None` while it has seen no payment.
pub(super) fn report(
    order: &Order,
    deposit_tx: Option<&str>,
    status: &Status,
) -> Result<Option<ProviderReport>, String> {
    let address = order.provider.as_ref().map(|provider| provider.target);
    let named = status.quote_response.quote.deposit_address.as_deref();
    let named = named.and_then(|text| Address::parse_any_case(order.from.chain().family(), text).ok());
    if named.is_none() || named != address {
        return Err("its status is of another deposit address".to_owned());
    }
    let hashes =
        |sent: &[super::wire::Sent]| -> Vec<String> { sent.iter().map(|sent| sent.hash.clone()).collect() };
    let deposits = hashes(&status.swap_details.origin_chain_tx_hashes);
    let delivered = hashes(&status.swap_details.destination_chain_tx_hashes);
    let state = match status.word.as_str() {
        "PENDING_DEPOSIT" => return Ok(None),
        "KNOWN_DEPOSIT_TX" | "INCOMPLETE_DEPOSIT" | "PROCESSING" => ProviderState::Working,
        "SUCCESS" => match delivered.last() {
            Some(tx) => ProviderState::Delivered { tx: tx.clone() },
            None => ProviderState::Working,
        },
        "REFUNDED" => {
            // Which of them is the refund is not said; the deposit is not. Where no chain is read, the first is the deposit too.
            let is_deposit =
                |tx: &&String| deposit_tx.is_some_and(|deposit| tx.eq_ignore_ascii_case(deposit));
            let skipped = usize::from(order.from.chain().family().is_source_only());
            match deposits.iter().skip(skipped).rfind(|tx| !is_deposit(tx)) {
                Some(tx) => ProviderState::Returned(ProviderReturn {
                    token: order.from,
                    tx: tx.clone(),
                    at_recipient: false,
                }),
                None => ProviderState::Failed,
            }
        }
        "FAILED" => ProviderState::Failed,
        other => {
            return Err(format!("its status `{}` is unknown", other.chars().take(40).collect::<String>()));
        }
    };
    let told = status.swap_details.deposited_amount.as_deref().filter(|text| !text.is_empty());
    let told = told.map(|text| amount("deposit", text)).transpose()?;
    let received = match status.word.as_str() {
        // Transactions that were only named.
        "KNOWN_DEPOSIT_TX" => None,
        "PROCESSING" | "SUCCESS" => Some(told.unwrap_or(order.src_amount)),
        _ => told,
    };
    let reason = status.swap_details.refund_reason.as_deref().filter(|reason| !reason.is_empty());
    let word = reason.map_or_else(|| status.word.clone(), |reason| format!("{} {reason}", status.word));
    Ok(Some(ProviderReport { state, word, deposits, received }))
}
