mod post;
mod public;

use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::RowKeys;
use causeway_engine::{DeliverParts, DeliverWebhooks, WEBHOOK_PATIENCE, WebhookDesk};
use causeway_store::Store;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::config::{Config, WebhookConfig};
use crate::webhooks::post::HttpPost;

/// How long what is being sent may take once the service stops; what is not acknowledged by then is sent again.
const STOP_WITHIN: Duration = Duration::from_secs(3);

/// Everything that tells others what happens to orders.
pub(crate) struct Webhooks {
    pub(crate) desk: WebhookDesk,
    deliver: Arc<DeliverWebhooks>,
    tasks: JoinSet<()>,
}

impl Webhooks {
    /// Puts it together, with the endpoints that the configuration names.
    pub(crate) async fn open(
        config: &Config,
        catalog: &Arc<Catalog>,
        store: &Arc<Store>,
        row_keys: &Arc<RowKeys>,
    ) -> anyhow::Result<Self> {
        let private = config.webhooks.iter().filter(|webhook| webhook.private);
        let private = private.map(|webhook| webhook.url.expose().to_owned()).collect();
        let post = Arc::new(HttpPost::new(config.mode, private)?);
        let bell = Arc::<Notify>::default();
        let desk = WebhookDesk::new(store.clone(), post.clone(), Arc::clone(&bell));
        let wanted = config.webhooks.iter().map(WebhookConfig::wanted);
        desk.configure(wanted.collect::<Result<_, _>>()?).await?;
        let catalog = Arc::clone(catalog);
        let deliver = DeliverWebhooks::new(DeliverParts {
            store: store.clone(),
            log: store.clone(),
            orders: store.clone(),
            post,
            describe: Arc::new(move |order, story, line| {
                causeway_http::tell_event(order, story, line, &catalog.snapshot())
            }),
            row_keys: Arc::clone(row_keys),
            bell,
            patience: WEBHOOK_PATIENCE,
        });
        Ok(Self { desk, deliver: Arc::new(deliver), tasks: JoinSet::new() })
    }

    /// Begins to deliver, until `stop`.
    pub(crate) fn start(&mut self, stop: &CancellationToken) {
        self.tasks.spawn(Arc::clone(&self.deliver).run(stop.clone()));
    }

    /// Waits until what was being sent is over.
    pub(crate) async fn stopped(mut self) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_WITHIN, all).await.is_err() {
            tracing::warn!("webhooks did not stop in time; what was not acknowledged is sent again");
        }
    }
}
