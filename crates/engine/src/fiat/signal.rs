use tokio::sync::Notify;

/// Signals that purchases may be due.
#[derive(Debug, Default)]
pub struct FiatSignal(Notify);

impl FiatSignal {
    pub fn notify(&self) {
        self.0.notify_one();
    }

    /// Waits for the next signal; one sent while nobody waited counts.
    pub(super) async fn notified(&self) {
        self.0.notified().await;
    }
}
