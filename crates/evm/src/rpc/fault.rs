use std::fmt;

/// Why an endpoint did not give a usable answer. Another endpoint, or the same one later, may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Timeout,
    /// Its queue or rate leaves no room in time; no fault of the endpoint.
    Busy,
    Connection(String),
    Status(u16),
    RateLimited,
    TooLarge(usize),
    Garbage(String),
    WrongChain(u64),
    /// Its own words for "not now" or "not here".
    Says(String),
    /// It does not know the method, or not in batches.
    Unsupported(String),
}

impl Fault {
    /// How much it counts against the endpoint.
    pub(crate) const fn weight(&self) -> u64 {
        match self {
            Self::Busy | Self::Unsupported(_) | Self::TooLarge(_) => 0,
            Self::RateLimited | Self::Says(_) => 1_000,
            Self::Status(_) | Self::Garbage(_) => 2_000,
            Self::Timeout | Self::Connection(_) => 4_000,
            Self::WrongChain(_) => 64_000,
        }
    }

    /// Whether the endpoint may be another one when it comes back.
    pub(crate) const fn breaks_trust(&self) -> bool {
        matches!(self, Self::Connection(_) | Self::WrongChain(_))
    }

    /// Whether fewer calls in one request may help.
    pub(crate) const fn wants_smaller_batch(&self) -> bool {
        matches!(self, Self::TooLarge(_) | Self::Status(413) | Self::Unsupported(_))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("no answer in time"),
            Self::Busy => f.write_str("its rate limit leaves no room"),
            Self::Connection(words) => write!(f, "connection failed ({words})"),
            Self::Status(code) => write!(f, "HTTP status {code}"),
            Self::RateLimited => f.write_str("it says that we ask too much"),
            Self::TooLarge(limit) => write!(f, "the answer is larger than {limit} bytes"),
            Self::Garbage(words) => write!(f, "not a JSON-RPC answer ({words})"),
            Self::WrongChain(id) => write!(f, "it serves chain {id}"),
            Self::Says(words) | Self::Unsupported(words) => f.write_str(words),
        }
    }
}
