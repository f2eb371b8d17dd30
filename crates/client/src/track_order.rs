use std::time::Duration;

use causeway_wire::Order;

use crate::{Client, Error};

/// Whether nothing comes after this status of an order.
pub fn is_terminal(status: &str) -> bool {
    matches!(status, "filled" | "refunded" | "failed")
}

/// How often an order is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    interval: Duration,
    backoff: Duration,
}

impl Pace {
    /// No order is asked for more often than this.
    pub const FLOOR: Duration = Duration::from_millis(500);

    /// Looks at the order this often, though not more often than [`Pace::FLOOR`].
    #[must_use]
    pub fn every(self, interval: Duration) -> Self {
        Self { interval: interval.max(Self::FLOOR), ..self }
    }

    /// Waits this long after an error that may pass, though not less than [`Pace::FLOOR`].
    #[must_use]
    pub fn retrying_after(self, backoff: Duration) -> Self {
        Self { backoff: backoff.max(Self::FLOOR), ..self }
    }

    pub(crate) const fn backoff(self) -> Duration {
        self.backoff
    }
}

/// Every two seconds, and five after an error that may pass.
impl Default for Pace {
    fn default() -> Self {
        Self { interval: Duration::from_secs(2), backoff: Duration::from_secs(5) }
    }
}

impl Client {
    /// Follows an order until it is `filled`, `refunded` or `failed`, and tells `on_status` of every status that it sees.
    ///
    /// Errors that may pass are waited out; the others, and an abort, end the tracking.
    pub async fn track_order(
        &self,
        order_id: &str,
        pace: Pace,
        mut on_status: impl FnMut(&Order) + Send,
    ) -> Result<Order, Error> {
        let mut told = None;
        loop {
            let wait = match self.order(order_id).await {
                Ok(order) => {
                    if told.as_ref() != Some(&order.status) {
                        on_status(&order);
                        told = Some(order.status.clone());
                    }
                    if is_terminal(&order.status) {
                        return Ok(order);
                    }
                    pace.interval
                }
                Err(error) if error.is_transient() => pace.backoff,
                Err(error) => return Err(error),
            };
            self.pause(wait).await?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_looked_at_every_two_seconds_and_never_more_often_than_twice_a_second() {
        let (usual, hasty) =
            (Pace::default(), Pace::default().every(Duration::ZERO).retrying_after(Duration::ZERO));
        assert_eq!((usual.interval, usual.backoff), (Duration::from_secs(2), Duration::from_secs(5)));
        assert_eq!((hasty.interval, hasty.backoff), (Pace::FLOOR, Pace::FLOOR));
        assert_eq!(usual.every(Duration::from_secs(9)).interval, Duration::from_secs(9));
    }
}
