//! What an operator has paused: nothing new starts with it, and what has started continues.

mod operate;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use causeway_domain::TokenId;
use causeway_domain::ports::{Pausable, Pause};

pub use operate::{OperatePauses, PauseError};

/// The current pauses, checked before anything new starts. The check is nearly free while nothing is paused.
#[derive(Debug, Default)]
pub struct Pauses(ArcSwap<HashMap<Pausable, Pause>>);

impl Pauses {
    /// Everything that is paused, sorted by what it is.
    pub fn all(&self) -> Vec<Pause> {
        let mut all: Vec<Pause> = self.0.load().values().cloned().collect();
        all.sort_by(|one, other| one.what.cmp(&other.what));
        all
    }

    /// Why nothing new may start with these tokens, for the client.
    pub fn reason_for_tokens(&self, tokens: &[TokenId]) -> Option<String> {
        let active = self.0.load();
        if active.is_empty() {
            return None;
        }
        let parts = tokens.iter().flat_map(|token| [Pausable::Chain(token.chain()), Pausable::Token(*token)]);
        parts.into_iter().find_map(|part| active.get(&part).map(message))
    }

    /// Why a filler is not asked.
    pub fn reason_for_filler(&self, name: &str) -> Option<String> {
        let active = self.0.load();
        if active.is_empty() {
            return None;
        }
        active.get(&Pausable::Filler(name.to_owned())).map(message)
    }

    /// Why an on-ramp is not asked.
    pub fn reason_for_on_ramp(&self, id: &str) -> Option<String> {
        let active = self.0.load();
        if active.is_empty() {
            return None;
        }
        active.get(&Pausable::OnRamp(id.to_owned())).map(message)
    }

    pub(crate) fn set(&self, pauses: Vec<Pause>) {
        let active = pauses.into_iter().map(|pause| (pause.what.clone(), pause)).collect();
        self.0.store(Arc::new(active));
    }
}

fn message(pause: &Pause) -> String {
    let Pause { what, reason, .. } = pause;
    if reason.is_empty() { format!("{what} is paused") } else { format!("{what} is paused: {reason}") }
}
