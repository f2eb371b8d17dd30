use causeway_domain::ports::{Arrival, StoreError};
use causeway_domain::{
    Address, Ask, DepositMethod, ForwardingPlan, Order, OrderEvent, Quote, RawAmount, Route, TokenId,
    TradeType,
};
use jiff::Timestamp;

use super::{ForwardFunds, ForwardingError, can_forward};
use crate::request_quote::{QuoteError, QuoteRequest};

/// The swap that the balance of a forwarding address is wanted for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SwapAsk<'a> {
    /// The id of the purchase or order that it belongs to, for the log.
    pub(crate) owner: &'a str,
    pub(crate) plan: &'a ForwardingPlan,
    pub(crate) from: TokenId,
    pub(crate) to: TokenId,
    pub(crate) recipient: Address,
    pub(crate) refund_to: Address,
    pub(crate) amount: RawAmount,
    /// What its first event says.
    pub(crate) detail: &'a str,
}

impl ForwardFunds {
    /// Quotes the balance of the forwarding address again and builds the swap if a route holds the rate; `None` if none does.
    /// The caller stores it, with the version that the decision was made on: of several processes one creates the swap.
    pub(crate) async fn build_swap(
        &self,
        wanted: SwapAsk<'_>,
    ) -> Result<Option<(Order, OrderEvent)>, ForwardingError> {
        let SwapAsk { owner, plan, amount, .. } = wanted;
        let ask = Ask {
            trade_type: TradeType::ExactInput,
            from: wanted.from,
            to: wanted.to,
            amount,
            from_address: plan.address,
            recipient: wanted.recipient,
            refund_to: wanted.refund_to,
            slippage: None,
            deposit_methods: vec![DepositMethod::Transfer],
            referral: None,
            deposit_window: None,
        };
        // The payer has paid, so the swap continues despite pauses.
        let request_quote = self.parts.request_quote.ignoring_pauses();
        let routes = request_quote.ask(QuoteRequest { ask, integrator: None })?;
        let quote = match routes.gather().await {
            Err(QuoteError::CannotFill { missing: reasons, .. }) => {
                tracing::debug!(order = owner, ?reasons, "no filler swaps what arrived, waiting");
                return Ok(None);
            }
            quote => quote?,
        };
        let Some(route) = choose(plan, &quote, amount) else {
            tracing::debug!(order = owner, "no route holds the promised rate, waiting");
            return Ok(None);
        };
        let built =
            self.parts.build.build_forwarding(&quote, route, &plan.order, plan.address, wanted.detail);
        Ok(Some(built.await?))
    }

    /// Has the funds of a stored swap held, and records what it takes as arrived.
    pub(crate) async fn begin_swap(
        &self,
        owner: &str,
        plan: &ForwardingPlan,
        swap: &Order,
        (seen_in, tx): (u64, Option<String>),
    ) -> Result<(), StoreError> {
        self.parts.build.hold(swap, Timestamp::now()).await;
        let amount = swap.src_amount;
        tracing::info!(order = owner, swap = %swap.id, filler = swap.filler, %amount, "swap created for what arrived");
        let arrival = Arrival {
            order: swap.id.clone(),
            address: plan.address,
            token: swap.from,
            balance: amount,
            gained: amount,
            block: seen_in,
            tx,
        };
        self.parts.facts.record_arrival(&arrival, Timestamp::now()).await?;
        self.parts.cursors.notify();
        Ok(())
    }
}

/// The chosen filler's route if it holds the rate, else the best that does.
fn choose<'a>(plan: &ForwardingPlan, quote: &'a Quote, amount: RawAmount) -> Option<&'a Route> {
    let holds = |route: &&Route| {
        can_forward(route)
            && route.amount_in == amount
            && plan.order.rate_holds(amount.get(), route.min_amount_out.get())
    };
    let mut holding = quote.routes.iter().filter(holds);
    let chosen = holding.clone().find(|route| route.filler == plan.filler);
    chosen.or_else(|| holding.next())
}
