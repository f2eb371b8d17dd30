mod admin;
mod attempt;
mod backoff;
mod endpoint_worker;
mod read_events;
mod sign;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::fiat::{FiatEvent, FiatOrder};
use causeway_domain::ports::{
    EndpointName, FiatStore, OrderStore, SubjectKind, WebhookEndpoint, WebhookStore, WebhookTransport,
};
use causeway_domain::{Order, OrderEvent, RowKeys};
use jiff::SignedDuration;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

pub use admin::{ConfiguredEndpoint, EndpointReport, NewEndpoint, WebhookAdmin, WebhookAdminError};
use read_events::EventReader;

/// How often endpoints and events of other processes are polled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The shortest time between two reads: a busy service commits hundreds of times a second.
const MIN_INTERVAL: Duration = Duration::from_millis(20);

/// Encodes the body of a webhook: the order, its events so far, and the event to deliver.
pub type EncodeWebhook = dyn Fn(&Order, &[OrderEvent], &OrderEvent) -> Vec<u8> + Send + Sync;

/// Encodes the body of a webhook about a purchase: the purchase, and the event to deliver.
pub type EncodePurchaseWebhook = dyn Fn(&FiatOrder, &FiatEvent) -> Vec<u8> + Send + Sync;

/// How long a delivery is retried by default.
pub const DEFAULT_WEBHOOK_RETRY_PERIOD: SignedDuration = SignedDuration::from_hours(24);

/// What [`DeliverWebhooks`] works with.
pub struct DeliverParts {
    pub store: Arc<dyn WebhookStore>,
    pub orders: Arc<dyn OrderStore>,
    pub purchases: Arc<dyn FiatStore>,
    pub post: Arc<dyn WebhookTransport>,
    pub encode: Arc<EncodeWebhook>,
    pub encode_purchase: Arc<EncodePurchaseWebhook>,
    pub row_keys: Arc<RowKeys>,
    /// Notified by [`WebhookAdmin`] when endpoints or deliveries change.
    pub signal: Arc<Notify>,
    /// A delivery that has failed for this long is given up.
    pub retry_period: SignedDuration,
}

impl fmt::Debug for DeliverParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeliverParts").finish_non_exhaustive()
    }
}

/// Delivers events to webhook endpoints: every event at least once, and those of an order or purchase in sequence.
///
/// Events are first stored as deliveries, and a delivery ends when its receiver has acknowledged it. So a process may die at
/// any moment, and replicas share the work.
#[derive(Debug)]
pub struct DeliverWebhooks {
    parts: DeliverParts,
}

/// The task that sends to one endpoint.
struct EndpointWorker {
    endpoint: watch::Sender<Arc<WebhookEndpoint>>,
    /// Signals that deliveries may be due.
    signal: Arc<Notify>,
    stop: CancellationToken,
}

/// Signals that deliveries may be due for every endpoint.
fn notify_all(workers: &HashMap<EndpointName, EndpointWorker>) {
    for worker in workers.values() {
        worker.signal.notify_one();
    }
}

impl DeliverWebhooks {
    pub const fn new(parts: DeliverParts) -> Self {
        Self { parts }
    }

    /// Delivers until `stop`, then waits for deliveries in flight.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut tasks = JoinSet::new();
        let mut workers = HashMap::new();
        let mut readers = SubjectKind::ALL.map(EventReader::new);
        let mut refreshed: Option<Instant> = None;
        loop {
            let iteration = async {
                if refreshed.is_none_or(|at| at.elapsed() >= POLL_INTERVAL) {
                    refreshed = Some(Instant::now());
                    if self.refresh(&mut workers, &mut tasks, &stop).await {
                        readers.iter_mut().for_each(EventReader::start_over);
                    }
                }
                let seen = self.parts.orders.commits();
                if !workers.is_empty() {
                    for reader in &mut readers {
                        if reader.read(&self.parts).await > 0 {
                            notify_all(&workers);
                        }
                    }
                }
                sleep(MIN_INTERVAL).await;
                let remaining =
                    POLL_INTERVAL.saturating_sub(refreshed.map_or(POLL_INTERVAL, |at| at.elapsed()));
                let commit = timeout(remaining, self.parts.orders.wait_for_commit_after(seen));
                tokio::select! {
                    // A commit and the timeout both lead to the next read.
                    _ = commit, if !workers.is_empty() => {}
                    () = sleep(remaining), if workers.is_empty() => {}
                    () = self.parts.signal.notified() => {
                        refreshed = None;
                        notify_all(&workers);
                    }
                }
            };
            tokio::select! {
                () = stop.cancelled() => break,
                () = iteration => {}
            }
            while tasks.try_join_next().is_some() {}
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Runs one worker per enabled endpoint; returns whether the endpoints changed.
    async fn refresh(
        self: &Arc<Self>,
        workers: &mut HashMap<EndpointName, EndpointWorker>,
        tasks: &mut JoinSet<()>,
        stop: &CancellationToken,
    ) -> bool {
        let endpoints = match self.parts.store.endpoints().await {
            Ok(endpoints) => endpoints,
            Err(error) => {
                tracing::warn!(%error, "reading webhook endpoints failed");
                return false;
            }
        };
        let enabled: HashMap<_, _> = endpoints
            .into_iter()
            .filter(|endpoint| endpoint.enabled)
            .map(|endpoint| (endpoint.name.clone(), Arc::new(endpoint)))
            .collect();
        let mut changed = false;
        workers.retain(|name, worker| {
            let stays = enabled.contains_key(name);
            if !stays {
                worker.stop.cancel();
                changed = true;
            }
            stays
        });
        for (name, endpoint) in enabled {
            if let Some(worker) = workers.get(&name) {
                worker.endpoint.send_if_modified(|known| {
                    let differs = *known != endpoint;
                    changed |= differs;
                    *known = endpoint;
                    differs
                });
                continue;
            }
            changed = true;
            let (sender, receiver) = watch::channel(endpoint);
            let worker =
                EndpointWorker { endpoint: sender, signal: Arc::default(), stop: stop.child_token() };
            let work =
                Arc::clone(self).run_endpoint(receiver, Arc::clone(&worker.signal), worker.stop.clone());
            tasks.spawn(work);
            workers.insert(name, worker);
        }
        changed
    }
}
