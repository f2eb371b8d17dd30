use std::fmt;
use std::time::Duration;

/// Why an endpoint did not give a usable answer. Another endpoint, or the same one later, may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Timeout,
    /// Our own rate limit leaves no room in time; not a fault of the endpoint.
    Busy,
    /// It failed repeatedly and is left alone for a while.
    BackingOff,
    Connection(String),
    Status(u16),
    /// With the server's Retry-After, if it sent one.
    RateLimited(Option<Duration>),
    TooLarge(usize),
    InvalidResponse(String),
    WrongChain(String),
    /// An error that may not occur later or elsewhere.
    Transient(String),
    /// The endpoint does not support the method, or not in batches.
    Unsupported(String),
}

impl Fault {
    /// The penalty for the endpoint.
    pub(crate) const fn weight(&self) -> u64 {
        match self {
            Self::Busy | Self::BackingOff | Self::Unsupported(_) => 0,
            Self::RateLimited(_) | Self::Transient(_) | Self::TooLarge(_) => 1_000,
            Self::Status(_) | Self::InvalidResponse(_) => 2_000,
            Self::Timeout | Self::Connection(_) => 4_000,
            Self::WrongChain(_) => 64_000,
        }
    }

    /// Whether another server may answer next, so that its chain must be verified again.
    pub(crate) const fn invalidates_chain_check(&self) -> bool {
        matches!(self, Self::Connection(_) | Self::WrongChain(_))
    }

    /// Whether fewer calls in one request may help.
    pub(crate) const fn wants_smaller_batch(&self) -> bool {
        matches!(self, Self::TooLarge(_) | Self::Status(400 | 413) | Self::Unsupported(_))
    }

    /// Whether the same endpoint would fail the same way again.
    pub(crate) const fn is_permanent(&self) -> bool {
        matches!(self, Self::Unsupported(_) | Self::TooLarge(_) | Self::WrongChain(_))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("no answer in time"),
            Self::Busy => f.write_str("rate limit leaves no room"),
            Self::BackingOff => f.write_str("left alone after repeated faults"),
            Self::Connection(message) => write!(f, "connection failed ({message})"),
            Self::Status(code) => write!(f, "HTTP status {code}"),
            Self::RateLimited(_) => f.write_str("rate limited by the endpoint"),
            Self::TooLarge(limit) => write!(f, "the answer is larger than {limit} bytes"),
            Self::InvalidResponse(message) => write!(f, "not a JSON-RPC answer ({message})"),
            Self::WrongChain(chain) => write!(f, "it serves chain {chain}"),
            Self::Transient(message) | Self::Unsupported(message) => f.write_str(message),
        }
    }
}
