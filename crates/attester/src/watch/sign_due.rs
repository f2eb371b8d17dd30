use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt as _;

use super::Desk;
use crate::attester::Attester;

/// How many orders are looked at together; questions from outside have the rest.
const TOGETHER: usize = 8;

/// Looks at each order when it is worth it, for ever.
pub(super) async fn sign_due(attester: Attester, desk: Arc<Desk>) {
    loop {
        let due = desk.list().take_due(Instant::now());
        let looks = due.into_iter().map(|terms| {
            let (attester, desk) = (&attester, &desk);
            async move {
                let order = terms.id();
                let answer = attester.attest(&terms).await;
                match &answer {
                    Ok(signed) => tracing::info!(%order, outcome = %signed.attestation.outcome(), "signed"),
                    Err(why) => tracing::debug!(%order, %why, "not signed"),
                }
                desk.list().answered(&order, answer.as_ref().err(), Instant::now());
            }
        });
        futures::stream::iter(looks).for_each_concurrent(TOGETHER, |look| look).await;
        let _ = tokio::time::timeout(attester.0.config.poll, desk.news.notified()).await;
    }
}
