use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::RpcError;

pub(super) const METHOD_NOT_FOUND: i64 = -32_601;

/// What went wrong with one attempt at one endpoint.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fault {
    Timeout,
    Connection(String),
    Status(u16),
    RateLimited(Option<Duration>),
    /// The call would exceed our own rate limit.
    LocalRateLimit,
    TooLarge(usize),
    InvalidResponse(String),
    WrongChain(String),
    /// The node cannot answer now: it lags behind, is unhealthy, or lacks that history.
    Node {
        code: i64,
        message: String,
    },
    /// The node refuses, as every other would.
    Refused {
        code: i64,
        message: String,
        data: Option<Box<Value>>,
    },
}

impl Fault {
    /// Whether the endpoint is at fault, so that others rank before it.
    pub(super) fn is_endpoint_fault(&self) -> bool {
        !(matches!(self, Self::LocalRateLimit) || self.is_permanent())
    }

    /// Whether another server may answer next, so that its genesis hash must be verified again.
    pub(super) fn requires_chain_check(&self) -> bool {
        matches!(self, Self::Connection(_) | Self::Status(_) | Self::InvalidResponse(_) | Self::WrongChain(_))
    }

    /// Whether a retry at the same endpoint would fail the same way.
    pub(super) fn is_permanent(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Node { code: METHOD_NOT_FOUND, .. })
    }

    pub(super) fn retry_after(&self) -> Option<Duration> {
        if let Self::RateLimited(delay) = self { *delay } else { None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("no answer in time"),
            Self::Connection(why) => write!(f, "no connection: {why}"),
            Self::Status(status) => write!(f, "HTTP status {status}"),
            Self::RateLimited(_) => f.write_str("it limits our rate"),
            Self::LocalRateLimit => f.write_str("our own rate limit is reached"),
            Self::TooLarge(limit) => write!(f, "an answer of more than {limit} bytes"),
            Self::InvalidResponse(why) => write!(f, "an answer that is not JSON-RPC of Solana: {why}"),
            Self::WrongChain(genesis) => write!(f, "it serves the chain with genesis hash {genesis}"),
            Self::Node { code, message } | Self::Refused { code, message, .. } => {
                write!(f, "{message} ({code})")
            }
        }
    }
}

/// Faults with the names of their endpoints, latest last.
pub(super) type Faults = Vec<(String, Fault)>;

/// Whether single calls may succeed where the batch failed.
pub(super) fn may_mean_no_batches(faults: &Faults) -> bool {
    faults.iter().any(|(_, fault)| match fault {
        Fault::Refused { .. } | Fault::Node { .. } | Fault::InvalidResponse(_) | Fault::TooLarge(_) => true,
        Fault::Status(status) => (400..500).contains(status),
        Fault::Timeout
        | Fault::Connection(_)
        | Fault::RateLimited(_)
        | Fault::LocalRateLimit
        | Fault::WrongChain(_) => false,
    })
}

/// The error that all attempts together amount to.
pub(super) fn conclude(mut faults: Faults) -> RpcError {
    match faults.pop() {
        None => return RpcError::WrongChain("all of them have shown another genesis hash".to_owned()),
        Some((_, Fault::Refused { code, message, data })) => {
            return RpcError::Refused { code, message, data };
        }
        Some(last) => faults.push(last),
    }
    let all = |test: fn(&Fault) -> bool| faults.iter().all(|(_, fault)| test(fault));
    let reason = || {
        let messages: Vec<String> = faults.iter().map(|(name, fault)| format!("{name}: {fault}")).collect();
        messages.join("; ")
    };
    if all(|fault| matches!(fault, Fault::WrongChain(_))) {
        return RpcError::WrongChain(reason());
    }
    if all(|fault| matches!(fault, Fault::InvalidResponse(_) | Fault::TooLarge(_) | Fault::WrongChain(_))) {
        return RpcError::InvalidResponse(reason());
    }
    if all(|fault| matches!(fault, Fault::Node { code: METHOD_NOT_FOUND, .. })) {
        return RpcError::Refused { code: METHOD_NOT_FOUND, message: reason(), data: None };
    }
    RpcError::Unavailable(reason())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concluded(faults: &[Fault]) -> RpcError {
        conclude(faults.iter().map(|fault| ("https://a".to_owned(), fault.clone())).collect())
    }

    #[test]
    fn one_transient_fault_makes_the_chain_unavailable_not_wrong() {
        let other = Fault::WrongChain("abc".to_owned());
        let invalid = Fault::InvalidResponse("x".to_owned());
        assert!(matches!(concluded(&[other.clone(), other.clone()]), RpcError::WrongChain(_)));
        assert!(matches!(concluded(&[other.clone(), invalid]), RpcError::InvalidResponse(_)));
        assert!(matches!(concluded(&[other, Fault::Timeout]), RpcError::Unavailable(_)));
        assert!(matches!(concluded(&[]), RpcError::WrongChain(_)));
    }

    #[test]
    fn a_method_that_no_endpoint_knows_is_refused() {
        let missing = Fault::Node { code: METHOD_NOT_FOUND, message: "Method not found".to_owned() };
        assert!(matches!(concluded(&[missing]), RpcError::Refused { code: METHOD_NOT_FOUND, .. }));
    }
}
