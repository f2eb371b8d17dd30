use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use causeway_http::{ApiKeys, ConnectionLimits, OperatorRole, OperatorToken, StreamLimits};
use serde::{Deserialize, Serialize};

use super::Mode;
use super::faults::{Faults, demand};
use super::rate_limit::RateLimitConfig;
use super::secret::Secret;
use crate::boot::descriptors;

/// The minimum length of a token that cannot be guessed.
const MIN_TOKEN_LENGTH: usize = 16;

/// The HTTP server.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServerConfig {
    pub(crate) listen: SocketAddr,
    /// An address for `/metrics` alone; if unset, the metrics are at `listen`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// The public address of the service, the base of every absolute URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) public_url: Option<String>,
    pub(crate) request_timeout_seconds: u64,
    /// Whether clients may, or must, send API keys.
    pub(crate) api_keys: ApiKeysName,
    /// Authenticates operators; generated in the data folder if unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operator_token: Option<Secret>,
    /// More tokens for operators, each with a name and a role, by their hashes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) operator_tokens: Vec<OperatorTokenConfig>,
    /// What earlier versions needed: the database gives each process its number now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replica: Option<u8>,
    pub(crate) rate_limit: RateLimitConfig,
    pub(crate) connections: ConnectionsConfig,
}

/// Whether clients may, or must, send API keys.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ApiKeysName {
    #[default]
    Off,
    Optional,
    Required,
}

impl ApiKeysName {
    pub(crate) const fn keys(self) -> ApiKeys {
        match self {
            Self::Off => ApiKeys::Off,
            Self::Optional => ApiKeys::Optional,
            Self::Required => ApiKeys::Required,
        }
    }
}

/// A token of an operator.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OperatorTokenConfig {
    /// Who has it; the audit log names it.
    pub(crate) name: String,
    pub(crate) role: RoleName,
    /// The SHA-256 hash of the token, in hex.
    pub(crate) sha256: String,
}

/// What an operator may do; each may do what those before it may.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RoleName {
    /// Look at everything
    Read,
    /// Pause and resume too
    Pause,
    /// Everything
    Admin,
}

impl OperatorTokenConfig {
    pub(crate) fn token(&self) -> anyhow::Result<OperatorToken> {
        let name = &self.name;
        ensure!(
            !name.is_empty() && name.len() <= 64 && !name.contains(char::is_control),
            "server.operator_tokens: a name has 1 to 64 characters"
        );
        let sha256 = alloy_primitives::hex::decode_to_array(&self.sha256).with_context(|| {
            format!("server.operator_tokens: the sha256 of {name} must be 64 hex digits; `causeway key operator` makes one")
        })?;
        let role = match self.role {
            RoleName::Read => OperatorRole::Read,
            RoleName::Pause => OperatorRole::Pause,
            RoleName::Admin => OperatorRole::Admin,
        };
        Ok(OperatorToken { name: name.clone(), role, sha256 })
    }
}

/// What clients may hold of the server.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ConnectionsConfig {
    /// Open connections; never more than the file descriptors of the process leave after `reserved_descriptors`.
    pub(crate) total: usize,
    /// Open connections of one client address; not used behind proxies.
    pub(crate) per_address: usize,
    /// How long a new connection may send nothing.
    pub(crate) first_byte_seconds: u64,
    /// How long the head of a request may take, and how long a connection may wait for the next one.
    pub(crate) head_seconds: u64,
    /// File descriptors for the store, the chains and everybody else that the service itself connects to.
    pub(crate) reserved_descriptors: usize,
    /// Requests that are worked on at a time; more are refused.
    pub(crate) requests: usize,
    /// Open streams of order events.
    pub(crate) streams: usize,
    /// Open streams of one client address.
    pub(crate) streams_per_address: usize,
}

impl Default for ConnectionsConfig {
    fn default() -> Self {
        let streams = StreamLimits::default();
        Self {
            total: 10_000,
            per_address: 512,
            first_byte_seconds: 10,
            head_seconds: 15,
            reserved_descriptors: 512,
            requests: 2_000,
            streams: streams.total,
            streams_per_address: streams.per_address,
        }
    }
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            metrics_listen: None,
            public_url: None,
            request_timeout_seconds: 30,
            api_keys: ApiKeysName::default(),
            operator_token: None,
            operator_tokens: Vec::new(),
            replica: None,
            rate_limit: RateLimitConfig::default(),
            connections: ConnectionsConfig::default(),
        }
    }
}

