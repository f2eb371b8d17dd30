use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::TxSender;
use futures::future::join_all;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::ticker::Ticker;

/// Polls every sender's pending transactions until `stop`.
pub async fn poll_pending_transactions(
    senders: Vec<Arc<dyn TxSender>>,
    every: Duration,
    stop: CancellationToken,
) {
    let mut ticker = Ticker::new(every, stop.clone());
    while ticker.next().await {
        let polling = senders.iter().map(|sender| async {
            if let Err(error) = sender.poll_pending(Timestamp::now()).await {
                let (chain, account) = (sender.chain(), sender.account());
                tracing::debug!(%chain, %account, %error, "polling pending transactions failed");
            }
        });
        stop.run_until_cancelled(join_all(polling)).await;
    }
}
