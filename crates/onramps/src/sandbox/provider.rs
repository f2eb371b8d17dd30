use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use causeway_domain::ports::{OnRamp, PriceFeed, TxSender};
use causeway_domain::{ChainId, Token, TokenId};
use jiff::Timestamp;
use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::journal::{Journal, JournalError};
use super::plan::SandboxPlan;
use super::purchases::PurchaseLog;
use super::ramp::SandboxRamp;
use super::secrets::Secrets;
use super::session::{Reason, State};
use super::{api, checkout, deliver, notify};
use crate::http;

/// Timeout of webhooks and of requests to the providers.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Simulated payment delays of the providers.
#[derive(Clone, Copy, Debug)]
pub struct PaymentDelays {
    /// From a card payment until it counts as paid.
    pub card: Duration,
    /// The same for the slow test card.
    pub slow_card: Duration,
    /// From the payer's confirmation of a transfer until the bank receives it.
    pub bank: Duration,
}

impl Default for PaymentDelays {
    fn default() -> Self {
        Self {
            card: Duration::from_secs(1),
            slow_card: Duration::from_secs(10),
            bank: Duration::from_secs(5),
        }
    }
}

/// Settings of the providers.
#[derive(Clone)]
pub struct SandboxSettings {
    /// The folder of journals and secrets.
    pub folder: PathBuf,
    /// The web origin that `SandboxRamps::routes` is served on.
    pub origin: String,
    /// Webhook base URL; a slash and the provider's id are appended.
    pub webhooks: String,
    /// Origins that may frame the checkout, in addition to loopback.
    pub embedders: Vec<String>,
    /// The tokens that are sold.
    pub assets: Vec<Token>,
    pub prices: Arc<dyn PriceFeed>,
    /// Transaction senders by chain.
    pub tx_senders: HashMap<ChainId, Arc<dyn TxSender>>,
    pub payment_delays: PaymentDelays,
}

impl fmt::Debug for SandboxSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SandboxSettings").field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl SandboxSettings {
    pub(super) fn asset(&self, id: &TokenId) -> Option<&Token> {
        self.assets.iter().find(|token| token.id == *id)
    }
}

/// Why the providers do not start.
#[derive(Debug, Error)]
pub enum RampsError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("cannot store the secrets of {provider}: {source}")]
    Secrets { provider: &'static str, source: std::io::Error },
    #[error("the HTTP client cannot be built: {0}")]
    Client(String),
}

/// A running provider.
pub(super) struct Provider {
    pub(super) plan: SandboxPlan,
    pub(super) settings: Arc<SandboxSettings>,
    pub(super) secrets: Secrets,
    pub(super) purchases: Mutex<PurchaseLog>,
    /// Wake the delivery task and the webhook task.
    pub(super) delivery_wake: Notify,
    pub(super) webhook_wake: Notify,
}

impl Provider {
    pub(super) fn switches(&self) -> super::Switches {
        self.purchases.lock().switches().clone()
    }

    /// Moves a purchase to a state, if allowed, and wakes the tasks.
    pub(super) fn transition(
        &self,
        session: &str,
        state: State,
        due_at: Option<i64>,
        reason: Option<Reason>,
    ) -> Result<bool, JournalError> {
        let moved = self.purchases.lock().transition(session, state, now_ms(), due_at, reason)?;
        self.delivery_wake.notify_one();
        self.webhook_wake.notify_one();
        Ok(moved)
    }
}

pub(super) fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

/// Both providers of the sandbox.
#[derive(Clone)]
pub struct SandboxRamps {
    pub(super) providers: Arc<Vec<Arc<Provider>>>,
    client: reqwest::Client,
}

impl SandboxRamps {
    /// Opens the journals; nothing runs before `run`.
    pub fn open(settings: SandboxSettings) -> Result<Self, RampsError> {
        let settings = Arc::new(settings);
        let mut providers = Vec::new();
        for plan in SandboxPlan::ALL {
            let folder = settings.folder.join(plan.id());
            let (journal, entries) = Journal::open(&folder, plan.id())?;
            let secrets = Secrets::open(&folder)
                .map_err(|source| RampsError::Secrets { provider: plan.id(), source })?;
            providers.push(Arc::new(Provider {
                plan,
                settings: Arc::clone(&settings),
                secrets,
                purchases: Mutex::new(PurchaseLog::new(journal, entries)),
                delivery_wake: Notify::new(),
                webhook_wake: Notify::new(),
            }));
        }
        let client = http::client(TIMEOUT).map_err(RampsError::Client)?;
        Ok(Self { providers: Arc::new(providers), client })
    }

    /// Adapters for the service, which reach the providers over HTTP.
    pub fn on_ramps(&self) -> Vec<Arc<dyn OnRamp>> {
        let ramps = SandboxPlan::ALL.into_iter().filter_map(|plan| self.adapter(plan));
        ramps.map(|ramp| Arc::new(ramp) as Arc<dyn OnRamp>).collect()
    }

    /// The adapter of one provider.
    pub fn adapter(&self, plan: SandboxPlan) -> Option<SandboxRamp> {
        let provider = self.provider(plan.id())?;
        let Provider { settings, secrets, .. } = provider.as_ref();
        Some(SandboxRamp::new(plan, settings, secrets.clone(), self.client.clone()))
    }

    /// The providers' routes, to be served on their origin.
    pub fn routes(&self) -> Router {
        api::routes().merge(checkout::routes()).with_state(self.clone())
    }

    /// Processes payments, delivers, and sends webhooks, until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let mut tasks = JoinSet::new();
        for provider in self.providers.iter() {
            tasks.spawn(deliver::deliver(Arc::clone(provider), stop.clone()));
            tasks.spawn(notify::deliver_webhooks(Arc::clone(provider), self.client.clone(), stop.clone()));
        }
        if let Some(provider) = self.providers.first() {
            let tx_senders = provider.settings.tx_senders.values().cloned().collect();
            tasks.spawn(deliver::poll_pending_transactions(tx_senders, stop.clone()));
        }
        while tasks.join_next().await.is_some() {}
    }

    pub(super) fn provider(&self, id: &str) -> Option<&Arc<Provider>> {
        self.providers.iter().find(|provider| provider.plan.id() == id)
    }
}

impl fmt::Debug for SandboxRamps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SandboxRamps").finish_non_exhaustive()
    }
}
