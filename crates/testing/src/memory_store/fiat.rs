use async_trait::async_trait;
use causeway_domain::fiat::{FiatEvent, FiatOrder, FiatQuote, Payout};
use causeway_domain::ports::{
    Erased, Erasure, FiatCreation, FiatLease, FiatOrderQuery, FiatStore, RampToken, StoreError,
};
use causeway_domain::{Address, FiatOrderId, FiatQuoteId, Order, OrderEvent};
use jiff::Timestamp;

use super::{MemoryStore, only_sql};

impl MemoryStore {
    fn find_fiat_order(&self, is: impl Fn(&FiatOrder) -> bool) -> Option<FiatOrder> {
        self.fiat_orders.lock().unwrap().iter().find(|order| is(order)).cloned()
    }
}

#[async_trait]
impl FiatStore for MemoryStore {
    async fn put_fiat_quotes(&self, quotes: &[FiatQuote]) -> Result<(), StoreError> {
        self.call("put_fiat_quotes")?;
        self.fiat_quotes.lock().unwrap().extend_from_slice(quotes);
        Ok(())
    }

    async fn fiat_quote(&self, id: &FiatQuoteId) -> Result<Option<FiatQuote>, StoreError> {
        self.call("fiat_quote")?;
        Ok(self.fiat_quotes.lock().unwrap().iter().find(|quote| quote.id == *id).cloned())
    }

    async fn create_fiat_order(
        &self,
        order: &FiatOrder,
        event: &FiatEvent,
    ) -> Result<FiatCreation, StoreError> {
        self.call("create_fiat_order")?;
        if let Some(existing) = self.fiat_order_of_quote(&order.quote).await? {
            return Ok(FiatCreation::Existing(Box::new(existing)));
        }
        self.fiat_orders.lock().unwrap().push(order.clone());
        self.fiat_events.lock().unwrap().push(event.clone());
        Ok(FiatCreation::Created)
    }

    async fn fiat_order(&self, id: &FiatOrderId) -> Result<Option<FiatOrder>, StoreError> {
        self.call("fiat_order")?;
        Ok(self.find_fiat_order(|order| order.id == *id))
    }

    async fn fiat_order_of_quote(&self, quote: &FiatQuoteId) -> Result<Option<FiatOrder>, StoreError> {
        self.call("fiat_order_of_quote")?;
        Ok(self.find_fiat_order(|order| order.quote == *quote))
    }

    async fn fiat_orders(&self, query: &FiatOrderQuery) -> Result<Vec<FiatOrder>, StoreError> {
        self.call("fiat_orders")?;
        let orders = self.fiat_orders.lock().unwrap();
        let mut found: Vec<FiatOrder> = orders
            .iter()
            .filter(|order| order.author == query.address || order.recipient == query.address)
            .filter(|order| query.status.is_none_or(|status| order.status == status))
            .filter(|order| query.before.is_none_or(|key| order.key < key))
            .cloned()
            .collect();
        found.sort_by_key(|order| std::cmp::Reverse(order.key));
        found.truncate(query.limit.try_into().unwrap());
        Ok(found)
    }

    async fn update_fiat_order(&self, order: &FiatOrder, events: &[FiatEvent]) -> Result<bool, StoreError> {
        self.call("update_fiat_order")?;
        let mut orders = self.fiat_orders.lock().unwrap();
        let stored = orders.iter_mut().find(|stored| stored.id == order.id).unwrap();
        if stored.version != order.version {
            return Ok(false);
        }
        *stored = FiatOrder { version: order.version + 1, ..order.clone() };
        self.fiat_events.lock().unwrap().extend_from_slice(events);
        Ok(true)
    }

    async fn claim_due_fiat(&self, _: Timestamp, _: Timestamp, _: u32) -> Result<Vec<FiatOrder>, StoreError> {
        only_sql("claim_due_fiat")
    }

    async fn renew_fiat_lease(
        &self,
        _: &FiatOrderId,
        _: FiatLease,
        _: Timestamp,
    ) -> Result<bool, StoreError> {
        only_sql("renew_fiat_lease")
    }

    async fn create_swap(
        &self,
        _: &FiatOrderId,
        _: u32,
        _: &Order,
        _: &OrderEvent,
    ) -> Result<bool, StoreError> {
        only_sql("create_swap")
    }

    async fn fiat_order_of_payout(&self, payout: &Payout) -> Result<Option<FiatOrderId>, StoreError> {
        self.call("fiat_order_of_payout")?;
        Ok(self.find_fiat_order(|order| order.payout.as_ref() == Some(payout)).map(|order| order.id))
    }

    async fn store_webhook(
        &self,
        provider: &str,
        event: &str,
        _: &FiatOrderId,
        _: &[u8],
        _: Timestamp,
    ) -> Result<bool, StoreError> {
        self.call("store_webhook")?;
        let mut webhooks = self.fiat_webhooks.lock().unwrap();
        let key = (provider.to_owned(), event.to_owned());
        let is_new = !webhooks.contains(&key);
        if is_new {
            webhooks.push(key);
        }
        Ok(is_new)
    }

    async fn fiat_order_events(&self, id: &FiatOrderId) -> Result<Vec<FiatEvent>, StoreError> {
        self.call("fiat_order_events")?;
        let events = self.fiat_events.lock().unwrap();
        Ok(events.iter().filter(|event| event.order == *id).cloned().collect())
    }

    async fn unmoved_fiat(&self, since: Timestamp, limit: u32) -> Result<Vec<FiatOrder>, StoreError> {
        self.call("unmoved_fiat")?;
        let orders = self.fiat_orders.lock().unwrap();
        let is_unmoved = |order: &&FiatOrder| {
            !order.status.is_terminal() && order.due_at.is_some() && order.updated_at <= since
        };
        let mut found: Vec<FiatOrder> = orders.iter().filter(is_unmoved).cloned().collect();
        found.sort_by_key(|order| order.updated_at);
        found.truncate(limit.try_into().unwrap());
        Ok(found)
    }

    /// Only who is concerned, and the author's address: the SQL stores' tests look at the rest.
    async fn erase_purchases(
        &self,
        erasure: &Erasure,
        _: Timestamp,
        limit: u32,
    ) -> Result<Erased, StoreError> {
        self.call("erase_purchases")?;
        let mut orders = self.fiat_orders.lock().unwrap();
        let nobody = |order: &FiatOrder| Address::native(order.author.family());
        let is_meant = |order: &&mut FiatOrder| match erasure {
            Erasure::Purchase(id) => order.id == *id,
            Erasure::Address(address) => [order.author, order.recipient, order.refund_to].contains(address),
            Erasure::EndedBefore(before) => order.updated_at < *before,
        };
        let mut erased = Erased::default();
        for order in orders.iter_mut().filter(|order| order.author != nobody(order)).filter(is_meant) {
            if !order.status.is_terminal() || order.due_at.is_some() {
                erased.unfinished += 1;
            } else if erased.purchases.len() < limit.try_into().unwrap() {
                (order.author, order.recipient) = (nobody(order), Address::native(order.recipient.family()));
                erased.purchases.push(order.id.clone());
            }
        }
        Ok(erased)
    }

    async fn ramp_token(&self, provider: &str) -> Result<Option<RampToken>, StoreError> {
        self.call("ramp_token")?;
        Ok(self.ramp_tokens.lock().unwrap().get(provider).cloned())
    }

    async fn put_ramp_token(&self, provider: &str, token: &RampToken) -> Result<(), StoreError> {
        self.call("put_ramp_token")?;
        self.ramp_tokens.lock().unwrap().insert(provider.to_owned(), token.clone());
        Ok(())
    }
}
