use std::collections::BTreeMap;

use causeway_domain::fiat::{
    FiatContext, FiatOrder, FiatStatus, ForwardingBalance, ForwardingPlan, Payout, ProviderLookup, Strategy,
};
use causeway_domain::ports::{ChainCursor, ChainError, RampReport, RampState, StoreError};
use causeway_domain::{Evidence, Order, RawAmount, TokenId};
use jiff::Timestamp;

use super::WorkFiat;

/// How many blocks back the funding transaction is searched.
const LOOK_BACK_BLOCKS: u64 = 1_000;

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
            patience: self.parts.swap_within,
        };
        if let Strategy::Forwarding(plan) = &order.strategy {
            let cursor = self.parts.cursors.get(order.sold.chain());
            context.hub_time = cursor.map(|cursor| cursor.time);
            context.swaps = self.swaps(plan).await?;
            if let Some(cursor) = cursor {
                context.forwarding_balance = self.forwarding_balance(order, plan, cursor).await?;
            }
            if order.status == FiatStatus::Processing || order.status.is_terminal() {
                context.returned = self.returned(order.sold.chain(), plan).await;
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

    /// The swaps of a forwarding order, found by its address so that none is lost in a crash, with their current evidence.
    async fn swaps(&self, plan: &ForwardingPlan) -> Result<Vec<Order>, StoreError> {
        let mut swaps = self.parts.orders.orders_at(plan.address).await?;
        swaps.retain(|swap| swap.forwarding.as_deref() == Some(&plan.order));
        swaps.sort_unstable_by_key(|swap| swap.key);
        for swap in &mut swaps {
            let facts = self.parts.facts.facts(swap.intent_id).await?;
            swap.evidence = Evidence::from_facts(&swap.terms, swap.finality_tier, &facts);
        }
        Ok(swaps)
    }

    async fn forwarding_balance(
        &self,
        order: &FiatOrder,
        plan: &ForwardingPlan,
        cursor: ChainCursor,
    ) -> Result<Option<ForwardingBalance>, StoreError> {
        let Some(watch) = self.parts.watches.get(&order.sold.chain()) else { return Ok(None) };
        let amount = match watch.balances_at(&[(plan.address, order.sold)], cursor.number).await {
            Ok(balances) => balances.first().copied(),
            Err(error) => {
                tracing::debug!(order = %order.id, %error, "reading a forwarding address failed");
                None
            }
        };
        let Some(amount) = amount else { return Ok(None) };
        let others = self.others(order, plan).await?;
        Ok(Some(ForwardingBalance { block: cursor.number, amount, others }))
    }

    /// Other tokens at the forwarding address, as last recorded by the address watcher.
    async fn others(&self, order: &FiatOrder, plan: &ForwardingPlan) -> Result<Vec<TokenId>, StoreError> {
        let mut newest = BTreeMap::new();
        for arrival in self.parts.facts.arrivals(plan.address).await? {
            newest.insert(arrival.token, arrival.balance);
        }
        let others = |(token, balance): (TokenId, RawAmount)| {
            (token != order.sold && !balance.is_zero()).then_some(token)
        };
        Ok(newest.into_iter().filter_map(others).collect())
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
        let watch = self.parts.watches.get(&order.sold.chain()).filter(|_| !balance.amount.is_zero())?;
        let from = balance.block.saturating_sub(LOOK_BACK_BLOCKS);
        let funding = watch.funding_tx(plan.address, order.sold, from, balance.block).await;
        funding
            .inspect_err(
                |error| tracing::debug!(order = %order.id, %error, "finding the funding transaction failed"),
            )
            .ok()?
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
