use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use causeway_domain::ChainId;
use causeway_domain::ports::{ChainError, FinalBlock};

use crate::attester::Attester;

/// How an attester sees one chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChainHealth {
    /// The newest block that it holds for final.
    pub last: Option<FinalBlock>,
    /// Why the last look failed.
    pub trouble: Option<String>,
    /// Its endpoints disagree; nothing is believed until a restart.
    pub halted: bool,
}

/// How an attester does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    pub chains: BTreeMap<ChainId, ChainHealth>,
    pub signed: usize,
    /// Orders that are open and not decided.
    pub waiting: usize,
}

impl Health {
    /// One word for all of it.
    pub fn status(&self) -> &'static str {
        let any = |bad: fn(&ChainHealth) -> bool| self.chains.values().any(bad);
        if any(|chain| chain.halted) {
            "halted"
        } else if any(|chain| chain.trouble.is_some()) {
            "troubled"
        } else if any(|chain| chain.last.is_none()) {
            "starting"
        } else {
            "ok"
        }
    }
}

/// What the last look at each chain came to.
#[derive(Debug, Default)]
pub(crate) struct Pulse(Mutex<BTreeMap<ChainId, ChainHealth>>);

impl Pulse {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<ChainId, ChainHealth>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn beat(&self, chain: ChainId, look: Result<FinalBlock, &ChainError>) {
        let mut chains = self.lock();
        let health = chains.entry(chain).or_default();
        match look {
            Ok(block) => *health = ChainHealth { last: Some(block), ..ChainHealth::default() },
            Err(error) => {
                health.halted = matches!(error, ChainError::Disagreement(..));
                health.trouble = Some(error.to_string());
            }
        }
    }
}

impl Attester {
    /// How it does, from what it saw last.
    pub fn health(&self) -> Health {
        let mut chains = self.0.pulse.lock().clone();
        for chain in self.0.config.contracts.keys() {
            chains.entry(*chain).or_default();
        }
        let (signed, waiting) = self.0.ledger.counts();
        Health { chains, signed, waiting }
    }
}
