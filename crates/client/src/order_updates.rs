use std::time::Duration;

use futures::future::BoxFuture;

use crate::event_signals::{EventSignal, EventSignals};
use crate::{Client, Error};

/// The event stream of an order, which makes the next read come sooner than its interval.
pub(crate) struct OrderUpdates {
    client: Client,
    order_id: String,
    source: Source,
}

enum Source {
    /// Not opened yet, or the last stream ended.
    Unknown,
    Opening(BoxFuture<'static, Result<Option<EventSignals>, Error>>),
    Events(Box<EventSignals>),
    /// The service offers no events.
    None,
}

impl OrderUpdates {
    pub(crate) fn new(client: &Client, order_id: &str) -> Self {
        Self { client: client.clone(), order_id: order_id.to_owned(), source: Source::Unknown }
    }

    /// Waits until the order should be read again: for the interval, or until an event.
    pub(crate) async fn wait(&mut self, interval: Duration) -> Result<(), Error> {
        let client = self.client.clone();
        let over = client.pause(interval);
        tokio::pin!(over);
        tokio::select! {
            biased;
            done = &mut over => return done,
            signalled = self.next() => {
                if signalled? {
                    return Ok(());
                }
            }
        }
        over.await
    }

    /// Whether the order should be read now; `false` if nothing more comes until the next interval.
    async fn next(&mut self) -> Result<bool, Error> {
        loop {
            match &mut self.source {
                Source::None => return Ok(false),
                Source::Unknown => {
                    let (client, order_id) = (self.client.clone(), self.order_id.clone());
                    self.source = Source::Opening(Box::pin(async move { client.subscribe(&order_id).await }));
                }
                // One more read covers changes from before the stream started.
                Source::Opening(opening) => {
                    let events = opening.await?;
                    let is_open = events.is_some();
                    self.source = events.map_or(Source::None, |events| Source::Events(Box::new(events)));
                    return Ok(is_open);
                }
                Source::Events(events) => match events.next().await? {
                    EventSignal::ReadOrder => return Ok(true),
                    EventSignal::Closed => {
                        // A stream without any event will not have one the next time either.
                        self.source = if events.received_any { Source::Unknown } else { Source::None };
                        return Ok(false);
                    }
                },
            }
        }
    }
}
