use crate::answers::FiatStatus;
use crate::{Client, Error, PollingOptions};

/// Whether the status of a purchase is terminal.
pub fn is_terminal_purchase(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "canceled" | "expired")
}

impl Client {
    /// Tracks a purchase until it is `completed`, `failed`, `canceled` or `expired`, and calls `on_status` whenever its status
    /// or progress changes.
    ///
    /// The service suggests the polling interval; `polling` sets the minimum. Transient errors are retried; other errors and an
    /// abort end the tracking.
    pub async fn track_purchase(
        &self,
        order_id: &str,
        polling: PollingOptions,
        mut on_status: impl FnMut(&FiatStatus) + Send,
    ) -> Result<FiatStatus, Error> {
        let mut last = None;
        loop {
            let wait = match self.fiat_status(order_id, false).await {
                Ok(status) => {
                    let current = (status.status.clone(), status.progress.clone());
                    if last.as_ref() != Some(&current) {
                        on_status(&status);
                        last = Some(current);
                    }
                    if status.polling.is_terminal || is_terminal_purchase(&status.status) {
                        return Ok(status);
                    }
                    status.polling.interval().max(polling.interval())
                }
                Err(error) if error.is_transient() => polling.delay_after(&error),
                Err(error) => return Err(error),
            };
            self.pause(wait).await?;
        }
    }
}
