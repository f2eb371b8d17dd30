use std::sync::Arc;

use alloy_primitives::Address as EvmAddress;
use causeway_domain::ports::{
    FillerAsk, Offer, ProviderAsk, ProviderReport, ProviderReturn, ProviderState, ProviderTransaction,
};
use causeway_domain::{
    Address, ChainId, CustodyNotice, DepositMethod, Fee, FeeKind, Order, ProviderOffer, ProviderTerms,
    RawAmount, TokenId,
};
use jiff::{SignedDuration, Timestamp};

use super::TOOL;
use super::calldata::{Deposit, read_approval};
use super::config::chain_name;
use super::order::OrderData;
use super::wire::{Currency, Quote, RelayRequest, SentTx, Step, Sum, Transaction};
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
        ("input", &quote.details.currency_in.currency, ask.from.decimals),
        ("output", &quote.details.currency_out.currency, ask.to.decimals),
    ];
    for (what, currency, known) in decimals {
        if currency.decimals != known {
            let words = format!("its {what} token has {} decimals instead of {known}", currency.decimals);
            return Err(Unusable::Wrong(words));
        }
    }
    let asked = ProviderAsk::to_quote(&ask.ask, TOOL);
    let transaction = transaction(&asked, quote)?;
    let amount_out = amount("output", &quote.details.currency_out.amount).map_err(Unusable::Wrong)?;
    let request = quote.steps.iter().find_map(|step| step.request_id.as_deref());
    Ok(Offer {
        exact_out: None,
        deposit_methods: vec![DepositMethod::ContractCall],
        amount_in: asked.amount_in,
        amount_out,
        min_amount_out: transaction.min_amount_out,
        expected_duration_seconds: seconds(quote.details.time_estimate),
        valid_before: now.checked_add(valid_for).unwrap_or(now),
        price_holds_until: None,
        estimated_gas: gas(ask.ask.from.chain(), quote.fees.gas.as_ref()),
        fees: fees(quote),
        parties: None,
        filler_quote: request.map(|id| id.chars().take(MAX_QUOTE_ID).collect()),
        gas_charge: None,
        provider: Some(ProviderOffer {
            terms: ProviderTerms { tool: TOOL.to_owned(), slippage: asked.slippage },
            notice: Arc::clone(notice),
            joined: None,
        }),
    })
}

/// The deposit of a quote, if it is the one that was asked for, and commits Relay to the route.
pub(super) fn transaction(ask: &ProviderAsk, quote: &Quote) -> Result<ProviderTransaction, Unusable> {
    let details = &quote.details;
    let given = amount("input", &details.currency_in.amount).map_err(Unusable::Wrong)?;
    let same = [
        ("input token", is_token(&details.currency_in.currency, ask.from)),
        ("output token", is_token(&details.currency_out.currency, ask.to)),
        ("input", given == ask.amount_in),
        ("payer", details.sender.map(Address::Evm) == Some(ask.payer)),
        ("recipient", details.recipient.map(Address::Evm) == Some(ask.recipient)),
    ];
    if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
        return Err(Unusable::Wrong(format!("it quoted another {what}")));
    }
    let call = deposit_step(ask, quote)?;
    let deposit = Deposit::read(&call.data).ok_or_else(|| {
        Unusable::Wrong("its transaction is no deposit for an order of the route".to_owned())
    })?;
    check_deposit(ask, &deposit).map_err(Unusable::Wrong)?;
    let least_of_order = committed(ask, quote, &deposit)?;
    let quoted = details.currency_out.minimum_amount.as_deref();
    let quoted = quoted.ok_or_else(|| Unusable::Wrong("it names no least output".to_owned()))?;
    let quoted = amount("least output", quoted).map_err(Unusable::Wrong)?;
    Ok(ProviderTransaction {
        target: Address::Evm(call.to),
        spender: (!ask.from.is_native()).then_some(Address::Evm(call.to)),
        value: call.value,
        data: call.data.clone(),
        min_amount_out: quoted.min(least_of_order),
        registered: None,
    })
}

