use std::collections::BTreeMap;

use causeway_domain::fiat::{
    FiatOrder, FiatStatus, FiatWorld, JumpPlan, Lying, Payout, ProviderWord, Strategy,
};
use causeway_domain::ports::{BlockMark, ChainError, RampReport, RampState, StoreError};
use causeway_domain::{Evidence, Order, RawAmount, TokenId};
use jiff::Timestamp;

use super::WorkFiat;

/// How far back the transaction that brought money is looked for.
const LOOK_BACK: u64 = 1_000;

impl WorkFiat {
    /// Everything that the next step of a purchase depends on. Marks come first: what stood by then is among the facts that
    /// are read after them. What does not answer is left out, and the purchase waits for it.
    pub(super) async fn world(&self, order: &FiatOrder, now: Timestamp) -> Result<FiatWorld, StoreError> {
        let mut world = FiatWorld {
            now,
            word: None,
            payouts: Vec::new(),
            lying: None,
            hub_time: None,
            returned: None,
            swaps: Vec::new(),
            patience: self.parts.swap_within,
        };
        if let Strategy::Jump(plan) = &order.strategy {
            let mark = self.parts.marks.get(order.sold.chain());
            world.hub_time = mark.map(|mark| mark.time);
            world.swaps = self.swaps(plan).await?;
            if let Some(mark) = mark {
                world.lying = self.lying(order, plan, mark).await?;
            }
            if order.status == FiatStatus::Processing || order.status.is_terminal() {
                world.returned = self.returned(order.sold.chain(), plan).await;
            }
        }
        if is_up_to_provider(order, &world) {
            world.word = self.word(order).await;
        }
        if order.payout.is_none() && order.status != FiatStatus::Completed {
            world.payouts = self.payouts(order, &world).await?;
        }
        Ok(world)
    }

    /// What the provider says now.
    async fn word(&self, order: &FiatOrder) -> Option<ProviderWord> {
        match self.parts.ramps.look_up(order, self.parts.provider_timeout).await {
            Ok(Some(report)) => Some(ProviderWord::Says(Box::new(about(order, report)))),
            Ok(None) => Some(ProviderWord::Nothing),
            Err(error) => {
                tracing::debug!(order = %order.id, provider = order.provider, %error, "a provider has not answered");
                None
            }
        }
    }

    /// The swaps of a jump by its address, so that none is lost in a crash, with what the chains have shown of each by now.
    async fn swaps(&self, plan: &JumpPlan) -> Result<Vec<Order>, StoreError> {
        let mut swaps = self.parts.orders.orders_at(plan.address).await?;
        swaps.retain(|swap| swap.jump.as_deref() == Some(&plan.jump));
        swaps.sort_unstable_by_key(|swap| swap.key);
        for swap in &mut swaps {
            let facts = self.parts.facts.facts(swap.intent).await?;
            swap.evidence = Evidence::of(&swap.terms, swap.care, &facts);
        }
        Ok(swaps)
    }

    async fn lying(
        &self,
        order: &FiatOrder,
        plan: &JumpPlan,
        mark: BlockMark,
    ) -> Result<Option<Lying>, StoreError> {
        let Some(watch) = self.parts.watches.get(&order.sold.chain()) else { return Ok(None) };
        let amount = match watch.balances_at(&[(plan.address, order.sold)], mark.number).await {
            Ok(balances) => balances.first().copied(),
            Err(error) => {
                tracing::debug!(order = %order.id, %error, "a jump's address could not be looked at");
                None
            }
        };
        let Some(amount) = amount else { return Ok(None) };
        let others = self.others(order, plan).await?;
        Ok(Some(Lying { block: mark.number, amount, others }))
    }

    /// What else was last seen at a jump's address by whoever looks at the addresses of swaps.
    async fn others(&self, order: &FiatOrder, plan: &JumpPlan) -> Result<Vec<TokenId>, StoreError> {
        let mut newest = BTreeMap::new();
        for arrival in self.parts.facts.arrivals(plan.address).await? {
            newest.insert(arrival.token, arrival.balance);
        }
        let lies = |(token, balance): (TokenId, RawAmount)| {
            (token != order.sold && !balance.is_zero()).then_some(token)
        };
        Ok(newest.into_iter().filter_map(lies).collect())
    }

    /// The deliveries in the transactions that the provider names, or that brought what lies at a jump's address.
    async fn payouts(&self, order: &FiatOrder, world: &FiatWorld) -> Result<Vec<Payout>, StoreError> {
        let named: &[String] = match &world.word {
            Some(ProviderWord::Says(report)) => &report.payouts,
            _ => &[],
        };
        let mut payouts = self.payouts_of(order, named).await;
        if payouts.is_empty() {
            // A provider may name a transaction that was replaced, or none at all.
            let brought = self.brought(order, world).await;
            payouts = self.payouts_of(order, brought.as_slice()).await;
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
                    tracing::debug!(order = %order.id, tx, %error, "a delivery could not be looked at");
                }
            }
        }
        payouts
    }

    async fn payouts_in(&self, order: &FiatOrder, tx: &str) -> Result<Vec<Payout>, ChainError> {
        let Some(watch) = self.parts.payouts.get(&order.sold.chain()) else { return Ok(Vec::new()) };
        watch.payouts(tx, order.sold, order.deliver_to()).await
    }

    /// What brought the money that lies at a jump's address.
    async fn brought(&self, order: &FiatOrder, world: &FiatWorld) -> Option<String> {
        let (plan, lying) = order.strategy.jump().zip(world.lying.as_ref())?;
        let watch = self.parts.watches.get(&order.sold.chain()).filter(|_| !lying.amount.is_zero())?;
        let from = lying.block.saturating_sub(LOOK_BACK);
        let brought = watch.brought_by(plan.address, order.sold, from, lying.block).await;
        brought
            .inspect_err(
                |error| tracing::debug!(order = %order.id, %error, "what brought money is not known"),
            )
            .ok()?
    }
}

/// A report, as far as it is about the purchase: one that contradicts it says nothing, and leaves it open.
fn about(order: &FiatOrder, report: RampReport) -> RampReport {
    let Some(what) = report.contradiction(order) else { return report };
    tracing::warn!(order = %order.id, provider = order.provider, what, ?report, "a provider's answer contradicts its order");
    RampReport::of(RampState::Unknown(format!("contradicts {what}")))
}

/// Whether the provider has anything to tell that the chain does not tell better.
fn is_up_to_provider(order: &FiatOrder, world: &FiatWorld) -> bool {
    let came = order.payout.is_some() || world.swaps.iter().any(|swap| swap.evidence.deposit.is_some());
    match order.status {
        FiatStatus::Processing => !came,
        // What comes late to a jump's address shows by itself.
        status if status.is_terminal() => {
            order.strategy == Strategy::Direct && order.awaits_late_money(world.now)
        }
        _ => true,
    }
}
