use std::fmt;
use std::sync::Arc;

use causeway_domain::RowKey;
use causeway_domain::ports::{
    DeliveryAttempt, EndpointError, EndpointName, EndpointSource, StoreError, Subscription, WebhookEndpoint,
    WebhookSecret, WebhookStore, WebhookTransport,
};
use jiff::Timestamp;
use thiserror::Error;
use tokio::sync::Notify;

/// How many events one step of a replay enqueues.
const REPLAY_PAGE: u32 = 500;

/// Why an endpoint could not be added, changed or read.
#[derive(Debug, Error)]
pub enum WebhookAdminError {
    #[error("the address cannot be used: {0}")]
    Address(String),
    #[error("there is an endpoint `{0}` already: choose another name, or remove it first")]
    Taken(EndpointName),
    #[error("there is no endpoint `{0}`: `causeway webhooks list` shows all endpoints")]
    NotFound(EndpointName),
    #[error("the endpoint `{0}` is defined in the configuration: change it there and restart the service")]
    Configured(EndpointName),
    #[error(transparent)]
    Invalid(#[from] EndpointError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An endpoint that an operator adds.
#[derive(Clone, Debug)]
pub struct NewEndpoint {
    pub name: EndpointName,
    pub url: String,
    /// Generated when absent.
    pub secret: Option<WebhookSecret>,
    pub integrator: Option<String>,
    pub about: Subscription,
}

/// An endpoint of the configuration.
#[derive(Clone, Debug)]
pub struct ConfiguredEndpoint {
    pub name: EndpointName,
    pub url: String,
    /// The newest first.
    pub secrets: Vec<WebhookSecret>,
    pub integrator: Option<String>,
    pub about: Subscription,
}

/// An endpoint and its delivery counts.
#[derive(Clone, Debug)]
pub struct EndpointReport {
    pub endpoint: WebhookEndpoint,
    pub waiting: u64,
    pub given_up: u64,
}

/// Manages webhook endpoints for operators.
#[derive(Clone)]
pub struct WebhookAdmin {
    store: Arc<dyn WebhookStore>,
    post: Arc<dyn WebhookTransport>,
    signal: Arc<Notify>,
}

impl fmt::Debug for WebhookAdmin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookAdmin").finish_non_exhaustive()
    }
}

impl WebhookAdmin {
    /// `signal` is the one that [`super::DeliverWebhooks`] waits for.
    pub fn new(store: Arc<dyn WebhookStore>, post: Arc<dyn WebhookTransport>, signal: Arc<Notify>) -> Self {
        Self { store, post, signal }
    }

    /// Adds an endpoint, which receives events from now on.
    pub async fn add(&self, new: NewEndpoint) -> Result<WebhookEndpoint, WebhookAdminError> {
        self.post.check(&new.url).map_err(WebhookAdminError::Address)?;
        let secret = new.secret.map_or_else(WebhookSecret::random, Ok)?;
        let NewEndpoint { name, url, integrator, about, .. } = new;
        let wanted = ConfiguredEndpoint { name, url, secrets: vec![secret], integrator, about };
        let endpoint = endpoint(wanted, EndpointSource::Operator);
        if !self.store.add_endpoint(&endpoint).await? {
            return Err(WebhookAdminError::Taken(endpoint.name));
        }
        self.signal.notify_one();
        Ok(endpoint)
    }

    pub async fn list(&self) -> Result<Vec<EndpointReport>, WebhookAdminError> {
        let counts = self.store.delivery_counts().await?;
        let report = |endpoint: WebhookEndpoint| {
            let count = counts.iter().find(|count| count.endpoint == endpoint.name);
            let (waiting, given_up) = count.map_or((0, 0), |count| (count.waiting, count.given_up));
            EndpointReport { endpoint, waiting, given_up }
        };
        Ok(self.store.endpoints().await?.into_iter().map(report).collect())
    }

    /// Removes an endpoint with its log and its pending deliveries.
    pub async fn remove(&self, name: &EndpointName) -> Result<(), WebhookAdminError> {
        let known = self.find(name).await?;
        if known.source == EndpointSource::Config && known.enabled {
            return Err(WebhookAdminError::Configured(known.name));
        }
        if !self.store.remove_endpoint(name).await? {
            return Err(WebhookAdminError::NotFound(known.name));
        }
        self.signal.notify_one();
        Ok(())
    }

    /// Gives an endpoint a new secret; the previous one keeps signing alongside it until the next rotation.
    pub async fn rotate(
        &self,
        name: &EndpointName,
        secret: Option<WebhookSecret>,
    ) -> Result<WebhookEndpoint, WebhookAdminError> {
        let mut known = self.find(name).await?;
        if known.source == EndpointSource::Config {
            return Err(WebhookAdminError::Configured(known.name));
        }
        known.secrets.insert(0, secret.map_or_else(WebhookSecret::random, Ok)?);
        known.secrets.truncate(2);
        if !self.store.change_endpoint(&known).await? {
            return Err(WebhookAdminError::NotFound(known.name));
        }
        self.signal.notify_one();
        Ok(known)
    }

    /// Sends all events after the given one again, acknowledged or not; returns how many.
    pub async fn replay(&self, name: &EndpointName, after: RowKey) -> Result<u64, WebhookAdminError> {
        self.find(name).await?;
        let (mut total, mut cursor) = (0_u64, after);
        loop {
            let (count, last) =
                self.store.replay_deliveries(name, cursor, REPLAY_PAGE, Timestamp::now()).await?;
            total = total.saturating_add(count);
            self.signal.notify_one();
            match last {
                Some(last) => cursor = last,
                None => return Ok(total),
            }
        }
    }

    /// The delivery log, newest first, before the given entry.
    pub async fn log(
        &self,
        name: &EndpointName,
        before: Option<RowKey>,
        limit: u32,
    ) -> Result<Vec<DeliveryAttempt>, WebhookAdminError> {
        self.find(name).await?;
        Ok(self.store.delivery_log(name, before, limit).await?)
    }

    /// Applies the endpoints of the configuration. One that was removed receives nothing more; when it returns it receives
    /// what it missed.
    pub async fn configure(&self, wanted: Vec<ConfiguredEndpoint>) -> Result<(), WebhookAdminError> {
        let known = self.store.endpoints().await?;
        let gone = known.iter().filter(|known| known.source == EndpointSource::Config && known.enabled);
        for gone in gone.filter(|known| !wanted.iter().any(|wanted| wanted.name == known.name)) {
            self.store.change_endpoint(&WebhookEndpoint { enabled: false, ..gone.clone() }).await?;
        }
        for wanted in wanted {
            self.post.check(&wanted.url).map_err(WebhookAdminError::Address)?;
            let endpoint = endpoint(wanted, EndpointSource::Config);
            if !self.store.add_endpoint(&endpoint).await? {
                self.store.change_endpoint(&endpoint).await?;
            }
        }
        self.signal.notify_one();
        Ok(())
    }

    async fn find(&self, name: &EndpointName) -> Result<WebhookEndpoint, WebhookAdminError> {
        let known = self.store.endpoints().await?.into_iter().find(|known| known.name == *name);
        known.ok_or_else(|| WebhookAdminError::NotFound(name.clone()))
    }
}

fn endpoint(wanted: ConfiguredEndpoint, source: EndpointSource) -> WebhookEndpoint {
    let ConfiguredEndpoint { name, url, secrets, integrator, about } = wanted;
    let created_at = Timestamp::now();
    let since = RowKey::floor_at(created_at);
    WebhookEndpoint { name, url, secrets, integrator, about, source, enabled: true, since, created_at }
}
