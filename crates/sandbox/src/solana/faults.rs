use std::time::Duration;

use crate::jsonrpc::RpcError;

/// How a node's RPC misbehaves, for tests of what relies on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RpcFaults {
    /// Every answer takes this much longer.
    pub delay: Duration,
    /// Which calls are answered with an error and not carried out.
    pub failing: Failing,
    /// Which calls are carried out and then answered with an error all the same.
    pub answer_lost: Failing,
    /// Reads are answered from the moment at which this was set; transactions still land.
    pub stale: bool,
}

/// How many calls a fault concerns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failing {
    #[default]
    Never,
    Next(u32),
    /// One of so many.
    Every {
        every: u32,
        /// How many calls have passed since the last one that it concerned.
        passed: u32,
    },
    Always,
}

impl Failing {
    /// Whether this call is concerned; counts it.
    pub(super) fn strike(&mut self) -> bool {
        match *self {
            Self::Never => false,
            Self::Always => true,
            Self::Every { every, passed } => {
                let strikes = passed.saturating_add(1) >= every;
                *self = Self::Every { every, passed: if strikes { 0 } else { passed.saturating_add(1) } };
                strikes && every > 0
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
        let mut failing = Failing::Next(2);
        assert_eq!([failing.strike(), failing.strike(), failing.strike()], [true, true, false]);
        assert!(!Failing::Next(0).strike());
        assert!(Failing::Always.strike());
        let mut third = Failing::Every { every: 3, passed: 0 };
        assert_eq!([(); 6].map(|()| third.strike()), [false, false, true, false, false, true]);
    }
}
