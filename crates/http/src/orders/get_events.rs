use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use causeway_domain::{EventKind, OrderEvent, OrderId, RowKey};
use causeway_engine::OrderSubscription;
use causeway_wire::{ErrorBody, OrderEvent as WireEvent};
use futures::{Stream, stream};

use super::map_order::map_event;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, PathParam};
use crate::slots::Slot;

/// Interval of keep-alive comments, so that proxies do not close idle streams.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Delay before a failed read of the store is retried.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Streams the events of an order as server-sent events.
///
/// A new stream starts with all past events. To resume an interrupted stream, send the id of the last
/// event as `Last-Event-ID`, as browsers do automatically. The stream ends with the terminal status of the order; a request
/// after that returns 204.
#[utoipa::path(
    get,
    path = "/v1/orders/by-id/{orderId}/events",
    tag = "orders",
    params(
        ("orderId" = String, Path, description = "As a submit or a build answered it", example = "0f8fad5bd9cb469fa16570867728950e"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that was received"),
    ),
    responses(
        (status = 200, description = "Each event is `status` or `note`, its data one event of the order", body = WireEvent, content_type = "text/event-stream"),
        (status = 204, description = "The order has ended, and all events were received"),
        (status = 400, description = "ValidationException", body = ErrorBody),
        (status = 404, description = "OrderNotFoundException", body = ErrorBody),
        (status = 429, description = "RateLimitedException: too many event streams are open", body = ErrorBody),
    ),
)]
pub(crate) async fn get_events(
    State(app): State<Arc<App>>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
    param: PathParam,
) -> ApiResult<Response> {
    let mut issues = Issues::default();
    let text = param.text(&mut issues);
    let after = last_event(&headers, &mut issues);
    issues.finish()?;
    let id: OrderId = text.and_then(|text| text.parse().ok()).ok_or_else(ApiError::order_not_found)?;
    let slot = app.event_streams.open(&headers, peer.map(|Extension(ConnectInfo(peer))| peer))?;
    // Subscribed before the read, so that no event is missed.
    let subscription = app.watch_orders.watch(&id);
    let order = app.orders.order(&id).await?.filter(|order| order.announced);
    let order = order.ok_or_else(ApiError::order_not_found)?;
    let events = app.orders.order_events(&id).await?;
    let stream = EventStream { app, id, subscription, after, pending: Vec::new(), ended: false, _slot: slot };
    if order.status.is_terminal() && !events.iter().any(|event| stream.is_new(event)) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let sse = Sse::new(stream.into_sse()).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"))];
    Ok((unbuffered, sse).into_response())
}

fn last_event(headers: &HeaderMap, issues: &mut Issues) -> Option<RowKey> {
    let value = headers.get("last-event-id").filter(|value| !value.is_empty())?;
    let key = value.to_str().ok().and_then(|text| text.parse().ok()).and_then(RowKey::new);
    if key.is_none() {
        issues.add("Last-Event-ID", "is the id of an event that this stream sent");
    }
    key
}

/// The event stream of one client.
struct EventStream {
    app: Arc<App>,
    id: OrderId,
    subscription: OrderSubscription,
    /// The last event that was sent.
    after: Option<RowKey>,
    /// Events that were read but not sent yet, newest first.
    pending: Vec<OrderEvent>,
    ended: bool,
    /// Held as long as the stream is open.
    _slot: Slot,
}

impl EventStream {
    fn into_sse(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, async |mut events| {
            let event = events.next().await?;
            Some((Ok(sse_event(&event)), events))
        })
    }

    fn is_new(&self, event: &OrderEvent) -> bool {
        self.after.is_none_or(|after| event.key > after)
    }

    async fn next(&mut self) -> Option<OrderEvent> {
        while self.pending.is_empty() {
            if self.ended {
                return None;
            }
            self.read().await;
        }
        let event = self.pending.pop()?;
        self.after = Some(event.key);
        self.ended |= matches!(event.kind, EventKind::Status(status) if status.is_terminal());
        Some(event)
    }

    /// Reads new events, or waits for them.
    async fn read(&mut self) {
        match self.app.orders.order_events(&self.id).await {
            Ok(mut events) => {
                events.retain(|event| self.is_new(event));
                events.reverse();
                self.pending = events;
                if self.pending.is_empty() {
                    // Events of a replica whose clock is far behind do not wake the subscription, so the wait is limited.
                    let _ = tokio::time::timeout(KEEP_ALIVE, self.subscription.changed()).await;
                }
            }
            Err(error) => {
                tracing::warn!(order = self.id.as_str(), %error, "reading order events failed");
                tokio::time::sleep(RETRY_DELAY).await;
            }
        }
    }
}

fn sse_event(order_event: &OrderEvent) -> Event {
    let data = map_event(order_event);
    let name = if data.status.is_some() { "status" } else { "note" };
    let event = Event::default().id(order_event.key.get().to_string()).event(name);
    // Plain strings always serialize.
    event.json_data(&data).unwrap_or_default()
}
