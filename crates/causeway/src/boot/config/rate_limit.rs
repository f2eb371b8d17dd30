use std::num::NonZeroU32;

use causeway_http::{RateLimit, RateLimits};
use serde::{Deserialize, Serialize};

use super::Mode;

/// Token buckets per client address, one for each kind of request.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RateLimitConfig {
    /// In production if unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) enabled: Option<bool>,
    /// Of everything that no section below counts.
    pub(crate) per_second: NonZeroU32,
    pub(crate) burst: NonZeroU32,
    /// How many proxies are in front; with 0, `X-Forwarded-For` is ignored.
    pub(crate) trusted_proxies: usize,
    /// How many times these rates an API key has.
    pub(crate) api_key_factor: NonZeroU32,
    pub(crate) quotes: BucketConfig,
    pub(crate) builds: BucketConfig,
    pub(crate) submits: BucketConfig,
    pub(crate) streams: BucketConfig,
    pub(crate) fiat: BucketConfig,
}

/// How fast a bucket fills, and how much it holds.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BucketConfig {
    per_second: NonZeroU32,
    burst: NonZeroU32,
}

impl BucketConfig {
    const fn new(per_second: u32, burst: u32) -> Self {
        let [per_second, burst] = [NonZeroU32::new(per_second), NonZeroU32::new(burst)];
        match (per_second, burst) {
            (Some(per_second), Some(burst)) => Self { per_second, burst },
            _ => Self { per_second: NonZeroU32::MIN, burst: NonZeroU32::MIN },
        }
    }

    const fn limit(self) -> RateLimit {
        RateLimit { per_second: self.per_second, burst: self.burst }
    }
}

impl Default for RateLimitConfig {
    fn default() -> Self {
        let BucketConfig { per_second, burst } = BucketConfig::new(50, 100);
        Self {
            enabled: None,
            per_second,
            burst,
            trusted_proxies: 0,
            api_key_factor: NonZeroU32::MIN.saturating_add(9),
            quotes: BucketConfig::new(10, 40),
            builds: BucketConfig::new(5, 20),
            submits: BucketConfig::new(5, 20),
            streams: BucketConfig::new(5, 20),
            fiat: BucketConfig::new(5, 20),
        }
    }
}

impl RateLimitConfig {
    /// The limits, unless they are off.
    pub(crate) fn limits(&self, mode: Mode) -> Option<RateLimits> {
        let limits = RateLimits {
            general: RateLimit { per_second: self.per_second, burst: self.burst },
            quotes: self.quotes.limit(),
            builds: self.builds.limit(),
            submits: self.submits.limit(),
            streams: self.streams.limit(),
            fiat: self.fiat.limit(),
            trusted_proxies: self.trusted_proxies,
            api_key_factor: self.api_key_factor,
        };
        self.enabled.unwrap_or(mode == Mode::Production).then_some(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_limited_in_production_unless_that_is_switched_off() {
        let config = RateLimitConfig::default();
        assert!(config.limits(Mode::Production).is_some() && config.limits(Mode::Sandbox).is_none());
        let off = RateLimitConfig { enabled: Some(false), ..config };
        assert!(off.limits(Mode::Production).is_none());
        let on = RateLimitConfig { enabled: Some(true), ..config };
        assert!(on.limits(Mode::Sandbox).is_some());
    }

    #[test]
    fn a_section_may_name_one_kind_alone() {
        let text = "[quotes]\nper_second = 3\nburst = 7\n";
        let config: RateLimitConfig = toml::from_str(text).unwrap();
        let limits = config.limits(Mode::Production).unwrap();
        assert_eq!((limits.quotes.per_second.get(), limits.quotes.burst.get()), (3, 7));
        assert_eq!((limits.general.per_second.get(), limits.fiat.burst.get()), (50, 20));
    }
}
