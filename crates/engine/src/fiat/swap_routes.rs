use std::cmp::Reverse;

use alloy_primitives::U256;
use causeway_domain::fiat::{FiatAsk, JumpOption, WantedAmount};
use causeway_domain::{Ask, DepositMethod, Quote, RawAmount, Route, Token, TradeType};

use super::FiatError;
use super::offer::{NoQuote, less};
use crate::request_quote::{QuoteError, QuoteRequest, RequestQuote};

/// What takes a plain transfer and goes through our own contracts: nothing else can start from an address.
pub(super) fn can_jump(route: &Route) -> bool {
    route.parties.is_some() && route.deposit_methods.contains(&DepositMethod::Transfer)
}

/// The ways from what a provider delivers to the target, best first.
pub(super) async fn routes_for(
    request_quote: &RequestQuote,
    ask: &FiatAsk,
    sold: &Token,
    amount: RawAmount,
    bps: u16,
) -> Result<Vec<JumpOption>, NoQuote> {
    let quote = gather(request_quote, ask, sold, TradeType::ExactInput, amount).await?;
    let wanted = match ask.amount {
        WantedAmount::Receive(wanted) => Some(wanted),
        WantedAmount::Pay(_) => None,
    };
    let option = |route: &Route| {
        // The price may move until the money comes. What was asked for exactly is the least, or it is no way at all.
        let least = wanted.unwrap_or_else(|| less(route.min_amount_out, bps));
        (route.min_amount_out >= least && !least.is_zero()).then(|| JumpOption {
            quote: quote.id.clone(),
            route: route.id.clone(),
            filler: route.filler.clone(),
            expected: route.amount_out,
            least,
        })
    };
    let mut options: Vec<JumpOption> =
        quote.routes.iter().filter(|route| can_jump(route)).filter_map(option).collect();
    options.sort_by_key(|option| Reverse((option.expected, option.least)));
    Ok(options)
}

/// How much must be delivered so that the target's amount comes out of it, with what prices may move until then.
pub(super) async fn input_for(
    request_quote: &RequestQuote,
    ask: &FiatAsk,
    sold: &Token,
    wanted: RawAmount,
    bps: u16,
) -> Result<RawAmount, NoQuote> {
    let quote = gather(request_quote, ask, sold, TradeType::ExactOutput, wanted).await?;
    let inputs = quote.routes.iter().filter(|route| can_jump(route)).map(|route| route.amount_in);
    let input = inputs.min().ok_or_else(|| no_route("nobody swaps into that much of the token now", true))?;
    more(input, bps).ok_or_else(|| no_route("the amount is larger than any that can be bought", false))
}

/// So many hundredths of a percent more, rounded up.
fn more(amount: RawAmount, bps: u16) -> Option<RawAmount> {
    let whole = U256::from(10_000);
    let added = amount.mul_div_floor(U256::from(bps), whole)?;
    amount.checked_add(added)?.checked_add(RawAmount::new(U256::ONE))
}

async fn gather(
    request_quote: &RequestQuote,
    ask: &FiatAsk,
    sold: &Token,
    trade_type: TradeType,
    amount: RawAmount,
) -> Result<Quote, NoQuote> {
    let ask = Ask {
        trade_type,
        from: sold.id,
        to: ask.target,
        amount,
        // The address that the money will really come from follows from the order.
        from_address: ask.refund_to.unwrap_or(ask.recipient),
        recipient: ask.recipient,
        refund_to: ask.refund_to.unwrap_or(ask.recipient),
        slippage: None,
        deposit_methods: vec![DepositMethod::Transfer],
        referral: None,
    };
    let quote = match request_quote.ask(QuoteRequest { ask, integrator: None }) {
        Ok(routes) => routes.gather().await,
        Err(error) => Err(error),
    };
    match quote {
        Err(QuoteError::CannotFill(why)) => {
            let words: Vec<String> =
                why.iter().map(|silent| format!("{}: {}", silent.filler, silent.why)).collect();
            Err(no_route(
                &format!("nobody swaps what it would deliver into the token ({})", words.join(", ")),
                false,
            ))
        }
        quote => Ok(quote.map_err(FiatError::from)?),
    }
}

fn no_route(words: &str, passes: bool) -> NoQuote {
    NoQuote::NoRoute { words: words.to_owned(), passes }
}
