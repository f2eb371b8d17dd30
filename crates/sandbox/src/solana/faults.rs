use std::time::Duration;

use crate::jsonrpc::RpcError;
use crate::lies::Lies;

/// Injected faults of a node's RPC.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RpcFaults {
    /// Added to the latency of every response.
    pub delay: Duration,
    /// Which calls fail without being executed.
    pub failing: FaultSchedule,
    /// Which calls are executed and then answered with an error.
    pub response_lost: FaultSchedule,
    /// Reads show the state at which this was set; transactions still land.
    pub stale: bool,
    /// False answers; none unless a test wants them.
    pub lies: Option<Lies>,
}

/// Which calls a fault affects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultSchedule {
    #[default]
    Never,
    Next(u32),
    /// Every n-th call.
    Every {
        every: u32,
        /// Calls since the last affected one.
        passed: u32,
    },
    Always,
}

impl FaultSchedule {
    /// Counts a call; returns whether the fault affects it.
    pub(super) fn should_fail(&mut self) -> bool {
        match *self {
            Self::Never => false,
            Self::Always => true,
            Self::Every { every, passed } => {
                let fails = passed.saturating_add(1) >= every;
                *self = Self::Every { every, passed: if fails { 0 } else { passed.saturating_add(1) } };
                fails && every > 0
            }
            Self::Next(calls) => {
                *self = if calls > 1 { Self::Next(calls - 1) } else { Self::Never };
                calls > 0
            }
        }
    }
}

pub(super) fn failed() -> RpcError {
    RpcError::new(-32603, "Internal error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_counts_its_calls() {
        let mut failing = FaultSchedule::Next(2);
        assert_eq!(
            [failing.should_fail(), failing.should_fail(), failing.should_fail()],
            [true, true, false]
        );
        assert!(!FaultSchedule::Next(0).should_fail());
        assert!(FaultSchedule::Always.should_fail());
        let mut third = FaultSchedule::Every { every: 3, passed: 0 };
        assert_eq!([(); 6].map(|()| third.should_fail()), [false, false, true, false, false, true]);
    }
}
