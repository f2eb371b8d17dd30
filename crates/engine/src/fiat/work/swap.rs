use causeway_domain::fiat::{FiatOrder, ForwardingPlan, Strategy};
use causeway_domain::ports::{Arrival, StoreError};
use causeway_domain::{Ask, DepositMethod, Quote, RawAmount, Route, TradeType};
use thiserror::Error;

use super::WorkFiat;
use crate::build_deposit::BuildError;
use crate::fiat::swap_routes::can_forward;
use crate::request_quote::{QuoteError, QuoteRequest};

/// Why an action for a purchase failed.
#[derive(Debug, Error)]
pub(super) enum FiatActionError {
    #[error(transparent)]
    Quote(#[from] QuoteError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    ChainAction(#[from] causeway_domain::ports::ActionError),
    #[error(transparent)]
    Signing(#[from] causeway_domain::ports::SigningError),
}

impl WorkFiat {
    /// Quotes the balance of the forwarding address again and creates the swap if a route holds the rate. Returns whether it did.
    pub(super) async fn swap(
        &self,
        order: &mut FiatOrder,
        amount: RawAmount,
        seen_in: u64,
    ) -> Result<bool, FiatActionError> {
        let Strategy::Forwarding(plan) = &mut order.strategy else { return Ok(false) };
        let ask = Ask {
            trade_type: TradeType::ExactInput,
            from: order.sold,
            to: order.target,
            amount,
            from_address: plan.address,
            recipient: order.recipient,
            refund_to: order.refund_to,
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
                tracing::debug!(order = %order.id, ?reasons, "no filler swaps the payout, waiting");
                return Ok(false);
            }
            quote => quote?,
        };
        let Some(route) = choose(plan, &quote, amount) else {
            tracing::debug!(order = %order.id, "no route holds the promised rate, waiting");
            return Ok(false);
        };
        let (swap, event) =
            self.parts.build.build_forwarding(&quote, route, &plan.order, plan.address).await?;
        // With the version that the decision was made on: of several processes one creates the swap.
        if !self.parts.store.create_swap(&order.id, order.version, &swap, &event).await? {
            tracing::debug!(order = %order.id, "another process was faster, no swap created");
            return Ok(false);
        }
        order.version = order.version.saturating_add(1);
        self.parts.build.hold(&swap, jiff::Timestamp::now()).await;
        tracing::info!(order = %order.id, swap = %swap.id, filler = swap.filler, %amount, "swap created for the payout");
        let tx = order.payout.as_ref().map(|payout| payout.tx.clone());
        let arrival = Arrival {
            order: swap.id.clone(),
            address: plan.address,
            token: order.sold,
            balance: amount,
            gained: amount,
            block: seen_in,
            tx,
        };
        self.parts.facts.record_arrival(&arrival, jiff::Timestamp::now()).await?;
        self.parts.cursors.notify();
        plan.swap = Some(swap.id);
        Ok(true)
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
