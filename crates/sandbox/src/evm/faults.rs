use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::ledger::Ledger;
use crate::jsonrpc::RpcError;
use crate::lies::Lies;

/// How calls fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// One is every call, two every second call, and so on; zero is never.
    pub every: u64,
    pub code: i64,
    pub message: String,
    /// The call is executed and only its answer is lost, as when a connection breaks.
    pub after_effect: bool,
}

/// The faults of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// The extra delay of every answer.
    pub slow: Duration,
    pub fail: Option<Failing>,
    /// Answers are those of this many blocks ago.
    pub stale: u64,
    /// Answers are those of the moment at which this was set, also where the chain has left that branch since.
    pub frozen: bool,
    /// Only these methods are slow or failing; all of them when empty.
    pub methods: Vec<String>,
    /// False answers; none unless a test wants them.
    pub lies: Option<Lies>,
}

/// The faults of each node that has any.
#[derive(Debug, Default)]
pub(crate) struct NodeFaults(BTreeMap<u8, FaultState>);

impl NodeFaults {
    /// `now` is the chain that a frozen node keeps showing.
    pub(crate) fn set(&mut self, node: u8, faults: Faults, now: Option<Arc<Ledger>>) {
        self.0.insert(node, FaultState { faults, calls: 0, frozen: now });
    }

    /// The faults of a node; the default where it has none.
    pub(crate) fn get(&self, node: u8) -> Faults {
        self.0.get(&node).map(|state| state.faults.clone()).unwrap_or_default()
    }

    pub(crate) fn for_call(&mut self, node: u8, method: &str) -> CallFaults {
        self.0.get_mut(&node).map(|state| state.for_call(method)).unwrap_or_default()
    }
}

/// The faults of a node and its call counter.
#[derive(Debug)]
struct FaultState {
    faults: Faults,
    calls: u64,
    frozen: Option<Arc<Ledger>>,
}

/// The part of the chain that an answer uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct VisibleChain {
    /// Hides this many of the newest blocks.
    pub(crate) stale: u64,
    /// Uses this earlier chain instead of the current one.
    pub(crate) frozen: Option<Arc<Ledger>>,
}

/// The effect of the faults on one call.
#[derive(Debug, Default)]
pub(crate) struct CallFaults {
    pub(crate) slow: Duration,
    pub(crate) visible: VisibleChain,
    pub(crate) fail_before: Option<RpcError>,
    pub(crate) fail_after: Option<RpcError>,
    pub(crate) lies: Option<Lies>,
}

impl FaultState {
    fn for_call(&mut self, method: &str) -> CallFaults {
        let Faults { slow, fail, stale, frozen: _, methods, lies } = &self.faults;
        let visible = VisibleChain { stale: *stale, frozen: self.frozen.clone() };
        let mut faults = CallFaults { visible, lies: lies.clone(), ..CallFaults::default() };
        if !methods.is_empty() && !methods.iter().any(|named| named == method) {
            return faults;
        }
        faults.slow = *slow;
        if let Some(fail) = fail.as_ref().filter(|fail| fail.every > 0) {
            self.calls += 1;
            if self.calls.is_multiple_of(fail.every) {
                let error = RpcError::new(fail.code, fail.message.clone());
                if fail.after_effect {
                    faults.fail_after = Some(error);
                } else {
                    faults.fail_before = Some(error);
                }
            }
        }
        faults
    }
}
