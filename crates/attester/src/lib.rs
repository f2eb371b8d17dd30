#![doc = include_str!("../README.md")]

mod attest_batch;
mod attester;
mod contracts;
mod decide;
mod health;
mod http;
mod journal;
mod ledger;
mod panel;
mod watch;
mod wire;

pub use attester::{Attester, AttesterConfig, SmallAmount, StartError};
pub use contracts::{known_contracts, known_programs};
pub use decide::{Facts, decide};
pub use health::{ChainHealth, Health};
pub use http::router;
pub use journal::{Journal, JournalEntry, JournalError, JournalState};
pub use panel::{Attest, EpochPanels, HttpAttester, HttpAttesterError, Panel, PanelError};
pub use watch::WatchTasks;
