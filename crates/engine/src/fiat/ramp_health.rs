use std::collections::BTreeMap;

use causeway_domain::ports::RampError;
use jiff::Timestamp;
use parking_lot::Mutex;

/// The longest fault that is kept; a provider decides what it says.
const MAX_FAULT: usize = 200;

/// How a provider has answered since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RampHealth {
    /// Answers, refusals among them.
    pub answers: u64,
    /// Times that it did not answer, or with something that cannot be read.
    pub faults: u64,
    pub last_fault: Option<RampFault>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RampFault {
    pub at: Timestamp,
    pub words: String,
}

/// The health of all providers, by their ids.
#[derive(Debug, Default)]
pub(super) struct RampHealths(Mutex<BTreeMap<String, RampHealth>>);

impl RampHealths {
    pub(super) fn of(&self, provider: &str) -> RampHealth {
        self.0.lock().get(provider).cloned().unwrap_or_default()
    }

    pub(super) fn answered(&self, provider: &str) {
        self.change(provider, |health| health.answers = health.answers.saturating_add(1));
    }

    pub(super) fn failed(&self, provider: &str, words: &str) {
        let fault = RampFault { at: Timestamp::now(), words: words.chars().take(MAX_FAULT).collect() };
        self.change(provider, |health| {
            health.faults = health.faults.saturating_add(1);
            health.last_fault = Some(fault);
        });
    }

    /// Counts an answer; a provider that refuses has answered.
    pub(super) fn count<T>(&self, provider: &str, answer: &Result<T, RampError>) {
        match answer {
            Ok(_) | Err(RampError::Refused(_)) => self.answered(provider),
            Err(fault @ (RampError::Unavailable(_) | RampError::Nonsense(_))) => {
                self.failed(provider, &fault.to_string());
            }
        }
    }

    fn change(&self, provider: &str, change: impl FnOnce(&mut RampHealth)) {
        change(self.0.lock().entry(provider.to_owned()).or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_answers_and_silence_is_a_fault_with_its_words() {
        let healths = RampHealths::default();
        healths.count("ramp", &Ok(()));
        let silent: Result<(), _> = Err(RampError::Unavailable("no answer within 10 s".to_owned()));
        healths.count("ramp", &silent);
        let long: Result<(), _> = Err(RampError::Nonsense("x".repeat(1_000)));
        healths.count("other", &long);

        let RampHealth { answers, faults, last_fault } = healths.of("ramp");
        assert_eq!((answers, faults), (1, 1));
        assert!(last_fault.unwrap().words.contains("no answer within 10 s"));
        assert_eq!(healths.of("other").last_fault.unwrap().words.chars().count(), MAX_FAULT);
        assert_eq!(healths.of("never asked"), RampHealth::default());
    }
}
