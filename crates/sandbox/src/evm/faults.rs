use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::ledger::Ledger;
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

/// What is wrong with a node's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// How long every answer takes more than it would.
    pub slow: Duration,
    pub fail: Option<Failing>,
    /// Answers are those of this many blocks ago.
    pub stale: u64,
    /// Answers are those of the moment at which this was set, also where the chain has left that branch since.
    pub frozen: bool,
    /// Only these methods are slow or failing; all of them when empty.
    pub methods: Vec<String>,
}

/// The faults of each node that has any.
#[derive(Debug, Default)]
pub(crate) struct NodeFaults(BTreeMap<u8, FaultState>);

impl NodeFaults {
    /// `now` is what a frozen node goes on showing.
    pub(crate) fn set(&mut self, node: u8, faults: Faults, now: Option<Arc<Ledger>>) {
        self.0.insert(node, FaultState { faults, calls: 0, frozen: now });
    }

    pub(crate) fn judge(&mut self, node: u8, method: &str) -> Verdict {
        self.0.get_mut(&node).map(|state| state.judge(method)).unwrap_or_default()
    }
}

/// The faults and how many calls they were counted over.
#[derive(Debug)]
struct FaultState {
    faults: Faults,
    calls: u64,
    frozen: Option<Arc<Ledger>>,
}

/// How much of the chain an answer is made from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    /// All but so many of the newest blocks,
    pub(crate) stale: u64,
    /// of what the chain was then, instead of what it is.
    pub(crate) frozen: Option<Arc<Ledger>>,
}

/// What the faults do to one call.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) slow: Duration,
    pub(crate) sight: Sight,
    pub(crate) refuse: Option<RpcError>,
    pub(crate) lose: Option<RpcError>,
}

impl FaultState {
    fn judge(&mut self, method: &str) -> Verdict {
        let Faults { slow, fail, stale, frozen: _, methods } = &self.faults;
        let sight = Sight { stale: *stale, frozen: self.frozen.clone() };
        let mut verdict = Verdict { sight, ..Verdict::default() };
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
