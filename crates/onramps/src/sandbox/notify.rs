use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, header};
use tokio_util::sync::CancellationToken;

use super::book::{Book, Event};
use super::provider::{Provider, now_ms};
use crate::signature::sign;

/// The header that a webhook's signature stands in.
pub(super) const SIGNATURE_HEADER: &str = "sandbox-signature";

/// How often the queue is looked at although nothing has happened, and how often while it is empty.
const TURN: Duration = Duration::from_millis(200);
const IDLE: Duration = Duration::from_secs(10);

/// How long a webhook may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// After so many tries nobody is told any more; the waits between them add up to about ten minutes.
const TRIES: u32 = 16;
const LONGEST_WAIT_MS: i64 = 60_000;

/// How often an event could not be told, and when it is tried again.
type Tries = HashMap<String, (u32, i64)>;

/// Tells the partner of what happens, until `stop`. What was not heard is told again, after a restart too.
pub(super) async fn tell(provider: Arc<Provider>, client: Client, stop: CancellationToken) {
    let mut tries = Tries::new();
    loop {
        let turn = if provider.book().untold().is_empty() { IDLE } else { TURN };
        tokio::select! {
            () = stop.cancelled() => return,
            () = provider.tell.notified() => {}
            () = tokio::time::sleep(turn) => {}
        }
        if provider.switches().down {
            continue;
        }
        let due = due(&provider.book(), &tries, now_ms());
        for (event, copies) in due {
            let mut heard = copies == 0;
            for _ in 0..copies {
                heard = post(&provider, &client, &event).await;
            }
            let attempts = tries.entry(event.id.clone()).or_default();
            *attempts = (attempts.0 + 1, now_ms() + wait(attempts.0));
            if !heard && attempts.0 < TRIES {
                continue;
            }
            if !heard {
                tracing::warn!(provider = provider.plan.id(), "a webhook was never taken, and is given up");
            }
            tries.remove(&event.id);
            if let Err(error) = provider.book().told(&event.id) {
                tracing::error!(provider = provider.plan.id(), %error, "the play provider cannot write");
            }
            // There may be another one of the same purchase.
            provider.tell.notify_one();
        }
    }
}

/// Half a second, then twice as long each time.
fn wait(tried: u32) -> i64 {
    500_i64.saturating_mul(1 << tried.min(20)).min(LONGEST_WAIT_MS)
}

/// What is to be told now, one event of a purchase at a time, and how often each.
fn due(book: &Book, tries: &Tries, now: i64) -> Vec<(Event, usize)> {
    let switches = &book.switches().webhooks;
    if switches.off {
        return book.untold().iter().map(|event| (event.clone(), 0)).collect();
    }
    let copies = if switches.twice { 2 } else { 1 };
    let late = i64::try_from(switches.late_ms).unwrap_or_default();
    let mut events: Vec<&Event> = book.untold().iter().collect();
    if switches.out_of_order {
        events.retain(|event| book.session(&event.session).is_some_and(|session| session.state.is_over()));
        events.reverse();
    }
    let mut seen = HashSet::new();
    events.retain(|event| seen.insert(event.session.as_str()));
    let waits = |event: &Event| tries.get(&event.id).is_some_and(|(_, again)| *again > now);
    let ready = events.into_iter().filter(|event| event.at + late <= now && !waits(event));
    ready.map(|event| (event.clone(), copies)).collect()
}

/// Whether the partner took it.
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
            tracing::debug!(provider = provider.plan.id(), error = %error.without_url(), "a webhook was not taken");
            false
        }
    }
}
