use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt as _;

use super::WatchState;
use crate::attester::Attester;

/// How many orders are checked at once; the remaining request slots are for clients.
const MAX_CONCURRENT: usize = 8;

/// Checks each order when it is due, until cancelled.
pub(super) async fn sign_due(attester: Attester, state: Arc<WatchState>) {
    loop {
        let due = state.list.lock().take_due(Instant::now());
        let checks = due.into_iter().map(|terms| {
            let (attester, state) = (&attester, &state);
            async move {
                let order = terms.id();
                let answer = attester.attest(&terms).await;
                match &answer {
                    Ok(signed) => {
                        tracing::info!(%order, outcome = %signed.attestation.outcome(), "outcome signed");
                    }
                    Err(why) => tracing::debug!(%order, %why, "outcome not signed"),
                }
                state.list.lock().record_result(&order, answer.as_ref().err(), Instant::now());
            }
        });
        futures::stream::iter(checks).for_each_concurrent(MAX_CONCURRENT, |check| check).await;
        let _ = tokio::time::timeout(attester.0.config.poll, state.wake.notified()).await;
    }
}
