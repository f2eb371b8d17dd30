use std::sync::Arc;

use causeway_domain::ports::{
    FillerAsk, Offer, ProviderAsk, ProviderReport, ProviderReturn, ProviderState, ProviderTransaction,
};
use causeway_domain::{
    Address, ChainId, CustodyNotice, DepositMethod, Fee, FeeKind, MAX_TOOL, Order, ProviderOffer,
    ProviderTerms, RawAmount, TokenId,
};
use jiff::{SignedDuration, Timestamp};

use super::calldata::wrong_destination;
use super::wire::{Cost, Leg, Quote, Token, TransferState};
use crate::providers::answers::{MAX_FEES, MAX_QUOTE_ID, Unusable, amount, seconds};

/// The offer of a quote, checked against the ask.
pub(super) fn offer(
    ask: &FillerAsk,
    quote: &Quote,
    notice: &Arc<CustodyNotice>,
    now: Timestamp,
    valid_for: SignedDuration,
) -> Result<Offer, Unusable> {
    let decimals = [
        ("input", &quote.action.from_token, ask.from.decimals),
        ("output", &quote.action.to_token, ask.to.decimals),
    ];
    for (what, token, known) in decimals {
        if token.decimals != known {
            let words = format!("its {what} token has {} decimals instead of {known}", token.decimals);
            return Err(Unusable::Wrong(words));
        }
    }
    let asked = ProviderAsk::to_quote(&ask.ask, &quote.tool);
    let transaction = transaction(&asked, quote).map_err(Unusable::Wrong)?;
    if quote.tool.is_empty() || quote.tool.len() > MAX_TOOL {
        return Err(Unusable::Wrong("the name of its tool is empty or too long".to_owned()));
    }
    let on_top = quote.estimate.fee_costs.iter().any(|cost| !cost.included && cost_amount(cost).is_some());
    if on_top {
        let words = format!("its route through {} takes a fee besides the input", quote.tool);
        return Err(Unusable::Declined(words));
    }
    let amount_out = amount("toAmount", &quote.estimate.to_amount).map_err(Unusable::Wrong)?;
    Ok(Offer {
        exact_out: None,
        deposit_methods: vec![DepositMethod::ContractCall],
        amount_in: asked.amount_in,
        amount_out,
        min_amount_out: transaction.min_amount_out,
        expected_duration_seconds: seconds(quote.estimate.execution_duration),
        valid_before: now.checked_add(valid_for).unwrap_or(now),
        price_holds_until: None,
        estimated_gas: gas(ask.ask.from.chain(), &quote.estimate.gas_costs),
        fees: fees(&quote.estimate.fee_costs),
        parties: None,
        filler_quote: Some(quote.id.chars().take(MAX_QUOTE_ID).collect()),
        gas_charge: None,
        provider: Some(ProviderOffer {
            terms: ProviderTerms { tool: quote.tool.clone(), slippage: asked.slippage },
            notice: Arc::clone(notice),
            joined: None,
        }),
    })
}

/// The transaction of a quote, if it is the one that was asked for.
pub(super) fn transaction(ask: &ProviderAsk, quote: &Quote) -> Result<ProviderTransaction, String> {
    let (action, estimate) = (&quote.action, &quote.estimate);
    let same = [
        ("source chain", action.from_chain_id == ask.from.chain().get()),
        ("destination chain", action.to_chain_id == ask.to.chain().get()),
        ("input token", is_token(&action.from_token, ask.from)),
        ("output token", is_token(&action.to_token, ask.to)),
        ("input", amount("fromAmount", &action.from_amount)? == ask.amount_in),
        ("estimated input", amount("fromAmount", &estimate.from_amount)? == ask.amount_in),
        ("payer", action.from_address.map(Address::Evm) == Some(ask.payer)),
        ("recipient", action.to_address.map(Address::Evm) == Some(ask.recipient)),
    ];
    if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
        return Err(format!("it quoted another {what}"));
    }
    let request = quote.transaction_request.as_ref().ok_or("its quote has no transaction")?;
    if request.chain_id.is_some_and(|chain| chain != ask.from.chain().get()) {
        return Err("its transaction is for another chain".to_owned());
    }
    if request.from.is_some_and(|from| Address::Evm(from) != ask.payer) {
        return Err("its transaction is for another payer".to_owned());
    }
    if ask.from.chain() != ask.to.chain()
        && let Some(wrong) = wrong_destination(&request.data, ask.to.chain(), ask.recipient)
    {
        return Err(wrong);
    }
    let spender = match (ask.from.is_native(), estimate.approval_address) {
        (true, _) => None,
        (false, Some(spender)) => Some(Address::Evm(spender)),
        (false, None) => return Err("its quote names no contract to allow".to_owned()),
    };
    Ok(ProviderTransaction {
        target: Address::Evm(request.to),
        spender,
        value: request.value,
        data: request.data.clone(),
        min_amount_out: amount("toAmountMin", &estimate.to_amount_min)?,
        registered: None,
    })
}

