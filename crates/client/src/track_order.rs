use std::time::{Duration, Instant};

use causeway_wire::Order;

use crate::events::{Events, Nudge};
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

    /// No service is believed that wants to be left alone for longer than this.
    const LONGEST: Duration = Duration::from_mins(5);

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

    pub(crate) const fn interval(self) -> Duration {
        self.interval
    }

    /// How long to wait after an error that may pass: as long as the service asks, within reason.
    pub(crate) fn after(self, error: &Error) -> Duration {
        error.retry_after().unwrap_or_default().clamp(self.backoff, Self::LONGEST.max(self.backoff))
    }
}

/// Every two seconds, and five after an error that may pass.
impl Default for Pace {
    fn default() -> Self {
        Self { interval: Duration::from_secs(2), backoff: Duration::from_secs(5) }
    }
}

/// Where the news of an order comes from between two looks.
enum News {
    /// It was not asked for yet, or the last stream is over.
    Unknown,
    Events(Box<Events>),
    /// The service offers no events.
    Polling,
}

impl Client {
    /// Follows an order until it is `filled`, `refunded` or `failed`, and tells `on_status` of every status that it sees.
    ///
    /// Where the service sends events, they say when to look; else the order is looked at every now and then. Errors that may
    /// pass are waited out, for as long as the service asks; the others, and an abort, end the tracking.
    pub async fn track_order(
        &self,
        order_id: &str,
        pace: Pace,
        mut on_status: impl FnMut(&Order) + Send,
    ) -> Result<Order, Error> {
        let (mut told, mut news) = (None, News::Unknown);
        loop {
            let looked = Instant::now();
            match self.order(order_id).await {
                Ok(order) => {
                    if told.as_ref() != Some(&order.status) {
                        on_status(&order);
                        told = Some(order.status.clone());
                    }
                    if is_terminal(&order.status) {
                        return Ok(order);
                    }
                    news = self.await_news(order_id, news, pace).await?;
                    self.pause(Pace::FLOOR.saturating_sub(looked.elapsed())).await?;
                }
                Err(error) if error.is_transient() => self.pause(pace.after(&error)).await?,
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until it is time to look again.
    async fn await_news(&self, order_id: &str, news: News, pace: Pace) -> Result<News, Error> {
        match news {
            // What happened before the stream began is seen by looking once more.
            News::Unknown => match self.listen(order_id).await? {
                Some(events) => return Ok(News::Events(Box::new(events))),
                None => self.pause(pace.interval).await?,
            },
            News::Events(mut events) => match events.next().await? {
                Nudge::Look => return Ok(News::Events(events)),
                Nudge::Over => {
                    self.pause(pace.interval).await?;
                    if events.lively {
                        return Ok(News::Unknown);
                    }
                }
            },
            News::Polling => self.pause(pace.interval).await?,
        }
        Ok(News::Polling)
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

    #[test]
    fn a_service_that_asks_for_patience_is_left_alone_for_so_long_within_reason() {
        let busy = |seconds: Option<u64>| {
            let mut refused = Error::refused(429, b"", true);
            if let Error::Service(refusal) = &mut refused {
                refusal.details.retry_after = seconds.map(Duration::from_secs);
            }
            Pace::default().after(&refused).as_secs()
        };
        assert_eq!([busy(None), busy(Some(1)), busy(Some(42)), busy(Some(u64::MAX))], [5, 5, 42, 300]);
    }
}
