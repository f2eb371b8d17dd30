//! Webhooks behind the domain's port.

mod claim;
mod end;
mod endpoints;
mod enqueue;
mod log;
mod replay;
mod step_up;
mod tables;

use async_trait::async_trait;
use causeway_domain::ports::{
    Delivery, DeliveryAttempt, DeliveryCount, DeliveryEnd, EndpointName, StoreError, SubjectKind,
    WebhookEndpoint, WebhookStore,
};
use causeway_domain::{FiatOrderId, OrderId, RowKey};
use jiff::Timestamp;

use claim::Claim;
#[cfg(test)]
pub(crate) use claim::due;
use end::End;
#[cfg(test)]
pub(crate) use end::give_up;
use endpoints::{Add, Change, Remove};
use enqueue::Enqueue;
#[cfg(test)]
pub(crate) use log::log;
use replay::Replay;

use crate::record::text;
use crate::store::Store;

#[async_trait]
impl WebhookStore for Store {
    async fn add_endpoint(&self, endpoint: &WebhookEndpoint) -> Result<bool, StoreError> {
        self.write(Add(endpoint.into())).await
    }

    async fn change_endpoint(&self, endpoint: &WebhookEndpoint) -> Result<bool, StoreError> {
        self.write(Change(endpoint.into())).await
    }

    async fn remove_endpoint(&self, name: &EndpointName) -> Result<bool, StoreError> {
        self.write(Remove(name.to_string())).await
    }

    async fn endpoints(&self) -> Result<Vec<WebhookEndpoint>, StoreError> {
        self.read_endpoints().await
    }

    async fn webhook_cursor(&self, kind: SubjectKind) -> Result<Option<RowKey>, StoreError> {
        self.read_webhook_cursor(kind).await
    }

    async fn purchase_events_after(
        &self,
        after: RowKey,
        limit: u32,
    ) -> Result<Vec<(RowKey, FiatOrderId)>, StoreError> {
        self.read_purchase_events_after(after, limit).await
    }

    async fn enqueue_deliveries(
        &self,
        orders: &[OrderId],
        read: (RowKey, RowKey),
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let orders = orders.iter().map(ToString::to_string).collect();
        let (from, to) = (read.0.get(), read.1.get());
        let kind = SubjectKind::Order;
        self.write(Enqueue { kind, orders, from, to, now: now.as_millisecond() }).await
    }

    async fn enqueue_purchase_deliveries(
        &self,
        purchases: &[FiatOrderId],
        read: (RowKey, RowKey),
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let orders = purchases.iter().map(ToString::to_string).collect();
        let (from, to) = (read.0.get(), read.1.get());
        let kind = SubjectKind::Purchase;
        self.write(Enqueue { kind, orders, from, to, now: now.as_millisecond() }).await
    }

    async fn claim_deliveries(
        &self,
        endpoint: &EndpointName,
        now: Timestamp,
        lease_until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Delivery>, StoreError> {
        let mut claimed = Vec::new();
        for kind in SubjectKind::ALL {
            let left = i64::from(limit).saturating_sub_unsigned(claimed.len() as u64);
            let claim = Claim {
                kind,
                endpoint: endpoint.to_string(),
                now: now.as_millisecond(),
                lease_until: lease_until.as_millisecond(),
                limit: left,
            };
            // Usually nothing is due, and the writer is not needed.
            if left > 0 && self.is_delivery_due(&claim).await? {
                claimed.extend(self.write(claim).await?);
            }
        }
        Ok(claimed)
    }

    async fn end_delivery(
        &self,
        delivery: &Delivery,
        attempt: &DeliveryAttempt,
        end: DeliveryEnd,
        give_up_before: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let mut attempt = attempt.clone();
        attempt.message = text(&attempt.message);
        let give_up_before = give_up_before.map(Timestamp::as_millisecond);
        let lease = delivery.lease_until.as_millisecond();
        self.write(End { attempt, lease, result: end, give_up_before }).await
    }

    async fn replay_deliveries(
        &self,
        endpoint: &EndpointName,
        after: RowKey,
        limit: u32,
        now: Timestamp,
    ) -> Result<(u64, Option<RowKey>), StoreError> {
        let (endpoint, after, limit) = (endpoint.to_string(), after.get(), i64::from(limit));
        self.write(Replay { endpoint, after, limit, now: now.as_millisecond() }).await
    }

    async fn delivery_log(
        &self,
        endpoint: &EndpointName,
        before: Option<RowKey>,
        limit: u32,
    ) -> Result<Vec<DeliveryAttempt>, StoreError> {
        self.read_delivery_log(endpoint, before, limit).await
    }

    async fn delivery_counts(&self) -> Result<Vec<DeliveryCount>, StoreError> {
        self.read_delivery_counts().await
    }
}
