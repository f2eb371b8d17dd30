use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::error::ApiError;
use crate::slots::network;

/// Request rate allowed for one client address.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    pub per_second: NonZeroU32,
    pub burst: NonZeroU32,
    /// Number of our own proxies in front; selects the entry of `X-Forwarded-For`, counted from the end.
    pub trusted_proxies: usize,
}

/// A token bucket for each client address.
#[derive(Debug)]
pub(crate) struct Limiter {
    buckets: DefaultKeyedRateLimiter<IpAddr>,
    trusted_proxies: usize,
    checks: AtomicU32,
}

/// Full buckets are removed once in this many checks, to bound the memory.
const PRUNE_EVERY: u32 = 4_096;

impl Limiter {
    pub(crate) fn new(limit: RateLimit) -> Arc<Self> {
        let quota = Quota::per_second(limit.per_second).allow_burst(limit.burst);
        let buckets = RateLimiter::keyed(quota);
        Arc::new(Self { buckets, trusted_proxies: limit.trusted_proxies, checks: AtomicU32::new(0) })
    }

    /// Takes one token, or returns the seconds until one is available.
    fn check(&self, address: IpAddr) -> Result<(), u64> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % PRUNE_EVERY == PRUNE_EVERY - 1 {
            self.buckets.retain_recent();
        }
        self.buckets.check_key(&network(address)).map_err(|not_yet| {
            let wait = not_yet.wait_time_from(DefaultClock::default().now());
            wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
        })
    }
}

/// The client address as the outermost trusted proxy reports it. Entries further left can be forged and are ignored.
pub(crate) fn client_address(
    headers: &HeaderMap,
    peer: Option<IpAddr>,
    trusted_proxies: usize,
) -> Option<IpAddr> {
    if trusted_proxies == 0 {
        return peer;
    }
    let forwarded = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let hops: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
    hops.len()
        .checked_sub(trusted_proxies)
        .and_then(|at| hops.get(at))
        .and_then(|hop| hop.parse().ok())
        .or(peer)
}

pub(crate) async fn limit_rate(
    State(limiter): State<Arc<Limiter>>,
    request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    match client_address(request.headers(), peer, limiter.trusted_proxies)
        .map(|address| limiter.check(address))
    {
        Some(Err(seconds)) => ApiError::rate_limited(seconds).into_response(),
        Some(Ok(())) | None => next.run(request).await,
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn forwarded(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([("x-forwarded-for".parse().unwrap(), HeaderValue::from_static(value))])
    }

    #[test]
    fn a_forged_forwarded_header_is_ignored() {
        let peer = Some("10.0.0.1".parse().unwrap());
        let headers = forwarded("6.6.6.6, 1.2.3.4");
        assert_eq!(client_address(&headers, peer, 0), peer);
        assert_eq!(client_address(&headers, peer, 1), Some("1.2.3.4".parse().unwrap()));
        assert_eq!(client_address(&forwarded("nonsense"), peer, 1), peer);
        assert_eq!(client_address(&HeaderMap::new(), peer, 2), peer);
    }

    #[test]
    fn one_ipv6_network_shares_a_bucket() {
        let limit = RateLimit { per_second: NonZeroU32::MIN, burst: NonZeroU32::MIN, trusted_proxies: 0 };
        let limiter = Limiter::new(limit);
        assert_eq!(limiter.check("2001:db8::1".parse().unwrap()), Ok(()));
        assert_eq!(limiter.check("2001:db8::2".parse().unwrap()), Err(1));
        assert_eq!(limiter.check("2001:db8:0:1::1".parse().unwrap()), Ok(()));
    }
}
