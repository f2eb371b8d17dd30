use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::Carrier;
use futures::future::join_all;
use jiff::Timestamp;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

/// Sees everything that was sent through, until `stop`.
pub async fn tend_carriers(carriers: Vec<Arc<dyn Carrier>>, every: Duration, stop: CancellationToken) {
    let mut turn = tokio::time::interval(every);
    turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = turn.tick() => {}
        }
        let tending = carriers.iter().map(|carrier| async {
            if let Err(error) = carrier.tend(Timestamp::now()).await {
                let (chain, account) = (carrier.chain(), carrier.account());
                tracing::debug!(%chain, %account, %error, "what was sent could not be looked after");
            }
        });
        stop.run_until_cancelled(join_all(tending)).await;
    }
}
