mod post;

use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::{Deployment, RowKeys};
use causeway_engine::{DEFAULT_WEBHOOK_RETRY_PERIOD, DeliverParts, DeliverWebhooks, WebhookAdmin};
use causeway_store::Store;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::boot::config::{Config, WebhookConfig};
use crate::boot::parts::webhooks::post::HttpPost;

/// How long deliveries in flight may take at shutdown; unacknowledged ones are sent again after the next start.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// Webhook administration and delivery.
pub(crate) struct Webhooks {
    pub(crate) admin: WebhookAdmin,
    deliver: Arc<DeliverWebhooks>,
    tasks: JoinSet<()>,
}

impl Webhooks {
    /// Creates both, with the endpoints of the configuration.
    pub(crate) async fn open(
        config: &Config,
        catalog: &Arc<Catalog>,
        store: &Arc<Store>,
        row_keys: &Arc<RowKeys>,
        deployments: Vec<Deployment>,
    ) -> anyhow::Result<Self> {
        let private = config.webhooks.iter().filter(|webhook| webhook.private);
        let private = private.map(|webhook| webhook.url.expose().to_owned()).collect();
        let post = Arc::new(HttpPost::new(config.mode, private)?);
        let signal = Arc::<Notify>::default();
        let admin = WebhookAdmin::new(store.clone(), post.clone(), Arc::clone(&signal));
        let wanted = config.webhooks.iter().map(WebhookConfig::wanted);
        admin.configure(wanted.collect::<Result<_, _>>()?).await?;
        let catalog = Arc::clone(catalog);
        let deliver = DeliverWebhooks::new(DeliverParts {
            store: store.clone(),
            orders: store.clone(),
            purchases: store.clone(),
            post,
            encode: Arc::new(move |order, history, event| {
                causeway_http::encode_webhook_event(order, history, event, &catalog.snapshot())
            }),
            encode_purchase: Arc::new(move |purchase, event| {
                causeway_http::encode_purchase_webhook_event(purchase, event, &deployments)
            }),
            row_keys: Arc::clone(row_keys),
            signal,
            retry_period: DEFAULT_WEBHOOK_RETRY_PERIOD,
        });
        Ok(Self { admin, deliver: Arc::new(deliver), tasks: JoinSet::new() })
    }

    /// Delivers until `stop`.
    pub(crate) fn start(&mut self, stop: &CancellationToken) {
        self.tasks.spawn(Arc::clone(&self.deliver).run(stop.clone()));
    }

    /// Waits for deliveries in flight.
    pub(crate) async fn wait_stopped(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!("webhook delivery did not stop in time; unacknowledged deliveries are sent again");
        }
    }
}
