use std::collections::BTreeMap;

use causeway_domain::ports::{AddressWatch, ChainCursor, StoreError};
use causeway_domain::{ChainId, Evidence, ForwardingBalance, ForwardingPlan, Order, RawAmount, TokenId};

use super::ForwardFunds;

/// How many blocks back the funding transaction is searched.
const LOOK_BACK_BLOCKS: u64 = 1_000;

impl ForwardFunds {
    pub(super) fn watch(&self, chain: ChainId) -> Option<&dyn AddressWatch> {
        self.parts.watches.get(&chain).map(AsRef::as_ref)
    }

    /// The swaps of a forwarding order, found by its address so that none is lost in a crash, with their current evidence.
    pub(crate) async fn swaps(&self, plan: &ForwardingPlan) -> Result<Vec<Order>, StoreError> {
        let mut swaps = self.parts.orders.orders_at(plan.address).await?;
        swaps.retain(|swap| swap.forwarding.as_deref() == Some(&plan.order));
        swaps.sort_unstable_by_key(|swap| swap.key);
        for swap in &mut swaps {
            let facts = self.parts.facts.facts(swap.intent_id).await?;
            swap.evidence = Evidence::from_facts(&swap.terms, swap.finality_tier, &facts);
        }
        Ok(swaps)
    }

    /// What the forwarding address holds at the cursor; `None` when nobody answers.
    pub(crate) async fn balance(
        &self,
        owner: &str,
        plan: &ForwardingPlan,
        token: TokenId,
        cursor: ChainCursor,
    ) -> Result<Option<ForwardingBalance>, StoreError> {
        let Some(watch) = self.watch(token.chain()) else { return Ok(None) };
        let amount = match watch.balances_at(&[(plan.address, token)], cursor.number).await {
            Ok(balances) => balances.first().copied(),
            Err(error) => {
                tracing::debug!(order = owner, %error, "reading a forwarding address failed");
                None
            }
        };
        let Some(amount) = amount else { return Ok(None) };
        let others = self.others(plan, token).await?;
        Ok(Some(ForwardingBalance { block: cursor.number, amount, others }))
    }

    /// Other tokens at the forwarding address, as last recorded by the address watcher.
    async fn others(&self, plan: &ForwardingPlan, own: TokenId) -> Result<Vec<TokenId>, StoreError> {
        let mut newest = BTreeMap::new();
        for arrival in self.parts.facts.arrivals(plan.address).await? {
            newest.insert(arrival.token, arrival.balance);
        }
        let others =
            |(token, balance): (TokenId, RawAmount)| (token != own && !balance.is_zero()).then_some(token);
        Ok(newest.into_iter().filter_map(others).collect())
    }

    /// The transaction that funded the forwarding address.
    pub(crate) async fn funding_tx(
        &self,
        owner: &str,
        plan: &ForwardingPlan,
        token: TokenId,
        balance: &ForwardingBalance,
    ) -> Option<String> {
        let watch = self.watch(token.chain()).filter(|_| !balance.amount.is_zero())?;
        let from = balance.block.saturating_sub(LOOK_BACK_BLOCKS);
        let funding = watch.funding_tx(plan.address, token, from, balance.block).await;
        funding
            .inspect_err(
                |error| tracing::debug!(order = owner, %error, "finding the funding transaction failed"),
            )
            .ok()?
    }
}
