use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use causeway_domain::{EventKind, OrderEvent, OrderId, RowKey};
use causeway_engine::OrderInterest;
use causeway_wire::{ErrorBody, OrderEvent as WireEvent};
use futures::{Stream, stream};

use super::map_order::map_event;
use crate::App;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Issues, Segment};

/// How often a quiet stream shows that it is alive, so that proxies keep it open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A store that fails is asked again; the client notices nothing but the delay.
const RETRY: Duration = Duration::from_secs(1);

/// What happens to an order, line by line as it happens: server-sent events.
///
/// A new stream begins with the order's whole story. One that was cut off goes on where it stopped: send the id of the last
/// line as `Last-Event-ID`, as browsers do by themselves. The stream ends with the status that is the order's last; asked again
/// after that, it answers 204.
#[utoipa::path(
    get,
    path = "/v1/orders/by-id/{orderId}/events",
    tag = "orders",
    params(
        ("orderId" = String, Path, description = "As a submit or a build answered it", example = "0f8fad5bd9cb469fa16570867728950e"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last line that was received"),
    ),
    responses(
        (status = 200, description = "Each event is `status` or `note`, its data one line of the story", body = WireEvent, content_type = "text/event-stream"),
        (status = 204, description = "The order has ended, and all of it was received"),
        (status = 400, description = "ValidationException", body = ErrorBody),
        (status = 404, description = "OrderNotFoundException", body = ErrorBody),
    ),
)]
pub(crate) async fn get_events(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    segment: Segment,
) -> ApiResult<Response> {
    let mut issues = Issues::default();
    let text = segment.text(&mut issues);
    let after = last_event(&headers, &mut issues);
    issues.finish()?;
    let id: OrderId = text.and_then(|text| text.parse().ok()).ok_or_else(ApiError::order_not_found)?;
    // Watched before it is read, so that nothing falls between.
    let interest = app.watch_orders.watch(&id);
    let order = app.orders.order(&id).await?.filter(|order| order.announced);
    let order = order.ok_or_else(ApiError::order_not_found)?;
    let story = app.orders.story(&id).await?;
    let lines = Lines { app, id, interest, after, ready: Vec::new(), ended: false };
    if order.status.is_terminal() && !story.iter().any(|line| lines.is_new(line)) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let sse = Sse::new(lines.stream()).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
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

/// A story as it is told to one listener.
struct Lines {
    app: Arc<App>,
    id: OrderId,
    interest: OrderInterest,
    /// The last line that was told.
    after: Option<RowKey>,
    /// What was read and not told yet, newest first.
    ready: Vec<OrderEvent>,
    ended: bool,
}

impl Lines {
    fn stream(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, async |mut lines| {
            let line = lines.next().await?;
            Some((Ok(event(&line)), lines))
        })
    }

    fn is_new(&self, line: &OrderEvent) -> bool {
        self.after.is_none_or(|after| line.key > after)
    }

    async fn next(&mut self) -> Option<OrderEvent> {
        while self.ready.is_empty() {
            if self.ended {
                return None;
            }
            self.read().await;
        }
        let line = self.ready.pop()?;
        self.after = Some(line.key);
        self.ended |= matches!(line.kind, EventKind::Status(status) if status.is_terminal());
        Some(line)
    }

    /// Reads what is new, or waits for it.
    async fn read(&mut self) {
        match self.app.orders.story(&self.id).await {
            Ok(mut story) => {
                story.retain(|line| self.is_new(line));
                story.reverse();
                self.ready = story;
                if self.ready.is_empty() {
                    // Nobody is woken by a line of a replica whose clock is far behind, so it is read now and then in any case.
                    let _ = tokio::time::timeout(KEEP_ALIVE, self.interest.changed()).await;
                }
            }
            Err(error) => {
                tracing::warn!(order = self.id.as_str(), %error, "an order's story cannot be read now");
                tokio::time::sleep(RETRY).await;
            }
        }
    }
}

fn event(line: &OrderEvent) -> Event {
    let data = map_event(line);
    let name = if data.status.is_some() { "status" } else { "note" };
    let event = Event::default().id(line.key.get().to_string()).event(name);
    // Strings alone always become JSON.
    event.json_data(&data).unwrap_or_default()
}
