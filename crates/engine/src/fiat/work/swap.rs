use causeway_domain::fiat::{FiatOrder, JumpPlan, Strategy};
use causeway_domain::ports::{Arrival, StoreError};
use causeway_domain::{Ask, DepositMethod, Quote, RawAmount, Route, TradeType};
use thiserror::Error;

use super::WorkFiat;
use crate::build_deposit::BuildError;
use crate::fiat::swap_routes::can_jump;
use crate::request_quote::{QuoteError, QuoteRequest};

/// Why something could not be done for a purchase now.
#[derive(Debug, Error)]
pub(super) enum UndoneError {
    #[error(transparent)]
    Quote(#[from] QuoteError),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Deed(#[from] causeway_domain::ports::DeedError),
    #[error(transparent)]
    Signing(#[from] causeway_domain::ports::SigningError),
}

impl WorkFiat {
    /// Quotes what lies at the jump's address anew and draws up the swap that takes it, if one holds the rate. Tells whether
    /// there is one now.
    pub(super) async fn swap(
        &self,
        order: &mut FiatOrder,
        amount: RawAmount,
        seen_in: u64,
    ) -> Result<bool, UndoneError> {
        let Strategy::Jump(plan) = &mut order.strategy else { return Ok(false) };
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
        };
        // The payer has paid: whatever is paused by now, what came goes on.
        let request_quote = self.parts.request_quote.despite_pauses();
        let routes = request_quote.ask(QuoteRequest { ask, integrator: None })?;
        let quote = match routes.gather().await {
            Err(QuoteError::CannotFill(why)) => {
                tracing::debug!(order = %order.id, ?why, "nobody swaps what came, and it waits");
                return Ok(false);
            }
            quote => quote?,
        };
        let Some(route) = choose(plan, &quote, amount) else {
            tracing::debug!(order = %order.id, "no route holds the rate that was promised, and the money waits");
            return Ok(false);
        };
        let swap = self.parts.build.build_jump(&quote, route, &plan.jump, plan.address).await?;
        tracing::info!(order = %order.id, swap = %swap.id, filler = swap.filler, %amount, "the money that came is swapped");
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
        self.parts.marks.ring();
        plan.swap = Some(swap.id);
        Ok(true)
    }
}

/// The chosen filler's route if it holds the rate, else the best that does.
fn choose<'a>(plan: &JumpPlan, quote: &'a Quote, amount: RawAmount) -> Option<&'a Route> {
    let holds = |route: &&Route| {
        can_jump(route)
            && route.amount_in == amount
            && plan.jump.rate_holds(amount.get(), route.min_amount_out.get())
    };
    let mut holding = quote.routes.iter().filter(holds);
    let chosen = holding.clone().find(|route| route.filler == plan.filler);
    chosen.or_else(|| holding.next())
}
