//! Fillers that are added and removed at run time.

mod error;
mod make;
mod sync;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{FillerRecord, OperatorStore};
use jiff::Timestamp;
use tokio::sync::Mutex;

pub use error::RegistryError;
pub use make::{MadeFiller, MakeFiller};

use crate::executors::ExecutorRegistry;
use crate::fillers::Fillers;

/// What a [`Registry`] works with.
pub struct RegistryParts {
    pub records: Arc<dyn OperatorStore>,
    pub make: Arc<dyn MakeFiller>,
    pub fillers: Fillers,
    pub executors: ExecutorRegistry,
    /// Fillers of the configuration file, which can only be changed there.
    pub configured: Vec<FillerRecord>,
}

impl fmt::Debug for RegistryParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryParts").field("fillers", &self.fillers).finish_non_exhaustive()
    }
}

/// Keeps the active fillers in line with the stored records on every replica.
pub struct Registry {
    parts: RegistryParts,
    /// The stored fillers as they were applied, with what is wrong with them.
    known: Mutex<BTreeMap<String, Known>>,
    /// Built-in and configured fillers: stored records with these names are ignored.
    configured: BTreeSet<String>,
}

#[derive(Clone, Debug)]
struct Known {
    record: FillerRecord,
    problem: Option<String>,
}

/// A filler as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFiller {
    pub record: FillerRecord,
    /// Whether it is configured in the configuration file.
    pub configured: bool,
    /// Why it is not active although it should be.
    pub problem: Option<String>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("fillers", &self.parts.fillers).finish_non_exhaustive()
    }
}

impl Registry {
    /// Activates the configured and the stored fillers; a configured one that cannot be created is an error.
    pub async fn open(parts: RegistryParts) -> Result<Self, RegistryError> {
        for record in &parts.configured {
            activate(&parts, record)?;
        }
        let configured: BTreeSet<String> = parts.fillers.names().collect();
        for record in parts.records.filler_records().await? {
            if configured.contains(&record.name) {
                tracing::warn!(
                    filler = record.name,
                    "stored filler ignored: a configured filler has the same name"
                );
            }
        }
        let registry = Self { parts, known: Mutex::default(), configured };
        registry.refresh().await?;
        Ok(registry)
    }

    /// Adds a filler, or changes one that was added before. It is stored before it is asked.
    pub async fn add(&self, record: FillerRecord) -> Result<(), RegistryError> {
        let name = &record.name;
        if !record.has_valid_name() {
            return Err(RegistryError::Name(name.clone()));
        }
        if self.configured.contains(name) {
            return Err(RegistryError::Configured(name.clone()));
        }
        // A record that cannot be used is reported and never stored.
        self.parts.make.make(&record).map_err(RegistryError::Unusable)?;
        self.parts.fillers.check_name(name)?;
        self.parts.records.put_filler(&record).await?;
        self.refresh().await?;
        tracing::warn!(filler = record.name, "filler added");
        let known = self.known.lock().await;
        match known.get(&record.name).and_then(|known| known.problem.clone()) {
            Some(problem) => Err(RegistryError::Unusable(problem)),
            None => Ok(()),
        }
    }

    /// Removes a filler from quoting. Its open orders are completed.
    pub async fn remove(&self, name: &str, now: Timestamp) -> Result<(), RegistryError> {
        let record = self.known.lock().await.get(name).map(|known| known.record.clone());
        let Some(record) = record.filter(|record| record.removed_at.is_none()) else {
            let configured = self.configured.contains(name);
            let name = name.to_owned();
            return Err(if configured {
                RegistryError::Configured(name)
            } else {
                RegistryError::Unknown(name)
            });
        };
        self.parts.records.put_filler(&FillerRecord { removed_at: Some(now), ..record }).await?;
        self.refresh().await?;
        tracing::warn!(filler = name, "filler removed");
        Ok(())
    }

    /// All configured and stored fillers, by name.
    pub async fn list(&self) -> Vec<ListedFiller> {
        let known = self.known.lock().await;
        let configured = self.parts.configured.iter().map(|record| ListedFiller {
            record: record.clone(),
            configured: true,
            problem: None,
        });
        let stored = known.values().map(|known| ListedFiller {
            record: known.record.clone(),
            configured: false,
            problem: known.problem.clone(),
        });
        let mut all: Vec<ListedFiller> = configured.chain(stored).collect();
        all.sort_by(|one, other| one.record.name.cmp(&other.record.name));
        all
    }
}

/// Creates a filler and lets it be asked for quotes.
fn activate(parts: &RegistryParts, record: &FillerRecord) -> Result<(), RegistryError> {
    let MadeFiller { filler, executor } = parts.make.make(record).map_err(RegistryError::Unusable)?;
    // The executor first: no offer may be taken before its order can be executed.
    parts.executors.put(&executor);
    Ok(parts.fillers.put(filler, record.deadline)?)
}
