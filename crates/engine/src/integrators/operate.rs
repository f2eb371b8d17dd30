use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{
    ApiKey, ApiKeyText, ApiScope, Integrator, IntegratorStore, KeyRotation, NoRandomKey, StoreError,
};
use causeway_domain::{Address, Referral};
use jiff::{SignedDuration, Timestamp};
use thiserror::Error;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::quotas::day;
use super::{Integrators, hash};
use crate::ticker::{LogOnce, Ticker};

/// How often the keys of the store are read, and the quotes written.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// Why an integrator or a key was not changed.
#[derive(Debug, Error)]
pub enum IntegratorError {
    #[error("`{0}` is not a valid name: use 1 to 62 letters, digits, `-`, `_` or `.`")]
    Name(String),
    #[error("there is an integrator `{0}` already: rotate its key, or choose another name")]
    Taken(String),
    #[error("name at least one scope: quotes, builds or fiat")]
    NoScope,
    #[error("the fee is a whole number of basis points from 0 to 1000")]
    Fee,
    #[error("a fee needs a referrer who gets it: an address on EVM chains or on Solana")]
    NoReferrer,
    #[error("there is one referrer for EVM chains and one for Solana")]
    TwoReferrers,
    #[error("a time is too far away")]
    Time,
    #[error("there is no integrator `{0}`")]
    Unknown(String),
    #[error("two keys of `{0}` are valid already: revoke one of them first")]
    TwoValid(String),
    #[error("`{integrator}` has no such key that is not revoked yet")]
    NoKey { integrator: String },
    #[error(transparent)]
    Randomness(#[from] NoRandomKey),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What an operator says of a new integrator.
#[derive(Clone, Debug)]
pub struct NewIntegrator {
    pub name: String,
    pub scopes: Vec<ApiScope>,
    /// At most one of each family.
    pub referrers: Vec<Address>,
    pub fee_bps: u16,
    pub quotes_per_day: Option<u64>,
    pub expires_in: Option<SignedDuration>,
}

/// A new key. Its text is shown once and stored nowhere.
#[derive(Debug)]
pub struct IssuedKey {
    pub key: ApiKey,
    pub text: ApiKeyText,
}

/// An integrator for operators.
#[derive(Clone, Debug)]
pub struct IntegratorReport {
    pub integrator: Integrator,
    /// The oldest first.
    pub keys: Vec<ApiKey>,
    /// Of all replicas, up to about a second ago.
    pub quotes_today: u64,
}

/// Adds integrators, rotates and revokes keys: at once on this replica, within about a second on the others.
pub struct OperateIntegrators {
    integrators: Arc<Integrators>,
    store: Arc<dyn IntegratorStore>,
    /// A refresh that started before a change must not undo it.
    refreshing: Mutex<()>,
}

impl fmt::Debug for OperateIntegrators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperateIntegrators").field("integrators", &self.integrators).finish_non_exhaustive()
    }
}

impl OperateIntegrators {
    /// Loads the stored keys.
    pub async fn open(store: Arc<dyn IntegratorStore>) -> Result<Self, StoreError> {
        let operate = Self { integrators: Arc::default(), store, refreshing: Mutex::default() };
        operate.refresh().await?;
        Ok(operate)
    }

    pub const fn integrators(&self) -> &Arc<Integrators> {
        &self.integrators
    }

    /// Adds an integrator with its first key.
    pub async fn add(&self, new: NewIntegrator) -> Result<IssuedKey, IntegratorError> {
        let now = Timestamp::now();
        let integrator = check(&new, now)?;
        let issued = issue(&integrator.name, new.expires_in, now)?;
        if !self.store.add_integrator(&integrator, &issued.key).await? {
            return Err(IntegratorError::Taken(integrator.name));
        }
        self.refresh().await?;
        Ok(issued)
    }

    /// Makes another key. The one before is valid for `keep_old` more, if it does not expire sooner.
    pub async fn rotate(
        &self,
        name: &str,
        keep_old: SignedDuration,
        expires_in: Option<SignedDuration>,
    ) -> Result<IssuedKey, IntegratorError> {
        let now = Timestamp::now();
        let issued = issue(name, expires_in, now)?;
        let old_ends = now.checked_add(keep_old).map_err(|_| IntegratorError::Time)?;
        match self.store.rotate_api_key(&issued.key, old_ends).await? {
            KeyRotation::Done => {}
            KeyRotation::TwoValid => return Err(IntegratorError::TwoValid(name.to_owned())),
            KeyRotation::Unknown => return Err(IntegratorError::Unknown(name.to_owned())),
        }
        self.refresh().await?;
        Ok(issued)
    }