/// LI.FI's status of an order whose deposit was made in that transaction; `None` while it does not know it.
pub(super) fn report(
    order: &Order,
    deposit_tx: &str,
    status: &TransferState,
) -> Result<Option<ProviderReport>, String> {
    let sent = status.sending.as_ref().and_then(|leg| leg.tx_hash.as_deref());
    if sent.is_some_and(|sent| !sent.eq_ignore_ascii_case(deposit_tx)) {
        return Err("its status is of another transaction".to_owned());
    }
    let substatus = status.substatus.as_deref().unwrap_or_default();
    let received = status.receiving.as_ref();
    let tx = || received.and_then(|leg| leg.tx_hash.clone()).filter(|tx| !tx.is_empty());
    let state = match (status.status.as_str(), substatus) {
        ("NOT_FOUND" | "INVALID", _) => return Ok(None),
        ("PENDING", "REFUND_IN_PROGRESS") => ProviderState::Failed,
        ("PENDING", _) => ProviderState::Working,
        ("DONE" | "FAILED", "REFUNDED") => returned(order, received, tx(), false),
        ("DONE", "PARTIAL") => returned(order, received, tx(), true),
        ("DONE", _) => tx().map_or(ProviderState::Working, |tx| ProviderState::Delivered { tx }),
        ("FAILED", _) => ProviderState::Failed,
        (other, _) => {
            return Err(format!("its status `{}` is unknown", other.chars().take(40).collect::<String>()));
        }
    };
    let word =
        if substatus.is_empty() { status.status.clone() } else { format!("{} {substatus}", status.status) };
    Ok(Some(ProviderReport { state, word, deposits: Vec::new(), received: None }))
}

/// What LI.FI paid instead of the output; without a transaction to look at it only failed.
fn returned(order: &Order, leg: Option<&Leg>, tx: Option<String>, at_recipient: bool) -> ProviderState {
    let Some(tx) = tx else { return ProviderState::Failed };
    let usual = if at_recipient { order.to } else { order.from };
    let token = leg.and_then(|leg| {
        let token = leg.token.as_ref()?;
        let chain = ChainId::new(token.chain_id.or(leg.chain_id)?)?;
        TokenId::from_address(chain, Address::Evm(token.address?))
    });
    ProviderState::Returned(ProviderReturn { token: token.unwrap_or(usual), tx, at_recipient })
}

fn is_token(token: &Token, wanted: TokenId) -> bool {
    token.chain_id == wanted.chain().get() && Address::Evm(token.address) == wanted.address()
}

fn cost_amount(cost: &Cost) -> Option<RawAmount> {
    let amount: RawAmount = cost.amount.as_deref()?.parse().ok()?;
    (!amount.is_zero()).then_some(amount)
}

/// What LI.FI and its tools take from the input. A fee in a token that no chain of ours has is left out.
fn fees(costs: &[Cost]) -> Vec<Fee> {
    let fee = |cost: &Cost| {
        let chain = ChainId::new(cost.token.chain_id)?;
        let token = TokenId::from_address(chain, Address::Evm(cost.token.address))?;
        Some(Fee { kind: FeeKind::Protocol, token, amount: cost_amount(cost)? })
    };
    costs.iter().filter(|cost| cost.included).filter_map(fee).take(MAX_FEES).collect()
}

/// The gas of the payer's transactions in the source chain's coin.
fn gas(chain: ChainId, costs: &[Cost]) -> Option<RawAmount> {
    let own = |cost: &&Cost| cost.token.chain_id == chain.get() && cost.token.address.is_zero();
    let sum = |sum: RawAmount, cost: &Cost| sum.checked_add(cost_amount(cost)?);
    costs.iter().filter(own).try_fold(RawAmount::ZERO, sum).filter(|sum| !sum.is_zero())
}
