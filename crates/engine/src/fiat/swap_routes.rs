use std::cmp::Reverse;

use alloy_primitives::U256;
use causeway_domain::fiat::{FiatAsk, ForwardingOption, WantedAmount};
use causeway_domain::{Ask, DepositMethod, Quote, RawAmount, Route, Token, TradeType};

use super::FiatError;
use super::offer::{NoQuote, reduce_by_bps};
use crate::fillers::MissingOffer;
use crate::forwarding::can_forward;
use crate::request_quote::{QuoteError, QuoteRequest, RequestQuote};

/// The swap from the delivered token to the target, and the routes that can be taken, best first.
pub(super) async fn routes_for(
    request_quote: &RequestQuote,
    ask: &FiatAsk,
    sold: &Token,
    amount: RawAmount,
    bps: u16,
) -> Result<(Quote, Vec<ForwardingOption>), NoQuote> {
    let quote = gather(request_quote, ask, sold, TradeType::ExactInput, amount).await?;
    let wanted = match ask.amount {
        WantedAmount::Receive(wanted) => Some(wanted),
        WantedAmount::Pay(_) => None,
    };
    let option = |route: &Route| {
        // The price may move until the money arrives. An exact output is the minimum, or the route is not usable.
        let least = wanted.unwrap_or_else(|| reduce_by_bps(route.min_amount_out, bps));
        (route.min_amount_out >= least && !least.is_zero()).then(|| ForwardingOption {
            quote: quote.id.clone(),
            route: route.id.clone(),
            filler: route.filler.clone(),
            expected: route.amount_out,
            least,
        })
    };
    let mut options: Vec<ForwardingOption> =
        quote.routes.iter().filter(|route| can_forward(route)).filter_map(option).collect();
    options.sort_by_key(|option| Reverse((option.expected, option.least)));
    Ok((quote, options))
}

/// How much must be delivered for the wanted output, including slippage.
pub(super) async fn input_for(
    request_quote: &RequestQuote,
    ask: &FiatAsk,
    sold: &Token,
    wanted: RawAmount,
    bps: u16,
) -> Result<RawAmount, NoQuote> {
    let quote = gather(request_quote, ask, sold, TradeType::ExactOutput, wanted).await?;
    let inputs = quote.routes.iter().filter(|route| can_forward(route)).map(|route| route.amount_in);
    let input =
        inputs.min().ok_or_else(|| no_route("no filler swaps into that amount of the token now", true))?;
    increase_by_bps(input, bps)
        .ok_or_else(|| no_route("the amount is larger than any that can be bought", false))
}

/// Increases an amount by basis points, rounded up.
fn increase_by_bps(amount: RawAmount, bps: u16) -> Option<RawAmount> {
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
        // The actual sender address follows from the order.
        from_address: ask.refund_to.unwrap_or(ask.recipient),
        recipient: ask.recipient,
        refund_to: ask.refund_to.unwrap_or(ask.recipient),
        slippage: None,
        deposit_methods: vec![DepositMethod::Transfer],
        referral: None,
        deposit_window: None,
    };
    let quote = match request_quote.ask(QuoteRequest { ask, integrator: None }) {
        Ok(routes) => routes.gather().await,
        Err(error) => Err(error),
    };
    match quote {
        Err(QuoteError::CannotFill { missing, token }) => {
            let reason =
                |missing: &MissingOffer| format!("{}: {}", missing.filler, missing.reason.describe(&token));
            let reasons: Vec<String> = missing.iter().map(reason).collect();
            Err(no_route(
                &format!("no filler swaps its payout into the token ({})", reasons.join(", ")),
                false,
            ))
        }
        quote => Ok(quote.map_err(FiatError::from)?),
    }
}

fn no_route(message: &str, retryable: bool) -> NoQuote {
    NoQuote::NoRoute { message: message.to_owned(), retryable }
}
