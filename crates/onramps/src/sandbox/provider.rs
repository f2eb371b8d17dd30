use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use causeway_domain::ports::{Carrier, OnRamp, PriceFeed};
use causeway_domain::{ChainId, Token, TokenId};
use jiff::Timestamp;
use thiserror::Error;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::book::Book;
use super::journal::{Journal, JournalError};
use super::plan::SandboxPlan;
use super::ramp::SandboxRamp;
use super::secrets::Secrets;
use super::session::{Reason, State};
use super::{api, checkout, deliver, notify};
use crate::http;

/// How long a webhook may take to be answered, and an answer of a provider to come.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How fast money moves at the providers.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// From a card payment to the provider's word that it is paid.
    pub card: Duration,
    /// The same for the test card that is slow.
    pub slow_card: Duration,
    /// From the payer's word that a transfer was made until the bank sees it.
    pub bank: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            card: Duration::from_secs(1),
            slow_card: Duration::from_secs(10),
            bank: Duration::from_secs(5),
        }
    }
}

/// What the providers work with.
#[derive(Clone)]
pub struct SandboxSettings {
    /// Where journals and secrets lie.
    pub folder: PathBuf,
    /// The web origin that `SandboxRamps::routes` is served on.
    pub origin: String,
    /// Webhooks go to this address, a slash and the provider's id.
    pub webhooks: String,
    /// The origins, beside those of this machine, that may frame the checkout.
    pub embedders: Vec<String>,
    /// What is sold.
    pub assets: Vec<Token>,
    pub prices: Arc<dyn PriceFeed>,
    /// Who delivers, by chain.
    pub carriers: HashMap<ChainId, Arc<dyn Carrier>>,
    pub pace: Pace,
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
    #[error("the secrets of {provider} cannot be kept: {source}")]
    Secrets { provider: &'static str, source: std::io::Error },
    #[error("the HTTP client cannot be built: {0}")]
    Client(String),
}

/// One provider at work.
pub(super) struct Provider {
    pub(super) plan: SandboxPlan,
    pub(super) settings: Arc<SandboxSettings>,
    pub(super) secrets: Secrets,
    book: Mutex<Book>,
    /// Something is to be delivered, or to be told.
    pub(super) wake: Notify,
    pub(super) tell: Notify,
}

impl Provider {
    pub(super) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn switches(&self) -> super::Switches {
        self.book().switches().clone()
    }

    /// Moves a purchase on, if it can go there, and wakes whoever has to do with it.
    pub(super) fn shift(
        &self,
        session: &str,
        state: State,
        due_at: Option<i64>,
        reason: Option<Reason>,
    ) -> Result<bool, JournalError> {
        let moved = self.book().shift(session, state, now_ms(), due_at, reason)?;
        self.wake.notify_one();
        self.tell.notify_one();
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
    /// Opens their journals; nothing runs before `run`.
    pub fn open(settings: SandboxSettings) -> Result<Self, RampsError> {
        let settings = Arc::new(settings);
        let mut providers = Vec::new();
        for plan in SandboxPlan::ALL {
            let folder = settings.folder.join(plan.id());
            let (journal, past) = Journal::open(&folder, plan.id())?;
            let secrets = Secrets::open(&folder)
                .map_err(|source| RampsError::Secrets { provider: plan.id(), source })?;
            providers.push(Arc::new(Provider {
                plan,
                settings: Arc::clone(&settings),
                secrets,
                book: Mutex::new(Book::new(journal, past)),
                wake: Notify::new(),
                tell: Notify::new(),
            }));
        }
        let client = http::client(TIMEOUT).map_err(RampsError::Client)?;
        Ok(Self { providers: Arc::new(providers), client })
    }

    /// The service's side of both: adapters that reach them over HTTP.
    pub fn on_ramps(&self) -> Vec<Arc<dyn OnRamp>> {
        let ramps = SandboxPlan::ALL.into_iter().filter_map(|plan| self.adapter(plan));
        ramps.map(|ramp| Arc::new(ramp) as Arc<dyn OnRamp>).collect()
    }

    /// The same for one of them.
    pub fn adapter(&self, plan: SandboxPlan) -> Option<SandboxRamp> {
        let provider = self.provider(plan.id())?;
        let Provider { settings, secrets, .. } = provider.as_ref();
        Some(SandboxRamp::new(plan, settings, secrets.clone(), self.client.clone()))
    }

    /// Everything that the providers answer, to be served on their origin.
    pub fn routes(&self) -> Router {
        api::routes().merge(checkout::routes()).with_state(self.clone())
    }

    /// Lets time pass, delivers, and sends webhooks, until `stop`.
    pub async fn run(self, stop: CancellationToken) {
        let mut tasks = JoinSet::new();
        for provider in self.providers.iter() {
            tasks.spawn(deliver::deliver(Arc::clone(provider), stop.clone()));
            tasks.spawn(notify::tell(Arc::clone(provider), self.client.clone(), stop.clone()));
        }
        if let Some(provider) = self.providers.first() {
            let carriers = provider.settings.carriers.values().cloned().collect();
            tasks.spawn(deliver::tend(carriers, stop.clone()));
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