/// The transaction that deposits. An allowance may be asked for before it, of the input at most and for the same contract.
fn deposit_step<'a>(ask: &ProviderAsk, quote: &'a Quote) -> Result<&'a Transaction, Unusable> {
    let mut deposits = Vec::new();
    let mut approvals = Vec::new();
    for step in quote.steps.iter().filter(|step| !step.items.is_empty()) {
        match (step.id.as_str(), step.kind.as_str()) {
            ("deposit", "transaction") => deposits.extend(transactions(step)?),
            ("approve" | "approval", "transaction") => approvals.extend(transactions(step)?),
            (id, _) => {
                let id: String = id.chars().take(40).collect();
                return Err(Unusable::Declined(format!(
                    "its route needs the step `{id}`, which is not taken"
                )));
            }
        }
    }
    let [deposit] = deposits[..] else {
        return Err(Unusable::Wrong(format!("its quote has {} deposits instead of one", deposits.len())));
    };
    for transaction in approvals.iter().chain([&deposit]) {
        if transaction.chain_id != ask.from.chain().get() {
            return Err(Unusable::Wrong("its transaction is for another chain".to_owned()));
        }
        if Address::Evm(transaction.from) != ask.payer {
            return Err(Unusable::Wrong("its transaction is for another payer".to_owned()));
        }
    }
    for approval in approvals {
        let Some((spender, allowed)) = read_approval(&approval.data) else {
            return Err(Unusable::Wrong("its approval is none".to_owned()));
        };
        if Address::Evm(approval.to) != ask.from.address() || !approval.value.is_zero() {
            return Err(Unusable::Wrong("its approval is of another token".to_owned()));
        }
        if spender != deposit.to {
            let words = format!("it wants an allowance for {spender}, which is not its depository");
            return Err(Unusable::Wrong(words));
        }
        if allowed > ask.amount_in.get() {
            let words = format!("it wants an allowance of {allowed} raw units instead of {}", ask.amount_in);
            return Err(Unusable::Wrong(words));
        }
    }
    Ok(deposit)
}

fn transactions(step: &Step) -> Result<Vec<&Transaction>, Unusable> {
    let data = |item: &'_ super::wire::Item| item.data.is_some();
    if !step.items.iter().all(data) {
        return Err(Unusable::Wrong(format!("its step `{}` has no transaction", step.id)));
    }
    Ok(step.items.iter().filter_map(|item| item.data.as_ref()).collect())
}

/// What is wrong with the arguments of the deposit.
fn check_deposit(ask: &ProviderAsk, deposit: &Deposit) -> Result<(), String> {
    if !deposit.depositor.is_zero() && Address::Evm(deposit.depositor) != ask.payer {
        return Err(format!("its transaction deposits for {} instead of {}", deposit.depositor, ask.payer));
    }
    match deposit.token {
        None if ask.from.is_native() => Ok(()),
        Some((token, amount)) if Address::Evm(token) == ask.from.address() => {
            let right = amount == ask.amount_in.get();
            let words = || format!("its transaction takes {amount} raw units instead of {}", ask.amount_in);
            if right { Ok(()) } else { Err(words()) }
        }
        _ => Err("its transaction deposits another token".to_owned()),
    }
}

/// The least output of the order that the deposit names, whose id is the hash of everything in it.
fn committed(ask: &ProviderAsk, quote: &Quote, deposit: &Deposit) -> Result<RawAmount, Unusable> {
    let wrong = |words: &str| Unusable::Wrong(words.to_owned());
    let order = quote.protocol.v2.as_ref();
    let order = order.ok_or_else(|| Unusable::Declined("its route settles without an order".to_owned()))?;
    let data = order.order_data.as_ref().ok_or_else(|| wrong("it does not show its order"))?;
    if order.order_id != deposit.id || data.id() != deposit.id {
        return Err(wrong("its transaction names another order than it shows"));
    }
    check_input(ask, data)?;
    let output = &data.output;
    if Some(output.chain_id.as_str()) != chain_name(ask.to.chain().get()) {
        return Err(wrong("its order delivers on another chain"));
    }
    if !output.calls.is_empty() {
        let words =
            "its order calls contracts on the destination chain, so nobody can read who receives the output";
        return Err(Unusable::Declined(words.to_owned()));
    }
    let [payment] = &output.payments[..] else {
        return Err(wrong("its order does not have one payment"));
    };
    if Address::Evm(payment.recipient) != ask.recipient {
        let words = format!("its order pays {} instead of {}", payment.recipient, ask.recipient);
        return Err(Unusable::Wrong(words));
    }
    if Address::Evm(payment.currency) != ask.to.address() {
        return Err(wrong("its order pays another token"));
    }
    Ok(RawAmount::new(payment.minimum_amount))
}

