use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::Carrier;
use futures::future::join_all;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::turns::Turns;

/// Sees everything that was sent through, until `stop`.
pub async fn tend_carriers(carriers: Vec<Arc<dyn Carrier>>, every: Duration, stop: CancellationToken) {
    let mut turns = Turns::new(every, stop.clone());
    while turns.next().await {
        let tending = carriers.iter().map(|carrier| async {
            if let Err(error) = carrier.tend(Timestamp::now()).await {
                let (chain, account) = (carrier.chain(), carrier.account());
                tracing::debug!(%chain, %account, %error, "what was sent could not be looked after");
            }
        });
        stop.run_until_cancelled(join_all(tending)).await;
    }
}
