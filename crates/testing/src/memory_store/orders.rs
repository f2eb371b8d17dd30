use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::fiat::Payout;
use causeway_domain::ports::{
    Creation, FillCount, OpenTransfer, OrderQuery, OrderSearch, OrderStore, Owed, SearchTerm, StoreError,
    StuckReason,
};
use causeway_domain::{
    Address, ChainId, Order, OrderEvent, OrderId, OrderStatus, QuoteId, RawAmount, RouteId, RowKey,
};
use jiff::Timestamp;

use super::{MemoryStore, only_sql};

impl MemoryStore {
    fn find_order(&self, is: impl Fn(&Order) -> bool) -> Option<Order> {
        self.orders.lock().unwrap().iter().map(|(order, _)| order).find(|order| is(order)).cloned()
    }

    /// Every such order, newest first.
    fn find_orders(&self, is: impl Fn(&Order) -> bool) -> Vec<Order> {
        let orders = self.orders.lock().unwrap();
        orders.iter().rev().map(|(order, _)| order).filter(|order| is(order)).cloned().collect()
    }
}

#[async_trait]
impl OrderStore for MemoryStore {
    async fn create_order(&self, order: &Order, event: &OrderEvent) -> Result<Creation, StoreError> {
        self.call("create_order")?;
        if let Some(existing) = self.order_of_route(&order.quote, &order.route).await? {
            return Ok(Creation::Existing(Box::new(existing)));
        }
        self.orders.lock().unwrap().push((order.clone(), vec![event.clone()]));
        self.announce_commit();
        Ok(Creation::Created)
    }

    async fn order(&self, id: &OrderId) -> Result<Option<Order>, StoreError> {
        self.call("order")?;
        Ok(self.find_order(|order| order.id == *id))
    }

    async fn order_versions(&self, ids: &[OrderId]) -> Result<Vec<(OrderId, u32)>, StoreError> {
        self.call("order_versions")?;
        let version = |id: &OrderId| self.find_order(|order| order.id == *id).map(|order| order.version);
        Ok(ids.iter().filter_map(|id| Some((id.clone(), version(id)?))).collect())
    }

    async fn order_of_route(&self, quote: &QuoteId, route: &RouteId) -> Result<Option<Order>, StoreError> {
        self.call("order_of_route")?;
        Ok(self.find_order(|order| order.quote == *quote && order.route == *route))
    }

    async fn order_of_intent(&self, intent: B256) -> Result<Option<Order>, StoreError> {
        self.call("order_of_intent")?;
        Ok(self.find_order(|order| order.intent_id == intent))
    }

    async fn order_of_deposit(&self, chain: ChainId, tx: &str) -> Result<Option<Order>, StoreError> {
        self.call("order_of_deposit")?;
        Ok(self.find_order(|order| order.from.chain() == chain && order.deposit_tx() == Some(tx)))
    }

    async fn orders_at(&self, deposit_address: Address) -> Result<Vec<Order>, StoreError> {
        self.call("orders_at")?;
        Ok(self.find_orders(|order| order.deposit_address == Some(deposit_address)))
    }

    async fn orders(&self, query: &OrderQuery) -> Result<Vec<Order>, StoreError> {
        self.call("orders")?;
        let mut orders = self.find_orders(|order| {
            order.announced
                && query.author.is_none_or(|author| order.author == author)
                && query.status.is_none_or(|status| order.status == status)
                && (query.ids.is_empty() || query.ids.contains(&order.id))
                && query.from_chain.is_none_or(|chain| order.from.chain() == chain)
                && query.to_chain.is_none_or(|chain| order.to.chain() == chain)
                && query.before.is_none_or(|key| order.key < key)
        });
        orders.truncate(query.limit.try_into().unwrap());
        Ok(orders)
    }

