//! Fiat purchases behind the domain's port.

mod create_order;
mod create_swap;
mod erase;
mod keep_webhook;
mod prune;
mod put_quotes;
mod ramp_tokens;
mod read;
mod renew_lease;
mod update_order;

use async_trait::async_trait;
use causeway_domain::fiat::{FiatEvent, FiatOrder, FiatQuote, Payout};
use causeway_domain::ports::{
    Erased, Erasure, FiatCreation, FiatLease, FiatOrderQuery, FiatStore, RampToken, StoreError,
};
use causeway_domain::{FiatOrderId, FiatQuoteId, Order, OrderEvent};
use jiff::Timestamp;

use create_order::CreateFiatOrder;
pub(crate) use create_swap::CreateSwap;
use keep_webhook::KeepWebhook;
pub(crate) use prune::PruneFiat;
use put_quotes::PutFiatQuotes;
use renew_lease::RenewLease;
use update_order::UpdateFiatOrder;

use crate::database::claim_due::ClaimDue;
use crate::orders::create_order::CreateOrder;
use crate::record::{FiatOrderRecord, text};
use crate::store::Store;

#[async_trait]
impl FiatStore for Store {
    async fn put_fiat_quotes(&self, quotes: &[FiatQuote]) -> Result<(), StoreError> {
        self.write(PutFiatQuotes::new(quotes)?).await
    }

    async fn fiat_quote(&self, id: &FiatQuoteId) -> Result<Option<FiatQuote>, StoreError> {
        self.read_fiat_quote(id).await
    }

    async fn create_fiat_order(
        &self,
        order: &FiatOrder,
        event: &FiatEvent,
    ) -> Result<FiatCreation, StoreError> {
        self.write(CreateFiatOrder { order: order.try_into()?, event: event.into() }).await
    }

    async fn fiat_order(&self, id: &FiatOrderId) -> Result<Option<FiatOrder>, StoreError> {
        self.read_fiat_order(read::BY_ID, id.as_str()).await
    }

    async fn fiat_order_of_quote(&self, quote: &FiatQuoteId) -> Result<Option<FiatOrder>, StoreError> {
        self.read_fiat_order(read::BY_QUOTE, quote.as_str()).await
    }

    async fn fiat_orders(&self, query: &FiatOrderQuery) -> Result<Vec<FiatOrder>, StoreError> {
        self.read_fiat_page(query).await
    }

    async fn update_fiat_order(&self, order: &FiatOrder, events: &[FiatEvent]) -> Result<bool, StoreError> {
        let events = events.iter().map(Into::into).collect();
        self.write(UpdateFiatOrder { order: order.try_into()?, events }).await
    }

    async fn claim_due_fiat(
        &self,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<FiatOrder>, StoreError> {
        let (now, lease_until) = (now.as_millisecond(), lease_until.as_millisecond());
        self.write(ClaimDue::<FiatOrderRecord>::new(now, lease_until, limit)).await
    }

    async fn renew_fiat_lease(
        &self,
        id: &FiatOrderId,
        lease: FiatLease,
        lease_until: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(RenewLease { id: id.to_string(), lease, lease_until: lease_until.as_millisecond() }).await
    }

    async fn create_swap(
        &self,
        purchase: &FiatOrderId,
        version: u32,
        swap: &Order,
        event: &OrderEvent,
    ) -> Result<bool, StoreError> {
        self.write(CreateSwap::of_purchase(purchase, version, CreateOrder::new(swap, event))).await
    }

    async fn fiat_order_of_payout(&self, payout: &Payout) -> Result<Option<FiatOrderId>, StoreError> {
        self.read_fiat_payout(payout).await
    }

    async fn store_webhook(
        &self,
        provider: &str,
        event: &str,
        order: &FiatOrderId,
        body: &[u8],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let (provider, event, order) = (text(provider), text(event), order.to_string());
        self.write(KeepWebhook { provider, event, order, body: body.to_vec(), now: now.as_millisecond() })
            .await
    }

    async fn fiat_order_events(&self, id: &FiatOrderId) -> Result<Vec<FiatEvent>, StoreError> {
        self.read_fiat_events(id).await
    }

    async fn unmoved_fiat(&self, since: Timestamp, limit: u32) -> Result<Vec<FiatOrder>, StoreError> {
        self.read_unmoved_fiat(since, limit).await
    }

    async fn erase_purchases(
        &self,
        erasure: &Erasure,
        now: Timestamp,
        limit: u32,
    ) -> Result<Erased, StoreError> {
        self.erase(erasure, now, limit).await
    }

    async fn ramp_token(&self, provider: &str) -> Result<Option<RampToken>, StoreError> {
        self.read_ramp_token(provider).await
    }

    async fn put_ramp_token(&self, provider: &str, token: &RampToken) -> Result<(), StoreError> {
        self.write_ramp_token(provider, token).await
    }
}
