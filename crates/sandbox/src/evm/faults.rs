use std::time::Duration;

use crate::jsonrpc::RpcError;

/// How answers fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// One is every call, two every second call, and so on; zero is never.
    pub every: u64,
    pub code: i64,
    pub message: String,
    /// The call is carried out and only its answer lost, as when a connection breaks.
    pub after_effect: bool,
}

/// What is wrong with a chain's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// How long every answer takes more than it would.
    pub slow: Duration,
    pub fail: Option<Failing>,
    /// Answers are those of this many blocks ago.
    pub stale: u64,
    /// Only these methods are slow or failing; all of them when empty.
    pub methods: Vec<String>,
}

/// The faults and how many calls they were counted over.
#[derive(Debug, Default)]
pub(crate) struct FaultState {
    faults: Faults,
    calls: u64,
}

/// What the faults do to one call.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) slow: Duration,
    pub(crate) stale: u64,
    pub(crate) refuse: Option<RpcError>,
    pub(crate) lose: Option<RpcError>,
}

impl FaultState {
    pub(crate) fn set(&mut self, faults: Faults) {
        *self = Self { faults, calls: 0 };
    }

    pub(crate) fn judge(&mut self, method: &str) -> Verdict {
        let Faults { slow, fail, stale, methods } = &self.faults;
        let mut verdict = Verdict { stale: *stale, ..Verdict::default() };
        if !methods.is_empty() && !methods.iter().any(|named| named == method) {
            return verdict;
        }
        verdict.slow = *slow;
        if let Some(fail) = fail.as_ref().filter(|fail| fail.every > 0) {
            self.calls += 1;
            if self.calls.is_multiple_of(fail.every) {
                let error = RpcError::new(fail.code, fail.message.clone());
                if fail.after_effect {
                    verdict.lose = Some(error);
                } else {
                    verdict.refuse = Some(error);
                }
            }
        }
        verdict
    }
}
