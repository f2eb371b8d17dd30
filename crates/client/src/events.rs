use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Request, Response};

use crate::lines::Lines;
use crate::{Client, Error};

const EVENT_STREAM: &str = "text/event-stream";

/// How long a stream may be silent before the order is looked at anyway.
const PATIENCE: Duration = Duration::from_secs(30);

/// The events of one order. They say when to look; how the order stands is read from the order itself.
pub(crate) struct Events {
    lines: Lines,
    /// Whether the event that is coming has data.
    begun: bool,
    /// Whether anything has happened since the stream was opened.
    pub(crate) lively: bool,
}

/// What came of waiting for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nudge {
    /// Something happened, or nothing did for a long while.
    Look,
    /// There will be no more events.
    Over,
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

    /// Listens to an order; `None` where the service offers no events, or not now.
    pub(crate) async fn listen(&self, order_id: &str) -> Result<Option<Events>, Error> {
        let response = match self.open(self.events_request(order_id)).await {
            Err(Error::ApiAborted) => return Err(Error::ApiAborted),
            Err(_) => return Ok(None),
            Ok(response) => response,
        };
        let offered = is_event_stream(&response);
        let events = || Events { lines: Lines::new(self.clone(), response), begun: false, lively: false };
        Ok(offered.then(events))
    }
}

impl Events {
    /// Waits for an event, and takes all that came with it.
    pub(crate) async fn next(&mut self) -> Result<Nudge, Error> {
        let cancelled = self.lines.cancelled();
        tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(Error::ApiAborted),
            waited = tokio::time::timeout(PATIENCE, self.wait()) => Ok(waited.unwrap_or(Nudge::Look)),
        }
    }

    async fn wait(&mut self) -> Nudge {
        loop {
            let mut happened = false;
            while let Some(line) = self.lines.ready() {
                // An empty line ends an event; one without data, such as a sign of life, is none.
                happened |= line.is_empty() && self.begun;
                self.begun = !line.is_empty() && (self.begun || line.starts_with(b"data"));
            }
            if happened {
                self.lively = true;
                return Nudge::Look;
            }
            if !matches!(self.lines.more().await, Ok(true)) {
                return Nudge::Over;
            }
        }
    }
}
