use std::hash::{BuildHasher as _, RandomState};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::http::HeaderMap;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, NotUntil, Quota, RateLimiter};

use crate::middleware::envelope;
use crate::slots::network;

/// The request rates allowed for one client, by kind of request.
#[derive(Clone, Copy, Debug)]
pub struct RateLimits {
    /// Everything that the others do not count.
    pub general: RateLimit,
    pub quotes: RateLimit,
    pub builds: RateLimit,
    pub submits: RateLimit,
    /// Openings of event streams.
    pub streams: RateLimit,
    pub fiat: RateLimit,
    /// How many times these rates a client with an API key may have.
    pub api_key_factor: NonZeroU32,
    /// Number of our own proxies in front; selects the entry of `X-Forwarded-For`, counted from the end.
    pub trusted_proxies: usize,
}

/// A token bucket.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    pub per_second: NonZeroU32,
    pub burst: NonZeroU32,
}

/// The kinds of requests; a client has a bucket for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    General,
    Quote,
    Build,
    Submit,
    Stream,
    Fiat,
}

impl RequestKind {
    pub(crate) fn of(request: &Request) -> Self {
        match request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str) {
            "/v1/quotes" => Self::Quote,
            "/v1/deposit/build" => Self::Build,
            "/v1/deposit/submit" => Self::Submit,
            "/v1/orders/by-id/{orderId}/events" => Self::Stream,
            // Providers send what they owe from few addresses, and a browser loads the checkout once.
            "/v1/fiat/webhook/{provider}" | "/v1/fiat/widget/{orderId}" => Self::General,
            path if envelope::is_fiat_path(path) => Self::Fiat,
            _ => Self::General,
        }
    }

    /// What there are too many of.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Self::General => "requests",
            Self::Quote => "requests for quotes",
            Self::Build => "builds",
            Self::Submit => "submits",
            Self::Stream => "new event streams",
            Self::Fiat => "requests to the fiat API",
        }
    }
}

/// The buckets of all clients.
#[derive(Debug)]
pub(crate) struct Limiter {
    general: Buckets,
    quotes: Buckets,
    builds: Buckets,
    submits: Buckets,
    streams: Buckets,
    fiat: Buckets,
    trusted_proxies: usize,
    hasher: RandomState,
}

impl Limiter {
    pub(crate) fn new(limits: RateLimits) -> Self {
        let RateLimits { general, quotes, builds, submits, streams, fiat, trusted_proxies, .. } = limits;
        let buckets = |limit| Buckets::new(limit, limits.api_key_factor);
        Self {
            general: buckets(general),
            quotes: buckets(quotes),
            builds: buckets(builds),
            submits: buckets(submits),
            streams: buckets(streams),
            fiat: buckets(fiat),
            trusted_proxies,
            hasher: RandomState::new(),
        }
    }

    /// Takes one token of the integrator, or else of the client's address; or returns the seconds until one is available.
    pub(crate) fn check(
        &self,
        kind: RequestKind,
        request: &Request,
        integrator: Option<&str>,
    ) -> Result<(), u64> {
        if let Some(name) = integrator {
            return self.buckets(kind).check_integrator(self.hasher.hash_one(name));
        }
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        client_address(request.headers(), peer, self.trusted_proxies)
            .map_or(Ok(()), |address| self.check_address(kind, address))
    }

    fn check_address(&self, kind: RequestKind, address: IpAddr) -> Result<(), u64> {
        self.buckets(kind).check(self.hasher.hash_one(network(address)))
    }

    const fn buckets(&self, kind: RequestKind) -> &Buckets {
        match kind {
            RequestKind::General => &self.general,
            RequestKind::Quote => &self.quotes,
            RequestKind::Build => &self.builds,
            RequestKind::Submit => &self.submits,
            RequestKind::Stream => &self.streams,
            RequestKind::Fiat => &self.fiat,
        }
    }
}

/// A bucket for each client, by the hash of its address; the hash cannot be predicted.
#[derive(Debug)]
struct Buckets {
    of_addresses: DefaultKeyedRateLimiter<u64>,
    /// By the hash of the name; there are as many as there are integrators.
    of_integrators: DefaultKeyedRateLimiter<u64>,
    checks: AtomicU32,
    /// Whether there are so many clients that they share buckets.
    is_crowded: AtomicBool,
    max_clients: usize,
}

/// Full buckets are removed once in this many checks.
const PRUNE_EVERY: u32 = 4_096;
/// With more clients than this, all share [`SHARED_BUCKETS`], so that the memory is bounded.
const MAX_CLIENTS: usize = 100_000;
const SHARED_BUCKETS: u64 = 1 << 14;