impl ServerConfig {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        demand!(
            faults,
            self.request_timeout_seconds > 0,
            "server.request_timeout_seconds must be at least 1"
        );
        let short =
            self.operator_token.as_ref().is_some_and(|token| token.reveal().trim().len() < MIN_TOKEN_LENGTH);
        demand!(faults, !short, "server.operator_token must have at least {MIN_TOKEN_LENGTH} characters");
        let mut names = HashSet::new();
        for token in &self.operator_tokens {
            faults.check(token.token());
            demand!(
                faults,
                names.insert(&token.name),
                "server.operator_tokens: there are two for {}",
                token.name
            );
        }
        let shared = self.metrics_listen == Some(self.listen) && self.listen.port() != 0;
        demand!(faults, !shared, "server.metrics_listen must be another address than server.listen");
        demand!(
            faults,
            self.replica.is_none_or(|replica| replica < 32),
            "server.replica must be from 0 to 31"
        );
        let ConnectionsConfig { total, per_address, requests, first_byte_seconds, head_seconds, .. } =
            self.connections;
        for (key, value) in [
            ("total", u64::try_from(total).unwrap_or(u64::MAX)),
            ("per_address", u64::try_from(per_address).unwrap_or(u64::MAX)),
            ("requests", u64::try_from(requests).unwrap_or(u64::MAX)),
            ("first_byte_seconds", first_byte_seconds),
            ("head_seconds", head_seconds),
        ] {
            demand!(faults, value > 0, "server.connections.{key} must be at least 1");
        }
        if let Some(url) = &self.public_url {
            let web = url.starts_with("http://") || url.starts_with("https://");
            demand!(faults, web, "server.public_url must start with http:// or https://");
        }
        faults.end()
    }

    /// Why all clients would share one limit, if they would: the service speaks no TLS itself, so that a public address with
    /// TLS means a proxy, whose address every request then comes from.
    pub(crate) fn shared_limit(&self, mode: Mode) -> Option<&'static str> {
        let has_proxy = self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"));
        let is_limited = self.rate_limit.limits(mode).is_some();
        (has_proxy && is_limited && self.rate_limit.trusted_proxies == 0).then_some(
            "all clients come from the proxy in front and share one rate limit: set server.rate_limit.trusted_proxies to \
             the number of your proxies",
        )
    }

    /// The configured public address, or the bound one.
    pub(crate) fn public_url(&self, bound: SocketAddr) -> String {
        match &self.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => Self::local_url(bound),
        }
    }

    /// The address of the service on this machine.
    pub(crate) fn local_url(bound: SocketAddr) -> String {
        format!("http://{}", reachable(bound))
    }

    pub(crate) const fn timeout(&self) -> Duration {
        Duration::from_secs(self.request_timeout_seconds)
    }

    /// What clients may hold, within what the process may open.
    pub(crate) fn connection_limits(&self) -> ConnectionLimits {
        let connections = self.connections;
        let total = connections.total.min(spare(descriptors::limit(), connections.reserved_descriptors));
        let is_direct = self.rate_limit.trusted_proxies == 0;
        ConnectionLimits {
            total,
            per_address: if is_direct { connections.per_address } else { total },
            first_byte: Duration::from_secs(connections.first_byte_seconds),
            head: Duration::from_secs(connections.head_seconds),
        }
    }

    pub(crate) const fn stream_limits(&self) -> StreamLimits {
        StreamLimits {
            total: self.connections.streams,
            per_address: self.connections.streams_per_address,
            trusted_proxies: self.rate_limit.trusted_proxies,
        }
    }
}

/// What is left for clients: at least half, where the limit is too small for the reserve.
fn spare(descriptors: usize, reserved: usize) -> usize {
    descriptors.saturating_sub(reserved).max(descriptors / 2).max(1)
}

/// An address that a browser on this machine can open.
fn reachable(bound: SocketAddr) -> SocketAddr {
    let ip = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
        ip => ip,
    };
    SocketAddr::new(ip, bound.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_url_has_no_trailing_slash_and_a_reachable_host() {
        let mut config = ServerConfig::default();
        assert_eq!(config.public_url("0.0.0.0:80".parse().unwrap()), "http://127.0.0.1:80");
        assert_eq!(config.public_url("[::]:80".parse().unwrap()), "http://[::1]:80");
        config.public_url = Some("https://swap.example/".to_owned());
        assert_eq!(config.public_url("0.0.0.0:80".parse().unwrap()), "https://swap.example");
    }

    #[test]
    fn a_proxy_that_is_not_counted_would_make_all_clients_one() {
        let behind = |url: &str, trusted_proxies| ServerConfig {
            public_url: Some(url.to_owned()),
            rate_limit: RateLimitConfig { trusted_proxies, ..RateLimitConfig::default() },
            ..ServerConfig::default()
        };
        let config = behind("https://swap.example", 0);
        assert!(config.shared_limit(Mode::Production).unwrap().contains("trusted_proxies"));
        assert_eq!(config.shared_limit(Mode::Sandbox), None, "nothing is limited");
        for fine in
            [behind("https://swap.example", 1), behind("http://10.0.0.1:8080", 0), ServerConfig::default()]
        {
            assert_eq!(fine.shared_limit(Mode::Production), None);
        }
    }

    #[test]
    fn descriptors_are_reserved_for_the_workers() {
        assert_eq!(spare(20_000, 512), 19_488);
        assert_eq!(spare(600, 512), 300, "a small limit is halved");
        let connections = ConnectionsConfig { total: usize::MAX, ..ConnectionsConfig::default() };
        let config = ServerConfig { connections, ..ServerConfig::default() };
        let limits = config.connection_limits();
        assert!(limits.total < descriptors::limit(), "{limits:?}");
        assert_eq!(limits.per_address, 512);
        let rate_limit = RateLimitConfig { trusted_proxies: 1, ..RateLimitConfig::default() };
        let limits = ServerConfig { rate_limit, ..config }.connection_limits();
        assert_eq!(limits.per_address, limits.total, "every connection comes from the proxy");
    }

    #[test]
    fn invalid_server_settings_are_rejected() {
        let bad = [
            ServerConfig { replica: Some(32), ..ServerConfig::default() },
            ServerConfig { operator_token: Some(Secret::new("short".to_owned())), ..ServerConfig::default() },
            ServerConfig { request_timeout_seconds: 0, ..ServerConfig::default() },
            ServerConfig { public_url: Some("swap.example".to_owned()), ..ServerConfig::default() },
        ];
        assert!(bad.iter().all(|config| config.check().is_err()));
    }
}
