use std::sync::Arc;

use alloy_primitives::Address as EvmAddress;
use causeway_domain::ports::{FillerAsk, Offer, ProviderAsk, ProviderTransaction, RegisteredContract};
use causeway_domain::{
    Address, ChainId, CustodyNotice, DepositMethod, Fee, FeeKind, ProviderOffer, ProviderTerms, RawAmount,
    TokenId,
};
use causeway_provider_calls::zerox::{Swap, settlers};
use jiff::{SignedDuration, Timestamp};

use super::TOOL;
use super::wire::{Cost, Quote};
use crate::providers::answers::{MAX_QUOTE_ID, Unusable, amount};

/// A swap is over with the payer's own transaction.
const DURATION_SECONDS: u32 = 5;

/// The offer of a quote for the ask.
pub(super) fn offer(
    ask: &FillerAsk,
    quote: &Quote,
    registry: EvmAddress,
    notice: &Arc<CustodyNotice>,
    now: Timestamp,
    valid_for: SignedDuration,
) -> Result<Offer, Unusable> {
    let asked = ProviderAsk::to_quote(&ask.ask, TOOL);
    let transaction = transaction(&asked, quote, registry)?;
    let chain = ask.ask.from.chain();
    let gas = quote.total_network_fee.as_deref().and_then(|fee| fee.parse::<RawAmount>().ok());
    Ok(Offer {
        exact_out: None,
        deposit_methods: vec![DepositMethod::ContractCall],
        amount_in: asked.amount_in,
        amount_out: amount("buyAmount", &quote.buy_amount).map_err(Unusable::Wrong)?,
        min_amount_out: transaction.min_amount_out,
        expected_duration_seconds: DURATION_SECONDS,
        valid_before: now.checked_add(valid_for).unwrap_or(now),
        price_holds_until: None,
        estimated_gas: gas.filter(|gas| !gas.is_zero()),
        fees: fees(chain, quote),
        parties: None,
        filler_quote: Some(quote.zid.chars().take(MAX_QUOTE_ID).collect()),
        gas_charge: None,
        provider: Some(ProviderOffer {
            terms: ProviderTerms { tool: TOOL.to_owned(), slippage: asked.slippage },
            notice: Arc::clone(notice),
            joined: None,
        }),
    })
}

/// The transaction of a quote, if it is the one that was asked for.
pub(super) fn transaction(
    ask: &ProviderAsk,
    quote: &Quote,
    registry: EvmAddress,
) -> Result<ProviderTransaction, Unusable> {
    let wrong = |words: String| Err(Unusable::Wrong(words));
    let sold = amount("sellAmount", &quote.sell_amount).map_err(Unusable::Wrong)?;
    let same = [
        ("input token", is_token(quote.sell_token, ask.from)),
        ("output token", is_token(quote.buy_token, ask.to)),
        ("input", sold == ask.amount_in),
    ];
    if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
        return wrong(format!("it quoted another {what}"));
    }
    let request = &quote.transaction;
    let Some(swap) = Swap::read(&request.data) else {
        return Err(Unusable::Declined("its transaction does not say who receives the output".to_owned()));
    };
    if Address::Evm(swap.token) != ask.from.address() || swap.amount != ask.amount_in.get() {
        let (amount, token) = (swap.amount, swap.token);
        return wrong(format!("its transaction takes {amount} raw units of {token} instead of the input"));
    }
    if swap.operator != swap.settler {
        let (operator, settler) = (swap.operator, swap.settler);
        return wrong(format!("its transaction lets {operator} take the input, and calls {settler}"));
    }
    if swap.least.is_zero() {
        // Such a swap leaves its bound to the exchange that it goes through.
        return Err(Unusable::Declined("its transaction has no least output".to_owned()));
    }
    if Address::Evm(swap.recipient) != ask.recipient {
        return wrong(format!("its transaction pays {} instead of {}", swap.recipient, ask.recipient));
    }
    if Address::Evm(swap.output) != ask.to.address() {
        return wrong(format!("its transaction pays in {} instead of {}", swap.output, ask.to));
    }
    let spender = match (quote.allowance_target, &quote.issues.allowance) {
        (Some(target), Some(issue)) if issue.spender != target => {
            return wrong(format!(
                "it names two contracts for the allowance, {target} and {}",
                issue.spender
            ));
        }
        (Some(target), _) => target,
        (None, Some(issue)) => issue.spender,
        // It names none where the payer has allowed enough before: then it is the contract that is called.
        (None, None) => request.to,
    };
    let said = amount("minBuyAmount", &quote.min_buy_amount).map_err(Unusable::Wrong)?;
    Ok(ProviderTransaction {
        target: Address::Evm(request.to),
        spender: Some(Address::Evm(spender)),
        value: request.value,
        data: request.data.clone(),
        min_amount_out: said.min(RawAmount::new(swap.least)),
        registered: Some(RegisteredContract {
            contract: Address::Evm(swap.settler),
            registry: Address::Evm(registry),
            calls: settlers().into(),
        }),
    })
}

fn is_token(token: EvmAddress, wanted: TokenId) -> bool {
    Address::Evm(token) == wanted.address()
}

/// What is taken from the swap: 0x's own fee, the operator's, and gas that somebody else pays.
fn fees(chain: ChainId, quote: &Quote) -> Vec<Fee> {
    let costs = [
        (FeeKind::Protocol, quote.fees.integrator.as_ref()),
        (FeeKind::Protocol, quote.fees.own.as_ref()),
        (FeeKind::Gas, quote.fees.gas.as_ref()),
    ];
    let fee = |(kind, cost): (FeeKind, Option<&Cost>)| {
        let cost = cost?;
        let token = TokenId::from_address(chain, Address::Evm(cost.token))?;
        let amount: RawAmount = cost.amount.parse().ok()?;
        (!amount.is_zero()).then_some(Fee { kind, token, amount })
    };
    costs.into_iter().filter_map(fee).collect()
}
