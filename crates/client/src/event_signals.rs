use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Request, Response};

use crate::lines::Lines;
use crate::{Client, Error};

const EVENT_STREAM: &str = "text/event-stream";

/// The event stream of one order. Its events only signal a change; the status is read from the order itself.
pub(crate) struct EventSignals {
    lines: Lines,
    /// Whether the current event has data.
    has_data: bool,
    /// Whether any event was received since the stream was opened.
    pub(crate) received_any: bool,
}

/// The result of waiting for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventSignal {
    /// An event arrived: read the order.
    ReadOrder,
    /// The stream ended.
    Closed,
}

pub(crate) fn is_event_stream(response: &Response) -> bool {
    let content = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content.is_some_and(|content| content.starts_with(EVENT_STREAM))
}

impl Client {
    pub(crate) fn events_request(&self, order_id: &str) -> Request {
        let url = self.base.join(&["v1", "orders", "by-id", order_id, "events"]);
        let mut request = Request::new(Method::GET, url);
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
        request
    }

    /// Opens the event stream of an order; `None` if the service offers none now.
    pub(crate) async fn subscribe(&self, order_id: &str) -> Result<Option<EventSignals>, Error> {
        let response = match self.open(self.events_request(order_id)).await {
            Err(Error::ApiAborted) => return Err(Error::ApiAborted),
            Err(_) => return Ok(None),
            Ok(response) => response,
        };
        let offered = is_event_stream(&response);
        let events = || EventSignals {
            lines: Lines::new(self.clone(), response),
            has_data: false,
            received_any: false,
        };
        Ok(offered.then(events))
    }
}

impl EventSignals {
    /// Waits for an event and consumes all that are buffered.
    pub(crate) async fn next(&mut self) -> Result<EventSignal, Error> {
        let cancelled = self.lines.cancellation();
        tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(Error::ApiAborted),
            signal = self.wait() => Ok(signal),
        }
    }

    async fn wait(&mut self) -> EventSignal {
        loop {
            let mut complete = false;
            while let Some(line) = self.lines.next_buffered() {
                // An empty line ends an event; an event without data is a keep-alive.
                complete |= line.is_empty() && self.has_data;
                self.has_data = !line.is_empty() && (self.has_data || line.starts_with(b"data"));
            }
            if complete {
                self.received_any = true;
                return EventSignal::ReadOrder;
            }
            if !matches!(self.lines.read_chunk().await, Ok(true)) {
                return EventSignal::Closed;
            }
        }
    }
}
