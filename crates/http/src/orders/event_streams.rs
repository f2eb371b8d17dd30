use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::http::HeaderMap;

use crate::error::ApiError;
use crate::middleware::rate_limit::client_address;
use crate::slots::{Slot, Slots, SlotsFull};

/// Seconds after which a refused client should try again; orders can be polled meanwhile.
const RETRY_AFTER: u64 = 15;

/// How many event streams may be open.
#[derive(Clone, Copy, Debug)]
pub struct StreamLimits {
    pub total: usize,
    pub per_address: usize,
    /// Number of our own proxies in front; selects the entry of `X-Forwarded-For`, counted from the end.
    pub trusted_proxies: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self { total: 2_000, per_address: 200, trusted_proxies: 0 }
    }
}

/// The event streams that are open, which are bounded: each holds a connection for as long as its order takes.
#[derive(Debug)]
pub struct EventStreams {
    slots: Arc<Slots>,
    trusted_proxies: usize,
}

impl Default for EventStreams {
    fn default() -> Self {
        Self::new(StreamLimits::default())
    }
}

impl EventStreams {
    pub fn new(limits: StreamLimits) -> Self {
        let StreamLimits { total, per_address, trusted_proxies } = limits;
        Self { slots: Slots::new(total, per_address), trusted_proxies }
    }

    /// The client's network address.
    pub(crate) fn client(&self, headers: &HeaderMap, peer: Option<SocketAddr>) -> Option<IpAddr> {
        client_address(headers, peer.map(|peer| peer.ip()), self.trusted_proxies)
    }

    /// A place for a stream of this client.
    pub(super) fn open(&self, headers: &HeaderMap, peer: Option<SocketAddr>) -> Result<Slot, ApiError> {
        let address = self.client(headers, peer);
        self.slots.take(address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))).map_err(|full| {
            let whose = match full {
                SlotsFull::Total => "All event streams of this service are taken",
                SlotsFull::Address => "Too many event streams are open from this address",
            };
            let message = format!("{whose}; read the order itself, or try again in {RETRY_AFTER} s.");
            ApiError::rate_limited("event streams", "from this address", RETRY_AFTER).with_message(message)
        })
    }
}
