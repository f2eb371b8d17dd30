use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, header};
use tokio_util::sync::CancellationToken;

use super::provider::{Provider, now_ms};
use super::purchases::{Event, PurchaseLog};
use crate::signature::sign;

/// The header with a webhook's signature.
pub(super) const SIGNATURE_HEADER: &str = "sandbox-signature";

/// Poll interval of the queue, and the interval while it is empty.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(10);

/// Timeout of a webhook.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum attempts of a webhook; the backoffs add up to about ten minutes.
const MAX_ATTEMPTS: u32 = 16;
const MAX_BACKOFF_MS: i64 = 60_000;

/// Attempts of each event, and when it is retried.
type Attempts = HashMap<String, (u32, i64)>;

/// Delivers webhooks until `stop`. Undelivered events are retried, also after a restart.
pub(super) async fn deliver_webhooks(provider: Arc<Provider>, client: Client, stop: CancellationToken) {
    let mut attempts = Attempts::new();
    loop {
        let interval = if provider.purchases.lock().pending_events().is_empty() {
            IDLE_POLL_INTERVAL
        } else {
            POLL_INTERVAL
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = provider.webhook_wake.notified() => {}
            () = tokio::time::sleep(interval) => {}
        }
        if provider.switches().down {
            continue;
        }
        let due = due(&provider.purchases.lock(), &attempts, now_ms());
        for (event, copies) in due {
            let mut is_accepted = copies == 0;
            for _ in 0..copies {
                is_accepted = post(&provider, &client, &event).await;
            }
            let attempt = attempts.entry(event.id.clone()).or_default();
            *attempt = (attempt.0 + 1, now_ms() + backoff(attempt.0));
            if !is_accepted && attempt.0 < MAX_ATTEMPTS {
                continue;
            }
            if !is_accepted {
                tracing::warn!(provider = provider.plan.id(), "webhook given up");
            }
            attempts.remove(&event.id);
            if let Err(error) = provider.purchases.lock().mark_delivered(&event.id) {
                tracing::error!(provider = provider.plan.id(), %error, "sandbox provider cannot write its journal");
            }
            // The same purchase may have another event.
            provider.webhook_wake.notify_one();
        }
    }
}

/// Exponential backoff from half a second.
fn backoff(tried: u32) -> i64 {
    500_i64.saturating_mul(1 << tried.min(20)).min(MAX_BACKOFF_MS)
}

/// The events that are due, one per purchase at a time, with the number of copies.
fn due(purchases: &PurchaseLog, attempts: &Attempts, now: i64) -> Vec<(Event, usize)> {
    let switches = &purchases.switches().webhooks;
    if switches.off {
        return purchases.pending_events().iter().map(|event| (event.clone(), 0)).collect();
    }
    let copies = if switches.twice { 2 } else { 1 };
    let late = i64::try_from(switches.late_ms).unwrap_or_default();
    let mut events: Vec<&Event> = purchases.pending_events().iter().collect();
    if switches.out_of_order {
        events
            .retain(|event| purchases.session(&event.session).is_some_and(|session| session.state.is_over()));
        events.reverse();
    }
    let mut seen = HashSet::new();
    events.retain(|event| seen.insert(event.session.as_str()));
    let is_backing_off = |event: &Event| attempts.get(&event.id).is_some_and(|(_, again)| *again > now);
    let ready = events.into_iter().filter(|event| event.at + late <= now && !is_backing_off(event));
    ready.map(|event| (event.clone(), copies)).collect()
}

/// Whether the partner accepted it.
async fn post(provider: &Provider, client: &Client, event: &Event) -> bool {
    let url = format!("{}/{}", provider.settings.webhooks, provider.plan.id());
    let signature = sign(&provider.secrets.webhook, now_ms() / 1_000, event.body.as_bytes());
    let request = client
        .post(url)
        .header(header::CONTENT_TYPE, "application/json")
        .header(SIGNATURE_HEADER, signature)
        .timeout(TIMEOUT)
        .body(event.body.clone());
    match request.send().await {
        Ok(response) => response.status().is_success(),
        Err(error) => {
            tracing::debug!(provider = provider.plan.id(), error = %error.without_url(), "webhook not accepted");
            false
        }
    }
}
