use std::time::Duration;

/// What one client, and all clients together, may hold of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Open connections in total; what the process needs for itself is not part of it.
    pub total: usize,
    /// Open connections of one client address. Behind proxies every connection has a proxy's address: then the total.
    pub per_address: usize,
    /// How long a new connection may send nothing.
    pub first_byte: Duration,
    /// How long a request's head may take, and how long a connection may wait for its next request.
    pub head: Duration,
}

impl ConnectionLimits {
    /// For listeners that only this process and its tests reach.
    pub const NONE: Self = Self {
        total: usize::MAX,
        per_address: usize::MAX,
        first_byte: Duration::from_secs(15),
        head: Duration::from_secs(15),
    };
}