    async fn create_second_swap(
        &self,
        id: &OrderId,
        version: u32,
        swap: &Order,
        event: &OrderEvent,
    ) -> Result<bool, StoreError> {
        self.call("create_second_swap")?;
        let mut orders = self.orders.lock().unwrap();
        let (stored, _) = orders.iter_mut().find(|(stored, _)| stored.id == *id).unwrap();
        if stored.version != version {
            return Ok(false);
        }
        stored.version += 1;
        orders.push((swap.clone(), vec![event.clone()]));
        drop(orders);
        self.announce_commit();
        Ok(true)
    }

    async fn search_orders(&self, query: &OrderSearch) -> Result<Vec<Order>, StoreError> {
        self.call("search_orders")?;
        let mut orders = self.find_orders(|order| {
            let evidence = &order.evidence;
            let shown = [&evidence.deposit, &evidence.fill, &evidence.claim].into_iter().flatten();
            let shown =
                shown.chain(evidence.refund.as_ref().map(|(refund, _)| refund)).map(|fact| fact.tx.as_str());
            let addresses =
                [Some(order.author), Some(order.recipient), Some(order.refund_to), order.deposit_address];
            let has = match &query.term {
                SearchTerm::Transaction(tx) => {
                    shown.chain(order.submitted_tx.as_deref()).any(|own| own == tx)
                }
                SearchTerm::Address(address) => addresses.contains(&Some(*address)),
            };
            order.announced && has && query.before.is_none_or(|key| order.key < key)
        });
        orders.truncate(query.limit.try_into().unwrap());
        Ok(orders)
    }

    async fn update_order(&self, order: &Order, events: &[OrderEvent]) -> Result<bool, StoreError> {
        self.call("update_order")?;
        let mut orders = self.orders.lock().unwrap();
        let has_same_tx = |other: &Order| {
            other.id != order.id
                && other.from.chain() == order.from.chain()
                && other.submitted_tx.is_some()
                && other.submitted_tx == order.submitted_tx
        };
        if orders.iter().any(|(other, _)| has_same_tx(other)) {
            return Err(StoreError::Conflict("that transaction was submitted for another order"));
        }
        let (stored, history) = orders.iter_mut().find(|(stored, _)| stored.id == order.id).unwrap();
        if stored.version != order.version {
            return Ok(false);
        }
        *stored = Order { version: order.version + 1, ..order.clone() };
        history.extend_from_slice(events);
        self.announce_commit();
        Ok(true)
    }

    async fn postpone(&self, order: &Order) -> Result<bool, StoreError> {
        self.call("postpone")?;
        let mut orders = self.orders.lock().unwrap();
        let (stored, _) = orders.iter_mut().find(|(stored, _)| stored.id == order.id).unwrap();
        if stored.version != order.version {
            return Ok(false);
        }
        stored.due_at = order.due_at;
        self.announce_commit();
        Ok(true)
    }

    async fn claim_due(&self, _: Timestamp, _: Timestamp, _: u32) -> Result<Vec<Order>, StoreError> {
        only_sql("claim_due")
    }

    async fn order_events(&self, id: &OrderId) -> Result<Vec<OrderEvent>, StoreError> {
        self.call("order_events")?;
        let orders = self.orders.lock().unwrap();
        let history = orders.iter().find(|(order, _)| order.id == *id).map(|(_, history)| history.clone());
        Ok(history.unwrap_or_default())
    }

    async fn transfers(
        &self,
        _: ChainId,
        _: Option<Timestamp>,
        _: Option<RowKey>,
        _: u32,
    ) -> Result<Vec<OpenTransfer>, StoreError> {
        only_sql("transfers")
    }

    async fn owed(&self) -> Result<Vec<Owed>, StoreError> {
        self.call("owed")?;
        let is_owed = |order: &&Order| {
            order.provider.is_none()
                && matches!(order.status, OrderStatus::Published | OrderStatus::Filled)
                && !order.evidence.is_ended()
        };
        let owed = |order: &Order| Owed {
            filler: order.filler.clone(),
            token: order.from,
            amount: RawAmount::new(order.terms.amount_in.saturating_sub(order.terms.referrer_fee)),
            deposited_in: order.evidence.deposit.as_ref().map(|deposit| deposit.block),
            refund_at: order.terms.refund_at,
        };
        let orders = self.orders.lock().unwrap();
        Ok(orders.iter().map(|(order, _)| order).filter(is_owed).map(owed).collect())
    }