impl Buckets {
    fn new(limit: RateLimit, factor: NonZeroU32) -> Self {
        let quota = |RateLimit { per_second, burst }| Quota::per_second(per_second).allow_burst(burst);
        let RateLimit { per_second, burst } = limit;
        let more =
            RateLimit { per_second: per_second.saturating_mul(factor), burst: burst.saturating_mul(factor) };
        Self {
            of_addresses: RateLimiter::keyed(quota(limit)),
            of_integrators: RateLimiter::keyed(quota(more)),
            checks: AtomicU32::new(0),
            is_crowded: AtomicBool::new(false),
            max_clients: MAX_CLIENTS,
        }
    }

    fn check(&self, client: u64) -> Result<(), u64> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % PRUNE_EVERY == PRUNE_EVERY - 1 {
            self.prune();
        }
        let is_crowded = self.is_crowded.load(Ordering::Relaxed);
        let bucket = if is_crowded { client % SHARED_BUCKETS } else { client };
        self.of_addresses.check_key(&bucket).map_err(|not_yet| seconds_until(&not_yet))
    }

    fn check_integrator(&self, integrator: u64) -> Result<(), u64> {
        self.of_integrators.check_key(&integrator).map_err(|not_yet| seconds_until(&not_yet))
    }

    fn prune(&self) {
        self.of_addresses.retain_recent();
        self.of_addresses.shrink_to_fit();
        self.is_crowded.store(self.of_addresses.len() > self.max_clients, Ordering::Relaxed);
    }
}

/// Rounded up, and at least one.
fn seconds_until(not_yet: &NotUntil<<DefaultClock as Clock>::Instant>) -> u64 {
    let wait = not_yet.wait_time_from(DefaultClock::default().now());
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0)).max(1)
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

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const ONE: RateLimit = RateLimit { per_second: NonZeroU32::MIN, burst: NonZeroU32::MIN };

    fn forwarded(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([("x-forwarded-for".parse().unwrap(), HeaderValue::from_static(value))])
    }

    fn limiter() -> Limiter {
        Limiter::new(RateLimits {
            general: ONE,
            quotes: ONE,
            builds: ONE,
            submits: ONE,
            streams: ONE,
            fiat: ONE,
            api_key_factor: NonZeroU32::new(2).unwrap(),
            trusted_proxies: 0,
        })
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
        let limiter = limiter();
        let check = |address: &str| limiter.check_address(RequestKind::Quote, address.parse().unwrap());
        assert_eq!(check("2001:db8::1"), Ok(()));
        assert_eq!(check("2001:db8::2"), Err(1));
        assert_eq!(check("2001:db8:0:1::1"), Ok(()));
    }

    #[test]
    fn each_kind_of_request_has_its_own_bucket() {
        let limiter = limiter();
        let address = "10.0.0.1".parse().unwrap();
        let kinds = [
            RequestKind::General,
            RequestKind::Quote,
            RequestKind::Build,
            RequestKind::Submit,
            RequestKind::Stream,
            RequestKind::Fiat,
        ];
        for kind in kinds {
            assert_eq!(limiter.check_address(kind, address), Ok(()), "{kind:?}");
            assert_eq!(limiter.check_address(kind, address), Err(1), "{kind:?}");
        }
    }

    #[test]
    fn an_integrator_has_a_bucket_of_its_own_wherever_it_asks_from() {
        let limiter = limiter();
        let ask = |name| limiter.check(RequestKind::Build, &Request::default(), name);
        assert_eq!([ask(Some("shop")), ask(Some("shop")), ask(Some("shop"))], [Ok(()), Ok(()), Err(1)]);
        assert_eq!(ask(Some("other")), Ok(()));
    }

    #[test]
    fn the_number_of_buckets_is_bounded() {
        let hour = RateLimit { per_second: NonZeroU32::MIN, burst: NonZeroU32::new(3_600).unwrap() };
        let buckets = Buckets { max_clients: 999, ..Buckets::new(hour, NonZeroU32::MIN) };
        let hasher = RandomState::new();
        let knock = |client: u64| {
            for _ in 0..60 {
                assert_eq!(buckets.check(hasher.hash_one(client)), Ok(()));
            }
        };
        (0..1_000).for_each(knock);
        buckets.prune();
        assert!(buckets.is_crowded.load(Ordering::Relaxed), "{}", buckets.of_addresses.len());
        (0..30_000).for_each(knock);
        let most = 1_000 + usize::try_from(u64::from(PRUNE_EVERY) + SHARED_BUCKETS).unwrap();
        assert!(buckets.of_addresses.len() <= most, "{}", buckets.of_addresses.len());
    }
}
