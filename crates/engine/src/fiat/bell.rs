use tokio::sync::Notify;

/// Tells that purchases may be due.
#[derive(Debug, Default)]
pub struct FiatBell(Notify);

impl FiatBell {
    pub fn ring(&self) {
        self.0.notify_one();
    }

    /// Waits until somebody rings; a ring while nobody waited counts.
    pub(super) async fn rung(&self) {
        self.0.notified().await;
    }
}