    /// Revokes one key, or all of an integrator.
    pub async fn revoke(&self, name: &str, id: Option<&str>) -> Result<u64, IntegratorError> {
        let revoked = self.store.revoke_api_keys(name, id, Timestamp::now()).await?;
        self.refresh().await?;
        if revoked > 0 {
            return Ok(revoked);
        }
        let is_known = self.store.integrators().await?.iter().any(|known| known.name == name);
        let integrator = name.to_owned();
        Err(if is_known {
            IntegratorError::NoKey { integrator }
        } else {
            IntegratorError::Unknown(integrator)
        })
    }

    pub async fn list(&self) -> Result<Vec<IntegratorReport>, StoreError> {
        self.sync().await?;
        let mut keys = self.store.api_keys().await?;
        let quotes = self.store.quote_counts(day(Timestamp::now())).await?;
        let report = |integrator: Integrator| {
            let own = keys.extract_if(.., |key| key.integrator == integrator.name).collect();
            let count = quotes.iter().find(|count| count.integrator == integrator.name);
            let quotes_today = count.map_or(0, |count| count.quotes);
            IntegratorReport { integrator, keys: own, quotes_today }
        };
        Ok(self.store.integrators().await?.into_iter().map(report).collect())
    }

    /// Reloads the stored keys.
    async fn refresh(&self) -> Result<(), StoreError> {
        let _refreshing = self.refreshing.lock().await;
        self.load().await
    }

    async fn load(&self) -> Result<(), StoreError> {
        let integrators = self.store.integrators().await?;
        self.integrators.set(integrators, self.store.api_keys().await?);
        Ok(())
    }

    /// Reloads the stored keys, and exchanges the counts of quotes with the other replicas.
    async fn sync(&self) -> Result<(), StoreError> {
        let _refreshing = self.refreshing.lock().await;
        self.load().await?;
        let quotas = &self.integrators.quotas;
        let pending = quotas.pending();
        if !pending.is_empty() {
            self.store.add_quote_counts(&pending).await?;
        }
        // What was written must not be written again, even where the counts cannot be read now.
        quotas.written(&pending);
        let today = day(Timestamp::now());
        quotas.set_stored(today, self.store.quote_counts(today).await?);
        Ok(())
    }

    /// Follows the changes of other replicas until `stop`. The last known keys hold while the store is unavailable.
    pub async fn run(&self, stop: CancellationToken) {
        let (mut ticker, mut log_once) = (Ticker::new(SYNC_INTERVAL, stop), LogOnce::default());
        while ticker.next().await {
            log_once.record(self.sync().await, "reading API keys failed; the last known ones hold");
        }
        if let Err(error) = self.sync().await {
            tracing::warn!(%error, "the last second's quotes of integrators are not counted");
        }
    }
}

fn check(new: &NewIntegrator, now: Timestamp) -> Result<Integrator, IntegratorError> {
    let NewIntegrator { name, scopes, referrers, fee_bps, quotes_per_day, .. } = new;
    let mut scopes = scopes.clone();
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() {
        return Err(IntegratorError::NoScope);
    }
    if *fee_bps > Referral::MAX_FEE_BPS {
        return Err(IntegratorError::Fee);
    }
    let (evm, solana): (Vec<Address>, Vec<Address>) =
        referrers.iter().partition(|address| matches!(address, Address::Evm(_)));
    if evm.len() > 1 || solana.len() > 1 {
        return Err(IntegratorError::TwoReferrers);
    }
    if *fee_bps > 0 && referrers.is_empty() {
        return Err(IntegratorError::NoReferrer);
    }
    let integrator = Integrator {
        name: name.clone(),
        scopes,
        evm_referrer: evm.first().copied(),
        solana_referrer: solana.first().copied(),
        fee_bps: *fee_bps,
        quotes_per_day: *quotes_per_day,
        added_at: now,
    };
    if integrator.has_valid_name() { Ok(integrator) } else { Err(IntegratorError::Name(name.clone())) }
}

fn issue(
    integrator: &str,
    expires_in: Option<SignedDuration>,
    now: Timestamp,
) -> Result<IssuedKey, IntegratorError> {
    let text = ApiKeyText::random()?;
    let expires_at = expires_in.map(|time| now.checked_add(time)).transpose();
    let key = ApiKey {
        id: text.id().to_owned(),
        integrator: integrator.to_owned(),
        hash: hash(text.reveal()),
        made_at: now,
        expires_at: expires_at.map_err(|_| IntegratorError::Time)?,
        revoked_at: None,
    };
    Ok(IssuedKey { key, text })
}
