use std::fmt;
use std::sync::Arc;

use causeway_domain::RowKey;
use causeway_domain::ports::{
    DeliveryAttempt, EndpointError, EndpointName, EndpointSource, Post, StoreError, WebhookEndpoint,
    WebhookSecret, WebhookStore,
};
use jiff::Timestamp;
use thiserror::Error;
use tokio::sync::Notify;

/// How many lines one turn of a replay puts on their way.
const REPLAY_PAGE: u32 = 500;

/// Why an endpoint could not be added, changed or asked about.
#[derive(Debug, Error)]
pub enum WebhookDeskError {
    #[error("the address cannot be used: {0}")]
    Address(String),
    #[error("there is an endpoint `{0}` already: choose another name, or remove it first")]
    Taken(EndpointName),
    #[error("there is no endpoint `{0}`: `causeway webhooks list` tells those that there are")]
    NotFound(EndpointName),
    #[error("the endpoint `{0}` stands in the configuration: change it there and start the service again")]
    Configured(EndpointName),
    #[error(transparent)]
    Wrong(#[from] EndpointError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An endpoint that an operator wants.
#[derive(Clone, Debug)]
pub struct NewEndpoint {
    pub name: EndpointName,
    pub url: String,
    /// Made up when absent.
    pub secret: Option<WebhookSecret>,
    pub integrator: Option<String>,
}

/// An endpoint as the configuration has it.
#[derive(Clone, Debug)]
pub struct WantedEndpoint {
    pub name: EndpointName,
    pub url: String,
    /// The newest first.
    pub secrets: Vec<WebhookSecret>,
    pub integrator: Option<String>,
}

/// An endpoint and how its deliveries stand.
#[derive(Clone, Debug)]
pub struct EndpointReport {
    pub endpoint: WebhookEndpoint,
    pub waiting: u64,
    pub given_up: u64,
}

/// Where operators keep their endpoints.
#[derive(Clone)]
pub struct WebhookDesk {
    store: Arc<dyn WebhookStore>,
    post: Arc<dyn Post>,
    bell: Arc<Notify>,
}

impl fmt::Debug for WebhookDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookDesk").finish_non_exhaustive()
    }
}

impl WebhookDesk {
    /// `bell` is the one that [`super::DeliverWebhooks`] hears.
    pub fn new(store: Arc<dyn WebhookStore>, post: Arc<dyn Post>, bell: Arc<Notify>) -> Self {
        Self { store, post, bell }
    }

    /// Adds an endpoint, which hears of what happens from now on.
    pub async fn add(&self, new: NewEndpoint) -> Result<WebhookEndpoint, WebhookDeskError> {
        self.post.check(&new.url).map_err(WebhookDeskError::Address)?;
        let secret = new.secret.map_or_else(WebhookSecret::random, Ok)?;
        let endpoint = endpoint(new.name, new.url, vec![secret], new.integrator, EndpointSource::Operator);
        if !self.store.add_endpoint(&endpoint).await? {
            return Err(WebhookDeskError::Taken(endpoint.name));
        }
        self.bell.notify_one();
        Ok(endpoint)
    }

    pub async fn list(&self) -> Result<Vec<EndpointReport>, WebhookDeskError> {
        let counts = self.store.delivery_counts().await?;
        let report = |endpoint: WebhookEndpoint| {
            let count = counts.iter().find(|count| count.endpoint == endpoint.name);
            let (waiting, given_up) = count.map_or((0, 0), |count| (count.waiting, count.given_up));
            EndpointReport { endpoint, waiting, given_up }
        };
        Ok(self.store.endpoints().await?.into_iter().map(report).collect())
    }

    /// Removes an endpoint with its log and all that was on its way to it.
    pub async fn remove(&self, name: &EndpointName) -> Result<(), WebhookDeskError> {
        let known = self.find(name).await?;
        if known.source == EndpointSource::Config && known.enabled {
            return Err(WebhookDeskError::Configured(known.name));
        }
        if !self.store.remove_endpoint(name).await? {
            return Err(WebhookDeskError::NotFound(known.name));
        }
        self.bell.notify_one();
        Ok(())
    }

    /// Gives an endpoint a new secret; the one before goes on signing beside it until the next change.
    pub async fn rotate(
        &self,
        name: &EndpointName,
        secret: Option<WebhookSecret>,
    ) -> Result<WebhookEndpoint, WebhookDeskError> {
        let mut known = self.find(name).await?;
        if known.source == EndpointSource::Config {
            return Err(WebhookDeskError::Configured(known.name));
        }
        known.secrets.insert(0, secret.map_or_else(WebhookSecret::random, Ok)?);
        known.secrets.truncate(2);
        if !self.store.change_endpoint(&known).await? {
            return Err(WebhookDeskError::NotFound(known.name));
        }
        self.bell.notify_one();
        Ok(known)
    }

    /// Sends everything after that event again, whether it was acknowledged or not; tells how many events there are.
    pub async fn replay(&self, name: &EndpointName, after: RowKey) -> Result<u64, WebhookDeskError> {
        self.find(name).await?;
        let (mut total, mut cursor) = (0_u64, after);
        loop {
            let (count, last) =
                self.store.replay_deliveries(name, cursor, REPLAY_PAGE, Timestamp::now()).await?;
            total = total.saturating_add(count);
            self.bell.notify_one();
            match last {
                Some(last) => cursor = last,
                None => return Ok(total),
            }
        }
    }

    /// The delivery log, newest first, from before that line of it.
    pub async fn log(
        &self,
        name: &EndpointName,
        before: Option<RowKey>,
        limit: u32,
    ) -> Result<Vec<DeliveryAttempt>, WebhookDeskError> {
        self.find(name).await?;
        Ok(self.store.delivery_log(name, before, limit).await?)
    }

    /// Makes the endpoints of the configuration be as it says. One that left it is told nothing more; when it comes back it
    /// is told what it missed.
    pub async fn configure(&self, wanted: Vec<WantedEndpoint>) -> Result<(), WebhookDeskError> {
        let known = self.store.endpoints().await?;
        let gone = known.iter().filter(|known| known.source == EndpointSource::Config && known.enabled);
        for gone in gone.filter(|known| !wanted.iter().any(|wanted| wanted.name == known.name)) {
            self.store.change_endpoint(&WebhookEndpoint { enabled: false, ..gone.clone() }).await?;
        }
        for WantedEndpoint { name, url, secrets, integrator } in wanted {
            self.post.check(&url).map_err(WebhookDeskError::Address)?;
            let endpoint = endpoint(name, url, secrets, integrator, EndpointSource::Config);
            if !self.store.add_endpoint(&endpoint).await? {
                self.store.change_endpoint(&endpoint).await?;
            }
        }
        self.bell.notify_one();
        Ok(())
    }

    async fn find(&self, name: &EndpointName) -> Result<WebhookEndpoint, WebhookDeskError> {
        let known = self.store.endpoints().await?.into_iter().find(|known| known.name == *name);
        known.ok_or_else(|| WebhookDeskError::NotFound(name.clone()))
    }
}

fn endpoint(
    name: EndpointName,
    url: String,
    secrets: Vec<WebhookSecret>,
    integrator: Option<String>,
    source: EndpointSource,
) -> WebhookEndpoint {
    let created_at = Timestamp::now();
    let since = RowKey::floor_at(created_at);
    WebhookEndpoint { name, url, secrets, integrator, source, enabled: true, since, created_at }
}
