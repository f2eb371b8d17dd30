use std::time::Duration;

use crate::answers::Order;
use crate::order_updates::OrderUpdates;
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
    /// The longest `Retry-After` that is respected.
    const MAX_RETRY_AFTER: Duration = Duration::from_mins(5);

    /// Polls at this interval.
    #[must_use]
    pub const fn with_interval(self, interval: Duration) -> Self {
        Self { interval, ..self }
    }

    /// Waits this long after a transient error.
    #[must_use]
    pub const fn with_backoff(self, backoff: Duration) -> Self {
        Self { backoff, ..self }
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

impl Client {
    /// Tracks an order until it is `filled`, `refunded` or `failed`, and calls `on_status` for every new status.
    ///
    /// The order is read at the polling interval, and sooner if the service sends an event. Transient errors are retried after
    /// the `Retry-After` of the service; other errors and an abort end the tracking.
    pub async fn track_order(
        &self,
        order_id: &str,
        polling: PollingOptions,
        mut on_status: impl FnMut(&Order) + Send,
    ) -> Result<Order, Error> {
        let (mut last_status, mut updates) = (None, OrderUpdates::new(self, order_id));
        loop {
            match self.order(order_id).await {
                Ok(order) => {
                    if last_status.as_ref() != Some(&order.status) {
                        on_status(&order);
                        last_status = Some(order.status.clone());
                    }
                    if is_terminal(&order.status) {
                        return Ok(order);
                    }
                    updates.wait(polling.interval).await?;
                }
                Err(error) if error.is_transient() => self.pause(polling.delay_after(&error)).await?,
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_two_and_five_seconds_and_others_are_taken_as_given() {
        let defaults = PollingOptions::default();
        assert_eq!((defaults.interval, defaults.backoff), (Duration::from_secs(2), Duration::from_secs(5)));
        let fast = defaults.with_interval(Duration::ZERO).with_backoff(Duration::from_millis(1));
        assert_eq!((fast.interval, fast.backoff), (Duration::ZERO, Duration::from_millis(1)));
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
