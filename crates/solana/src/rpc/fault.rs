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
    /// We would exceed the pace that we keep ourselves.
    OwnPace,
    TooLarge(usize),
    Garbage(String),
    OtherChain(String),
    /// The node says that it cannot answer now: it is behind, unhealthy, or lacks that piece of history.
    Node {
        code: i64,
        message: String,
    },
    /// The node says no, as every other would.
    Refused {
        code: i64,
        message: String,
        data: Option<Box<Value>>,
    },
}

impl Fault {
    /// Whether the endpoint is to blame, so that others are asked before it.
    pub(super) fn is_the_endpoints(&self) -> bool {
        !(matches!(self, Self::OwnPace) || self.is_lasting())
    }

    /// Whether the connection itself is in doubt, so that whoever answers next must show its genesis hash again.
    pub(super) fn breaks_trust(&self) -> bool {
        matches!(self, Self::Connection(_) | Self::Status(_) | Self::Garbage(_) | Self::OtherChain(_))
    }

    /// Whether asking the same endpoint again would bring the same.
    pub(super) fn is_lasting(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Node { code: METHOD_NOT_FOUND, .. })
    }

    pub(super) fn named_rest(&self) -> Option<Duration> {
        if let Self::RateLimited(rest) = self { *rest } else { None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("no answer in time"),
            Self::Connection(why) => write!(f, "no connection: {why}"),
            Self::Status(status) => write!(f, "HTTP status {status}"),
            Self::RateLimited(_) => f.write_str("it limits our rate"),
            Self::OwnPace => f.write_str("our own rate limit is reached"),
            Self::TooLarge(limit) => write!(f, "an answer of more than {limit} bytes"),
            Self::Garbage(why) => write!(f, "an answer that is not JSON-RPC of Solana: {why}"),
            Self::OtherChain(genesis) => write!(f, "it serves the chain with genesis hash {genesis}"),
            Self::Node { code, message } | Self::Refused { code, message, .. } => {
                write!(f, "{message} ({code})")
            }
        }
    }
}

/// Faults with the names of their endpoints, latest last.
pub(super) type Faults = Vec<(String, Fault)>;

/// Whether the same calls one by one may be answered where a batch of them was not.
pub(super) fn may_mean_no_batches(faults: &Faults) -> bool {
    faults.iter().any(|(_, fault)| match fault {
        Fault::Refused { .. } | Fault::Node { .. } | Fault::Garbage(_) | Fault::TooLarge(_) => true,
        Fault::Status(status) => (400..500).contains(status),
        Fault::Timeout
        | Fault::Connection(_)
        | Fault::RateLimited(_)
        | Fault::OwnPace
        | Fault::OtherChain(_) => false,
    })
}

/// What all attempts together mean.
pub(super) fn conclude(mut faults: Faults) -> RpcError {
    match faults.pop() {
        None => return RpcError::WrongChain("all of them have shown another genesis hash".to_owned()),
        Some((_, Fault::Refused { code, message, data })) => {
            return RpcError::Refused { code, message, data };
        }
        Some(last) => faults.push(last),
    }
    let all = |test: fn(&Fault) -> bool| faults.iter().all(|(_, fault)| test(fault));
    let words = || {
        let said: Vec<String> = faults.iter().map(|(name, fault)| format!("{name}: {fault}")).collect();
        said.join("; ")
    };
    if all(|fault| matches!(fault, Fault::OtherChain(_))) {
        return RpcError::WrongChain(words());
    }
    if all(|fault| matches!(fault, Fault::Garbage(_) | Fault::TooLarge(_) | Fault::OtherChain(_))) {
        return RpcError::Nonsense(words());
    }
    if all(|fault| matches!(fault, Fault::Node { code: METHOD_NOT_FOUND, .. })) {
        return RpcError::Refused { code: METHOD_NOT_FOUND, message: words(), data: None };
    }
    RpcError::Unavailable(words())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concluded(faults: &[Fault]) -> RpcError {
        conclude(faults.iter().map(|fault| ("https://a".to_owned(), fault.clone())).collect())
    }

    #[test]
    fn one_passing_fault_among_others_makes_the_chain_unavailable_not_wrong() {
        let other = Fault::OtherChain("abc".to_owned());
        let garbage = Fault::Garbage("x".to_owned());
        assert!(matches!(concluded(&[other.clone(), other.clone()]), RpcError::WrongChain(_)));
        assert!(matches!(concluded(&[other.clone(), garbage]), RpcError::Nonsense(_)));
        assert!(matches!(concluded(&[other, Fault::Timeout]), RpcError::Unavailable(_)));
        assert!(matches!(concluded(&[]), RpcError::WrongChain(_)));
    }

    #[test]
    fn a_method_that_no_endpoint_knows_is_refused() {
        let missing = Fault::Node { code: METHOD_NOT_FOUND, message: "Method not found".to_owned() };
        assert!(matches!(concluded(&[missing]), RpcError::Refused { code: METHOD_NOT_FOUND, .. }));
    }
}
