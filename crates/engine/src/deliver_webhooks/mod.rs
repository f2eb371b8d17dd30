mod attempt;
mod desk;
mod lane;
mod read_lines;
mod sign;
mod spacing;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{EndpointName, EventLog, OrderStore, Post, WebhookEndpoint, WebhookStore};
use causeway_domain::{Order, OrderEvent, RowKeys};
use jiff::SignedDuration;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

pub use desk::{EndpointReport, NewEndpoint, WantedEndpoint, WebhookDesk, WebhookDeskError};
use read_lines::Reader;

/// What others write, endpoints and lines alike, is looked for this often.
const OTHERS_EVERY: Duration = Duration::from_millis(500);
/// The shortest time between two looks: a busy service commits hundreds of times a second.
const SHORTEST: Duration = Duration::from_millis(20);

/// Writes the body that tells an order, its story so far, and the line of it that is told.
pub type Describe = dyn Fn(&Order, &[OrderEvent], &OrderEvent) -> Vec<u8> + Send + Sync;

/// For how long a line is tried, unless it is said otherwise.
pub const WEBHOOK_PATIENCE: SignedDuration = SignedDuration::from_hours(24);

/// What [`DeliverWebhooks`] works with.
pub struct DeliverParts {
    pub store: Arc<dyn WebhookStore>,
    pub log: Arc<dyn EventLog>,
    pub orders: Arc<dyn OrderStore>,
    pub post: Arc<dyn Post>,
    pub describe: Arc<Describe>,
    pub row_keys: Arc<RowKeys>,
    /// Rung by the desk when endpoints or deliveries change.
    pub bell: Arc<Notify>,
    /// A line that has failed for this long is given up.
    pub patience: SignedDuration,
}

impl fmt::Debug for DeliverParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeliverParts").finish_non_exhaustive()
    }
}

/// Tells endpoints what happens to orders: every line at least once, each order's lines one after the other.
///
/// Lines become deliveries in the store first, and a delivery ends when its receiver has acknowledged it; so a process may
/// die at any moment, and replicas share the work.
#[derive(Debug)]
pub struct DeliverWebhooks {
    parts: DeliverParts,
}

/// What sends to one endpoint.
struct Lane {
    endpoint: watch::Sender<Arc<WebhookEndpoint>>,
    /// Something may be due.
    bell: Arc<Notify>,
    stop: CancellationToken,
}

/// Something may be due for everybody.
fn ring(lanes: &HashMap<EndpointName, Lane>) {
    for lane in lanes.values() {
        lane.bell.notify_one();
    }
}

impl DeliverWebhooks {
    pub const fn new(parts: DeliverParts) -> Self {
        Self { parts }
    }

    /// Delivers until `stop`, and returns when what was being sent is over.
    pub async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut tasks = JoinSet::new();
        let mut lanes = HashMap::new();
        let mut reader = Reader::new();
        let mut refreshed: Option<Instant> = None;
        loop {
            let turn = async {
                if refreshed.is_none_or(|at| at.elapsed() >= OTHERS_EVERY) {
                    refreshed = Some(Instant::now());
                    if self.refresh(&mut lanes, &mut tasks, &stop).await {
                        reader.start_over();
                    }
                }
                let seen = self.parts.log.commits();
                if !lanes.is_empty() && reader.read(&self.parts).await > 0 {
                    ring(&lanes);
                }
                sleep(SHORTEST).await;
                let rest = OTHERS_EVERY.saturating_sub(refreshed.map_or(OTHERS_EVERY, |at| at.elapsed()));
                let commit = timeout(rest, self.parts.log.committed_since(seen));
                tokio::select! {
                    // Either way it is time for another look.
                    _ = commit, if !lanes.is_empty() => {}
                    () = sleep(rest), if lanes.is_empty() => {}
                    () = self.parts.bell.notified() => {
                        refreshed = None;
                        ring(&lanes);
                    }
                }
            };
            tokio::select! {
                () = stop.cancelled() => break,
                () = turn => {}
            }
            while tasks.try_join_next().is_some() {}
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Gives every enabled endpoint a lane and nobody else; tells whether that changed who is told.
    async fn refresh(
        self: &Arc<Self>,
        lanes: &mut HashMap<EndpointName, Lane>,
        tasks: &mut JoinSet<()>,
        stop: &CancellationToken,
    ) -> bool {
        let endpoints = match self.parts.store.endpoints().await {
            Ok(endpoints) => endpoints,
            Err(error) => {
                tracing::warn!(%error, "webhook endpoints cannot be read now");
                return false;
            }
        };
        let enabled: HashMap<_, _> = endpoints
            .into_iter()
            .filter(|endpoint| endpoint.enabled)
            .map(|endpoint| (endpoint.name.clone(), Arc::new(endpoint)))
            .collect();
        let mut changed = false;
        lanes.retain(|name, lane| {
            let stays = enabled.contains_key(name);
            if !stays {
                lane.stop.cancel();
                changed = true;
            }
            stays
        });
        for (name, endpoint) in enabled {
            if let Some(lane) = lanes.get(&name) {
                lane.endpoint.send_if_modified(|known| {
                    let differs = *known != endpoint;
                    changed |= differs;
                    *known = endpoint;
                    differs
                });
                continue;
            }
            changed = true;
            let (told, heard) = watch::channel(endpoint);
            let lane = Lane { endpoint: told, bell: Arc::default(), stop: stop.child_token() };
            let work = Arc::clone(self).run_lane(heard, Arc::clone(&lane.bell), lane.stop.clone());
            tasks.spawn(work);
            lanes.insert(name, lane);
        }
        changed
    }
}
