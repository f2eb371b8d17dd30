use std::collections::BTreeMap;

use causeway_domain::ChainId;
use causeway_domain::ports::{ChainError, FinalBlock};
use parking_lot::Mutex;

use crate::attester::Attester;

/// The state of one chain as the attester sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainHealth {
    /// The newest block that it considers final.
    pub last: Option<FinalBlock>,
    /// Why the last poll failed.
    pub last_error: Option<String>,
    /// Its endpoints disagree; the chain is not trusted until a restart.
    pub halted: bool,
}

impl ChainHealth {
    /// Whether the attester reads the chain and trusts it.
    pub const fn is_readable(&self) -> bool {
        self.last.is_some() && self.last_error.is_none() && !self.halted
    }
}

/// The state of an attester.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    pub chains: BTreeMap<ChainId, ChainHealth>,
    pub signed: usize,
    /// Orders that are open and undecided.
    pub waiting: usize,
}

impl Health {
    /// The overall status.
    pub fn status(&self) -> &'static str {
        let any = |bad: fn(&ChainHealth) -> bool| self.chains.values().any(bad);
        if any(|chain| chain.halted) {
            "halted"
        } else if any(|chain| chain.last_error.is_some()) {
            "troubled"
        } else if any(|chain| chain.last.is_none()) {
            "starting"
        } else {
            "ok"
        }
    }
}

/// The result of the last poll of each chain.
#[derive(Debug, Default)]
pub(crate) struct HealthTracker(Mutex<BTreeMap<ChainId, ChainHealth>>);

impl HealthTracker {
    pub(crate) fn record(&self, chain: ChainId, poll: Result<FinalBlock, &ChainError>) {
        let mut chains = self.0.lock();
        let health = chains.entry(chain).or_default();
        match poll {
            Ok(block) => *health = ChainHealth { last: Some(block), ..ChainHealth::default() },
            Err(error) => {
                health.halted = matches!(error, ChainError::Disagreement(..));
                health.last_error = Some(error.to_string());
            }
        }
    }
}

impl Attester {
    /// The attester's state as of the last polls.
    pub fn health(&self) -> Health {
        let mut chains = self.0.health_tracker.0.lock().clone();
        for chain in self.0.config.contracts.keys() {
            chains.entry(*chain).or_default();
        }
        let (signed, waiting) = self.0.ledger.counts();
        Health { chains, signed, waiting }
    }
}