/// The order takes the input and nothing else, and every refund that it allows goes to the refund address.
fn check_input(ask: &ProviderAsk, data: &OrderData) -> Result<(), Unusable> {
    let wrong = |words: &str| Unusable::Wrong(words.to_owned());
    let source = chain_name(ask.from.chain().get());
    let [input] = &data.inputs[..] else { return Err(wrong("its order does not have one input")) };
    let payment = &input.payment;
    let is_input = |chain: &str, currency: EvmAddress| {
        Some(chain) == source && Address::Evm(currency) == ask.from.address()
    };
    if !is_input(&payment.chain_id, payment.currency) || payment.amount != ask.amount_in.get() {
        return Err(wrong("its order takes another input"));
    }
    if let Some(other) = input.refunds.iter().find(|refund| Address::Evm(refund.recipient) != ask.refund_to) {
        let words = format!("its order refunds {} instead of {}", other.recipient, ask.refund_to);
        return Err(Unusable::Wrong(words));
    }
    if !input.refunds.iter().any(|refund| is_input(&refund.chain_id, refund.currency)) {
        return Err(wrong("its order does not refund the input"));
    }
    Ok(())
}

/// Relay's status of an order whose deposit was made in that transaction; `None` while it does not know it.
pub(super) fn report(
    order: &Order,
    deposit_tx: &str,
    requests: &[RelayRequest],
) -> Result<Option<ProviderReport>, String> {
    let is_deposit =
        |sent: &SentTx| sent.tx_hash.as_deref().is_some_and(|tx| tx.eq_ignore_ascii_case(deposit_tx));
    let Some(request) = requests.iter().find(|request| request.data.in_txs.iter().any(is_deposit)) else {
        return if requests.is_empty() {
            Ok(None)
        } else {
            Err("its status is of another transaction".to_owned())
        };
    };
    let paid = |chain: Option<ChainId>| {
        let on_chain = |sent: &&SentTx| chain.is_none_or(|chain| sent.chain_id == Some(chain.get()));
        let succeeded = |sent: &&SentTx| sent.status.as_deref() != Some("failure");
        request.data.out_txs.iter().rfind(|sent| on_chain(sent) && succeeded(sent))
    };
    let state = match request.status.as_str() {
        "waiting" | "depositing" | "pending" | "submitted" | "delayed" => ProviderState::Working,
        "success" => paid(Some(order.to.chain()))
            .and_then(|sent| sent.tx_hash.clone())
            .map_or(ProviderState::Working, |tx| ProviderState::Delivered { tx }),
        "failure" => ProviderState::Failed,
        "refund" => paid(None).map_or(ProviderState::Failed, |sent| returned(order, request, sent)),
        other => {
            return Err(format!("its status `{}` is unknown", other.chars().take(40).collect::<String>()));
        }
    };
    let reason = request.data.fail_reason.as_deref().filter(|reason| !reason.is_empty() && *reason != "N/A");
    let word = reason.map_or_else(|| request.status.clone(), |reason| format!("{} {reason}", request.status));
    Ok(Some(ProviderReport { state, word, deposits: Vec::new(), received: None }))
}

/// What Relay paid to the refund address; without a token it is the input.
fn returned(order: &Order, request: &RelayRequest, sent: &SentTx) -> ProviderState {
    let Some(tx) = sent.tx_hash.clone() else { return ProviderState::Failed };
    let currency = request.data.refund_currency_data.as_ref().and_then(|data| data.currency.as_ref());
    let token = currency.and_then(token);
    ProviderState::Returned(ProviderReturn { token: token.unwrap_or(order.from), tx, at_recipient: false })
}

fn token(currency: &Currency) -> Option<TokenId> {
    TokenId::from_address(ChainId::new(currency.chain_id)?, Address::Evm(currency.address))
}

fn is_token(currency: &Currency, wanted: TokenId) -> bool {
    currency.chain_id == wanted.chain().get() && Address::Evm(currency.address) == wanted.address()
}

fn positive(amount: &Sum) -> Option<RawAmount> {
    amount.amount.parse().ok().filter(|amount: &RawAmount| !amount.is_zero())
}

/// What Relay's solver keeps, and the operator's fee. A fee in a token that no chain of ours has is left out.
fn fees(quote: &Quote) -> Vec<Fee> {
    let fees = [(FeeKind::Filler, &quote.fees.relayer), (FeeKind::Protocol, &quote.fees.app)];
    let fee = |(kind, fee): (FeeKind, &Option<Sum>)| {
        let fee = fee.as_ref()?;
        Some(Fee { kind, token: token(&fee.currency)?, amount: positive(fee)? })
    };
    fees.into_iter().filter_map(fee).take(MAX_FEES).collect()
}

/// The gas of the payer's transactions in the source chain's coin.
fn gas(chain: ChainId, gas: Option<&Sum>) -> Option<RawAmount> {
    gas.filter(|gas| gas.currency.chain_id == chain.get() && gas.currency.address.is_zero())
        .and_then(positive)
}
