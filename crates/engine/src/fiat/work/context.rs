use causeway_domain::fiat::{FiatContext, FiatOrder, FiatStatus, Payout, ProviderLookup, Strategy};
use causeway_domain::ports::{ChainError, RampReport, RampState, StoreError};
use jiff::Timestamp;

use super::WorkFiat;

impl WorkFiat {
    /// Everything that the next step of a purchase depends on. Cursors are read before the facts, so that the facts cover every
    /// block up to them. Sources that do not answer are left out, and the purchase waits for them.
    pub(super) async fn context(&self, order: &FiatOrder, now: Timestamp) -> Result<FiatContext, StoreError> {
        let mut context = FiatContext {
            now,
            lookup: None,
            payouts: Vec::new(),
            forwarding_balance: None,
            hub_time: None,
            returned: None,
            swaps: Vec::new(),
            tolerance_bps: self.parts.ramps.tolerance_bps(&order.provider),
            patience: self.parts.forwarding.patience(),
        };
        if let Strategy::Forwarding(plan) = &order.strategy {
            let cursor = self.parts.cursors.get(order.sold.chain());
            context.hub_time = cursor.map(|cursor| cursor.time);
            let forwarding = &self.parts.forwarding;
            context.swaps = forwarding.swaps(plan).await?;
            if let Some(cursor) = cursor {
                context.forwarding_balance =
                    forwarding.balance(order.id.as_str(), plan, order.sold, cursor).await?;
            }
            if order.status == FiatStatus::Processing || order.status.is_terminal() {
                context.returned = forwarding.returned(order.sold.chain(), plan).await;
            }
        }
        if needs_provider(order, &context) {
            context.lookup = self.lookup(order).await;
        }
        let is_wanted = order.payout.is_none() || !is_all_here(order, &context);
        if is_wanted && order.status != FiatStatus::Completed {
            context.payouts = self.payouts(order, &context).await?;
        }
        Ok(context)
    }

    /// The provider's current report.
    async fn lookup(&self, order: &FiatOrder) -> Option<ProviderLookup> {
        match self.parts.ramps.look_up(order, self.parts.provider_timeout).await {
            Ok(Some(report)) => Some(ProviderLookup::Found(Box::new(checked(order, report)))),
            Ok(None) => Some(ProviderLookup::NotFound),
            Err(error) => {
                tracing::debug!(order = %order.id, provider = order.provider, %error, "provider lookup failed");
                None
            }
        }
    }

    /// The payouts in the transactions that the provider reports, or else in the one that funded the forwarding address.
    async fn payouts(&self, order: &FiatOrder, context: &FiatContext) -> Result<Vec<Payout>, StoreError> {
        let named: &[String] = match &context.lookup {
            Some(ProviderLookup::Found(report)) => &report.payouts,
            _ => &[],
        };
        let mut payouts = self.payouts_of(order, named).await;
        if payouts.is_empty() {
            // A provider may report a replaced transaction, or none.
            let funding = self.funding_tx(order, context).await;
            payouts = self.payouts_of(order, funding.as_slice()).await;
            payouts.retain(|payout| order.is_plausible_payout(payout.amount));
        }
        let mut ours = Vec::new();
        for payout in payouts {
            let taken = self.parts.store.fiat_order_of_payout(&payout).await?;
            if taken.is_none_or(|taken| taken == order.id) {
                ours.push(payout);
            }
        }
        Ok(ours)
    }

    async fn payouts_of(&self, order: &FiatOrder, txs: &[String]) -> Vec<Payout> {
        let mut payouts = Vec::new();
        for tx in txs {
            match self.payouts_in(order, tx).await {
                Ok(found) => payouts.extend(found),
                Err(error) => {
                    tracing::debug!(order = %order.id, tx, %error, "reading a payout failed");
                }
            }
        }
        payouts
    }

    async fn payouts_in(&self, order: &FiatOrder, tx: &str) -> Result<Vec<Payout>, ChainError> {
        let Some(watch) = self.parts.payouts.get(&order.sold.chain()) else { return Ok(Vec::new()) };
        watch.payouts(tx, order.sold, order.deliver_to()).await
    }

    /// The transaction that funded the forwarding address.
    async fn funding_tx(&self, order: &FiatOrder, context: &FiatContext) -> Option<String> {
        let (plan, balance) = order.strategy.forwarding().zip(context.forwarding_balance.as_ref())?;
        self.parts.forwarding.funding_tx(order.id.as_str(), plan, order.sold, balance).await
    }
}

/// Replaces a report that contradicts the purchase with an unknown state.
fn checked(order: &FiatOrder, report: RampReport) -> RampReport {
    let Some(what) = report.contradiction(order) else { return report };
    tracing::warn!(order = %order.id, provider = order.provider, what, ?report, "provider report contradicts its order");
    RampReport::new(RampState::Unknown(format!("contradicts {what}")))
}

/// Whether the chain shows all that was sold.
fn is_all_here(order: &FiatOrder, context: &FiatContext) -> bool {
    match order.strategy {
        Strategy::Direct => order.payout.is_some(),
        Strategy::Forwarding(_) => context.is_covered(order),
    }
}

/// Whether the provider knows more than the chain.
fn needs_provider(order: &FiatOrder, context: &FiatContext) -> bool {
    match order.status {
        FiatStatus::Processing => !is_all_here(order, context),
        // Late money at a forwarding address is visible on chain.
        status if status.is_terminal() => {
            order.strategy == Strategy::Direct && order.may_be_delivered_late(context.now)
        }
        _ => true,
    }
}
