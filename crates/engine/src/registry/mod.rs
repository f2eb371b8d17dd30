//! Fillers that join and leave while the service runs.

mod error;
mod keep;
mod make;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use causeway_domain::ports::{FillerRecord, FillerRecords};
use jiff::Timestamp;
use tokio::sync::Mutex;

pub use error::RegistryError;
pub use make::{MadeFiller, MakeFiller};

use crate::fillers::Fillers;
use crate::hands::Hands;

/// What a [`Registry`] works with.
pub struct RegistryParts {
    pub records: Arc<dyn FillerRecords>,
    pub make: Arc<dyn MakeFiller>,
    pub fillers: Fillers,
    pub hands: Hands,
    /// Those of the configuration, which are there whatever the store says, and cannot be removed but there.
    pub configured: Vec<FillerRecord>,
}

impl fmt::Debug for RegistryParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryParts").field("fillers", &self.fillers).finish_non_exhaustive()
    }
}

/// Keeps the fillers at work in line with those that were told to us, whichever replica was told.
pub struct Registry {
    parts: RegistryParts,
    /// Those of the store as they are at work, with the words of what could not be made.
    known: Mutex<BTreeMap<String, Known>>,
    /// The service's own and those of the configuration: whatever the store says of their names is not heeded.
    ours: BTreeSet<String>,
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
    /// Whether it stands in the configuration.
    pub configured: bool,
    /// Why it is not at work although it should be.
    pub problem: Option<String>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("fillers", &self.parts.fillers).finish_non_exhaustive()
    }
}

impl Registry {
    /// Puts those of the configuration and of the store to work; one of the configuration that cannot be made is an error.
    pub async fn open(parts: RegistryParts) -> Result<Self, RegistryError> {
        for record in &parts.configured {
            put_to_work(&parts, record)?;
        }
        let ours: BTreeSet<String> = parts.fillers.names().collect();
        for record in parts.records.filler_records().await? {
            if ours.contains(&record.name) {
                tracing::warn!(
                    filler = record.name,
                    "a filler that joined at run time bears the name of one of the configuration, which is asked instead"
                );
            }
        }
        let registry = Self { parts, known: Mutex::default(), ours };
        registry.refresh().await?;
        Ok(registry)
    }

    /// Lets a filler join, or changes how one is spoken to that joined before. It is stored before it is asked.
    pub async fn add(&self, record: FillerRecord) -> Result<(), RegistryError> {
        let name = &record.name;
        if !record.is_named_well() {
            return Err(RegistryError::Name(name.clone()));
        }
        if self.ours.contains(name) {
            return Err(RegistryError::Configured(name.clone()));
        }
        // What cannot be made is told to whoever adds it, and never stored.
        self.parts.make.make(&record).map_err(RegistryError::Unusable)?;
        self.parts.fillers.fits(name)?;
        self.parts.records.put_filler(&record).await?;
        self.refresh().await?;
        tracing::warn!(filler = record.name, "a filler has joined");
        let known = self.known.lock().await;
        match known.get(&record.name).and_then(|known| known.problem.clone()) {
            Some(problem) => Err(RegistryError::Unusable(problem)),
            None => Ok(()),
        }
    }

    /// Asks a filler no more. Its open orders are followed to their end.
    pub async fn remove(&self, name: &str, now: Timestamp) -> Result<(), RegistryError> {
        let record = self.known.lock().await.get(name).map(|known| known.record.clone());
        let Some(record) = record.filter(|record| record.removed_at.is_none()) else {
            let configured = self.ours.contains(name);
            let name = name.to_owned();
            return Err(if configured {
                RegistryError::Configured(name)
            } else {
                RegistryError::Unknown(name)
            });
        };
        self.parts.records.put_filler(&FillerRecord { removed_at: Some(now), ..record }).await?;
        self.refresh().await?;
        tracing::warn!(filler = name, "a filler is asked no more");
        Ok(())
    }

    /// All that are or were told to us, by name.
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

/// Makes a filler and lets it be asked.
fn put_to_work(parts: &RegistryParts, record: &FillerRecord) -> Result<(), RegistryError> {
    let MadeFiller { filler, hand } = parts.make.make(record).map_err(RegistryError::Unusable)?;
    // The hand first: nobody may take an offer that nobody would follow.
    parts.hands.put(&hand);
    Ok(parts.fillers.put(filler, record.deadline)?)
}
