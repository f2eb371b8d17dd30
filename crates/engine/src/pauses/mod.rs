//! What an operator has paused: nothing new begins with it, and what was begun goes on.

mod operate;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use causeway_domain::TokenId;
use causeway_domain::ports::{Pausable, Pause};

pub use operate::{OperatePauses, PauseError};

/// The pauses as of a moment ago, to be looked at by whoever begins something. A look costs next to nothing while nothing is
/// paused.
#[derive(Debug, Default)]
pub struct Pauses(ArcSwap<HashMap<Pausable, Pause>>);

impl Pauses {
    /// Everything that is paused, sorted by what it is.
    pub fn all(&self) -> Vec<Pause> {
        let mut all: Vec<Pause> = self.0.load().values().cloned().collect();
        all.sort_by(|one, other| one.what.cmp(&other.what));
        all
    }

    /// Why nothing new may begin that touches these tokens, in words for whoever asks.
    pub fn of_tokens(&self, tokens: &[TokenId]) -> Option<String> {
        let held = self.0.load();
        if held.is_empty() {
            return None;
        }
        let parts = tokens.iter().flat_map(|token| [Pausable::Chain(token.chain()), Pausable::Token(*token)]);
        parts.into_iter().find_map(|part| held.get(&part).map(words))
    }

    /// Why a filler is not asked.
    pub fn of_filler(&self, name: &str) -> Option<String> {
        let held = self.0.load();
        if held.is_empty() {
            return None;
        }
        held.get(&Pausable::Filler(name.to_owned())).map(words)
    }

    /// Why an on-ramp is not asked.
    pub fn of_on_ramp(&self, id: &str) -> Option<String> {
        let held = self.0.load();
        if held.is_empty() {
            return None;
        }
        held.get(&Pausable::OnRamp(id.to_owned())).map(words)
    }

    pub(crate) fn set(&self, pauses: Vec<Pause>) {
        let held = pauses.into_iter().map(|pause| (pause.what.clone(), pause)).collect();
        self.0.store(Arc::new(held));
    }
}

fn words(pause: &Pause) -> String {
    let Pause { what, reason, .. } = pause;
    if reason.is_empty() { format!("{what} is paused") } else { format!("{what} is paused: {reason}") }
}
