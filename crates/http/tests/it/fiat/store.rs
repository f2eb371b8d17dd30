use std::sync::Mutex;

use async_trait::async_trait;
use causeway_domain::fiat::{FiatEvent, FiatOrder, FiatQuote, Payout};
use causeway_domain::ports::{FiatCreation, FiatOrderQuery, FiatStore, StoreError};
use causeway_domain::{FiatOrderId, FiatQuoteId};
use jiff::Timestamp;

/// The fiat store in memory, oldest first.
#[derive(Debug, Default)]
pub(crate) struct FakeFiatStore {
    pub(crate) quotes: Mutex<Vec<FiatQuote>>,
    pub(crate) orders: Mutex<Vec<FiatOrder>>,
    webhooks: Mutex<Vec<(String, String)>>,
}

impl FakeFiatStore {
    pub(crate) fn with(orders: Vec<FiatOrder>) -> Self {
        Self { orders: Mutex::new(orders), ..Self::default() }
    }

    fn find(&self, is: impl Fn(&FiatOrder) -> bool) -> Option<FiatOrder> {
        self.orders.lock().unwrap().iter().find(|order| is(order)).cloned()
    }
}

#[async_trait]
impl FiatStore for FakeFiatStore {
    async fn put_fiat_quotes(&self, quotes: &[FiatQuote]) -> Result<(), StoreError> {
        self.quotes.lock().unwrap().extend_from_slice(quotes);
        Ok(())
    }

    async fn fiat_quote(&self, id: &FiatQuoteId) -> Result<Option<FiatQuote>, StoreError> {
        Ok(self.quotes.lock().unwrap().iter().find(|quote| quote.id == *id).cloned())
    }

    async fn create_fiat_order(&self, order: &FiatOrder, _: &FiatEvent) -> Result<FiatCreation, StoreError> {
        if let Some(existing) = self.fiat_order_of_quote(&order.quote).await? {
            return Ok(FiatCreation::Existing(Box::new(existing)));
        }
        self.orders.lock().unwrap().push(order.clone());
        Ok(FiatCreation::Created)
    }

    async fn fiat_order(&self, id: &FiatOrderId) -> Result<Option<FiatOrder>, StoreError> {
        Ok(self.find(|order| order.id == *id))
    }

    async fn fiat_order_of_quote(&self, quote: &FiatQuoteId) -> Result<Option<FiatOrder>, StoreError> {
        Ok(self.find(|order| order.quote == *quote))
    }

    async fn fiat_orders(&self, query: &FiatOrderQuery) -> Result<Vec<FiatOrder>, StoreError> {
        let orders = self.orders.lock().unwrap();
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

    async fn update_fiat_order(&self, order: &FiatOrder, _: &[FiatEvent]) -> Result<bool, StoreError> {
        let mut orders = self.orders.lock().unwrap();
        let stored = orders.iter_mut().find(|stored| stored.id == order.id).unwrap();
        if stored.version != order.version {
            return Ok(false);
        }
        *stored = FiatOrder { version: order.version + 1, ..order.clone() };
        Ok(true)
    }

    async fn claim_due_fiat(&self, _: Timestamp, _: Timestamp, _: u32) -> Result<Vec<FiatOrder>, StoreError> {
        Ok(Vec::new())
    }

    async fn fiat_order_of_payout(&self, payout: &Payout) -> Result<Option<FiatOrderId>, StoreError> {
        Ok(self.find(|order| order.payout.as_ref() == Some(payout)).map(|order| order.id))
    }

    async fn store_webhook(
        &self,
        provider: &str,
        event: &str,
        _: &FiatOrderId,
        _: &[u8],
        _: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut webhooks = self.webhooks.lock().unwrap();
        let key = (provider.to_owned(), event.to_owned());
        let is_new = !webhooks.contains(&key);
        if is_new {
            webhooks.push(key);
        }
        Ok(is_new)
    }

    async fn fiat_order_events(&self, _: &FiatOrderId) -> Result<Vec<FiatEvent>, StoreError> {
        Ok(Vec::new())
    }
}
