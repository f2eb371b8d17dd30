use std::time::Duration;

use causeway_wire::FiatStatus;

use crate::{Client, Error, Pace};

/// Whether nothing comes after this status of a purchase.
pub fn is_terminal_purchase(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "canceled" | "expired")
}

impl Client {
    /// Follows a purchase until it is `completed`, `failed`, `canceled` or `expired`, and tells `on_status` whenever its status
    /// or its progress has changed.
    ///
    /// The service says when to ask again, though not more often than `pace` allows. Errors that may pass are waited out; the
    /// others, and an abort, end the tracking.
    pub async fn track_purchase(
        &self,
        order_id: &str,
        pace: Pace,
        mut on_status: impl FnMut(&FiatStatus) + Send,
    ) -> Result<FiatStatus, Error> {
        let mut told = None;
        loop {
            let wait = match self.fiat_status(order_id, false).await {
                Ok(status) => {
                    let news = (status.status.clone(), status.progress.clone());
                    if told.as_ref() != Some(&news) {
                        on_status(&status);
                        told = Some(news);
                    }
                    if status.polling.is_terminal || is_terminal_purchase(&status.status) {
                        return Ok(status);
                    }
                    Duration::from_millis(status.polling.suggested_interval_ms).max(pace.interval())
                }
                Err(error) if error.is_transient() => pace.after(&error),
                Err(error) => return Err(error),
            };
            self.pause(wait).await?;
        }
    }
}
