//! Whose requests carry API keys, what these may do, and how many quotes they asked for.

mod operate;
mod quotas;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use alloy_primitives::B256;
use arc_swap::ArcSwap;
use causeway_domain::ports::{ApiKey, Integrator};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

pub use operate::{IntegratorError, IntegratorReport, IssuedKey, NewIntegrator, OperateIntegrators};
use quotas::Quotas;

/// The valid keys of this moment.
#[derive(Default)]
pub struct Integrators {
    by_hash: ArcSwap<HashMap<B256, Holder>>,
    quotas: Quotas,
}

/// A key and whose it is.
#[derive(Clone, Debug)]
struct Holder {
    key: ApiKey,
    integrator: Arc<Integrator>,
}

impl Integrators {
    /// Whose key that is, if it is valid now.
    pub fn find(&self, key: &str, now: Timestamp) -> Option<Arc<Integrator>> {
        let known = self.by_hash.load();
        if known.is_empty() {
            return None;
        }
        let holder = known.get(&hash(key)).filter(|holder| holder.key.is_valid(now))?;
        Some(Arc::clone(&holder.integrator))
    }

    /// Counts a quote, or returns the seconds until the next day if the integrator has no more today.
    pub fn take_quote(&self, integrator: &Integrator, now: Timestamp) -> Result<(), u64> {
        self.quotas.take(integrator, now)
    }

    fn set(&self, integrators: Vec<Integrator>, keys: Vec<ApiKey>) {
        let integrators: HashMap<String, Arc<Integrator>> =
            integrators.into_iter().map(|one| (one.name.clone(), Arc::new(one))).collect();
        let holder = |key: ApiKey| {
            let integrator = Arc::clone(integrators.get(&key.integrator)?);
            Some((key.hash, Holder { key, integrator }))
        };
        let by_hash = keys.into_iter().filter(|key| key.revoked_at.is_none()).filter_map(holder).collect();
        self.by_hash.store(Arc::new(by_hash));
    }
}

impl fmt::Debug for Integrators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Integrators").field("keys", &self.by_hash.load().len()).finish_non_exhaustive()
    }
}

/// A key has 256 random bits, so that a plain hash cannot be guessed back.
fn hash(key: &str) -> B256 {
    B256::from(<[u8; 32]>::from(Sha256::digest(key.as_bytes())))
}
