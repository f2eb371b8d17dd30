use std::time::{Duration, Instant};

use causeway_wire::Order;

use crate::event_signals::{EventSignal, EventSignals};
use crate::{Client, Error};

/// Whether the order status is terminal.
pub fn is_terminal(status: &str) -> bool {
    matches!(status, "filled" | "refunded" | "failed")
}

/// How often an order is polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollingOptions {
    interval: Duration,
    backoff: Duration,
}

impl PollingOptions {
    /// The shortest polling interval.
    pub const MIN_INTERVAL: Duration = Duration::from_millis(500);

    /// The longest `Retry-After` that is respected.
    const MAX_RETRY_AFTER: Duration = Duration::from_mins(5);

    /// Polls at this interval, but at least [`PollingOptions::MIN_INTERVAL`].
    #[must_use]
    pub fn with_interval(self, interval: Duration) -> Self {
        Self { interval: interval.max(Self::MIN_INTERVAL), ..self }
    }

    /// Waits this long after a transient error, but at least [`PollingOptions::MIN_INTERVAL`].
    #[must_use]
    pub fn with_backoff(self, backoff: Duration) -> Self {
        Self { backoff: backoff.max(Self::MIN_INTERVAL), ..self }
    }

    pub(crate) const fn interval(self) -> Duration {
        self.interval
    }

    /// The wait after a transient error: the `Retry-After` of the service, within limits.
    pub(crate) fn delay_after(self, error: &Error) -> Duration {
        error.retry_after().unwrap_or_default().clamp(self.backoff, Self::MAX_RETRY_AFTER.max(self.backoff))
    }
}

/// Every two seconds, and five seconds after a transient error.
impl Default for PollingOptions {
    fn default() -> Self {
        Self { interval: Duration::from_secs(2), backoff: Duration::from_secs(5) }
    }
}

/// How changes of an order are detected between two reads.
enum UpdateSource {
    /// Not determined yet, or the last stream ended.
    Unknown,
    Events(Box<EventSignals>),
    /// The service offers no events.
    Polling,
}

impl Client {
    /// Tracks an order until it is `filled`, `refunded` or `failed`, and calls `on_status` for every new status.
    ///
    /// Events of the service trigger reads of the order; without events the order is polled. Transient errors are retried after
    /// the `Retry-After` of the service; other errors and an abort end the tracking.
    pub async fn track_order(
        &self,
        order_id: &str,
        polling: PollingOptions,
        mut on_status: impl FnMut(&Order) + Send,
    ) -> Result<Order, Error> {
        let (mut last_status, mut source) = (None, UpdateSource::Unknown);
        loop {
            let started = Instant::now();
            match self.order(order_id).await {
                Ok(order) => {
                    if last_status.as_ref() != Some(&order.status) {
                        on_status(&order);
                        last_status = Some(order.status.clone());
                    }
                    if is_terminal(&order.status) {
                        return Ok(order);
                    }
                    source = self.wait_for_update(order_id, source, polling).await?;
                    self.pause(PollingOptions::MIN_INTERVAL.saturating_sub(started.elapsed())).await?;
                }
                Err(error) if error.is_transient() => self.pause(polling.delay_after(&error)).await?,
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until the order should be read again.
    async fn wait_for_update(
        &self,
        order_id: &str,
        source: UpdateSource,
        polling: PollingOptions,
    ) -> Result<UpdateSource, Error> {
        match source {
            // One more read covers changes from before the stream started.
            UpdateSource::Unknown => match self.subscribe(order_id).await? {
                Some(events) => return Ok(UpdateSource::Events(Box::new(events))),
                None => self.pause(polling.interval).await?,
            },
            UpdateSource::Events(mut events) => match events.next().await? {
                EventSignal::ReadOrder => return Ok(UpdateSource::Events(events)),
                EventSignal::Closed => {
                    self.pause(polling.interval).await?;
                    if events.received_any {
                        return Ok(UpdateSource::Unknown);
                    }
                }
            },
            UpdateSource::Polling => self.pause(polling.interval).await?,
        }
        Ok(UpdateSource::Polling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_interval_is_two_seconds_and_the_minimum_half_a_second() {
        let (defaults, fast) = (
            PollingOptions::default(),
            PollingOptions::default().with_interval(Duration::ZERO).with_backoff(Duration::ZERO),
        );
        assert_eq!((defaults.interval, defaults.backoff), (Duration::from_secs(2), Duration::from_secs(5)));
        assert_eq!(
            (fast.interval, fast.backoff),
            (PollingOptions::MIN_INTERVAL, PollingOptions::MIN_INTERVAL)
        );
        assert_eq!(defaults.with_interval(Duration::from_secs(9)).interval, Duration::from_secs(9));
    }

    #[test]
    fn retry_after_is_respected_within_limits() {
        let busy = |seconds: Option<u64>| {
            let mut refused = Error::from_response(429, b"", true);
            if let Error::Service(refusal) = &mut refused {
                refusal.details.retry_after = seconds.map(Duration::from_secs);
            }
            PollingOptions::default().delay_after(&refused).as_secs()
        };
        assert_eq!([busy(None), busy(Some(1)), busy(Some(42)), busy(Some(u64::MAX))], [5, 5, 42, 300]);
    }
}