    async fn count_orders_except_route(&self, route: &str) -> Result<u64, StoreError> {
        self.call("count_orders_except_route")?;
        Ok(self.find_orders(|order| order.route.as_str() != route).len().try_into().unwrap())
    }

    async fn fill_counts(&self) -> Result<Vec<FillCount>, StoreError> {
        self.call("fill_counts")?;
        let mut counts: Vec<FillCount> = Vec::new();
        for Order { filler, status, .. } in self.find_orders(|order| order.announced) {
            match counts.iter_mut().find(|count| count.filler == filler && count.status == status) {
                Some(count) => count.orders += 1,
                None => counts.push(FillCount { filler, status, orders: 1 }),
            }
        }
        Ok(counts)
    }

    async fn events_after(&self, after: RowKey, limit: u32) -> Result<Vec<(RowKey, OrderId)>, StoreError> {
        self.call("events_after")?;
        let orders = self.orders.lock().unwrap();
        let ours = orders.iter().flat_map(|(_, history)| history);
        let mut events: Vec<_> = ours.map(|event| (event.key, event.order.clone())).collect();
        events.extend(self.other_events.lock().unwrap().iter().cloned());
        events.retain(|(key, _)| *key > after);
        events.sort_by_key(|(key, _)| *key);
        events.truncate(limit.try_into().unwrap());
        Ok(events)
    }

    fn commits(&self) -> u64 {
        *self.commits.borrow()
    }

    async fn wait_for_commit_after(&self, seen: u64) {
        let mut commits = self.commits.subscribe();
        let _ = commits.wait_for(|count| *count != seen).await;
    }

    async fn unmoved(&self, unmoved_since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError> {
        self.call("unmoved")?;
        let is_awaited = |order: &Order| {
            order.status != OrderStatus::Created
                || order.submitted_tx.is_some()
                || order.signed_payload.is_some()
        };
        let mut orders = self.find_orders(|order| {
            let is_watched_only = order.joined().is_some() && order.status.is_terminal();
            order.due_at.is_some()
                && order.updated_at <= unmoved_since
                && is_awaited(order)
                && !is_watched_only
        });
        orders.sort_by_key(|order| order.updated_at);
        orders.truncate(limit.try_into().unwrap());
        Ok(orders)
    }

    async fn ended(&self, since: Timestamp, limit: u32) -> Result<Vec<Order>, StoreError> {
        self.call("ended")?;
        let is_over = |status| matches!(status, OrderStatus::Filled | OrderStatus::Refunded);
        let mut orders = self.find_orders(|order| is_over(order.status) && order.updated_at >= since);
        orders.sort_by_key(|order| std::cmp::Reverse(order.updated_at));
        orders.truncate(limit.try_into().unwrap());
        Ok(orders)
    }

    async fn record_stuck_reason(
        &self,
        order: &OrderId,
        reason: Option<&StuckReason>,
    ) -> Result<(), StoreError> {
        self.call("record_stuck_reason")?;
        let mut reasons = self.stuck_reasons.lock().unwrap();
        match reason {
            Some(reason) => drop(reasons.insert(order.clone(), reason.clone())),
            None => drop(reasons.remove(order)),
        }
        Ok(())
    }

    async fn take_payout(&self, order: &OrderId, payout: &Payout) -> Result<bool, StoreError> {
        self.call("take_payout")?;
        let mut payouts = self.payouts.lock().unwrap();
        if let Some((holder, _)) = payouts.iter().find(|(_, taken)| taken == payout) {
            return Ok(holder == order);
        }
        payouts.push((order.clone(), payout.clone()));
        Ok(true)
    }

    async fn stuck_reason(&self, order: &OrderId) -> Result<Option<StuckReason>, StoreError> {
        self.call("stuck_reason")?;
        Ok(self.stuck_reasons.lock().unwrap().get(order).cloned())
    }
}
