use std::path::PathBuf;
use std::time::Duration;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::faults::{Faults, demand};

/// The maximum timeout of a provider, in seconds.
const MAX_TIMEOUT: u64 = 60;

/// Buying with fiat.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct FiatConfig {
    pub(crate) enabled: bool,
    /// How long a provider may take to answer.
    pub(crate) provider_timeout_seconds: u64,
    /// How long a quote is valid, unless its provider sets less.
    pub(crate) quote_seconds: u32,
    /// How long a payer has to pay.
    pub(crate) pay_within_minutes: u32,
    /// How long received money waits for a route at the agreed price before it is refunded.
    pub(crate) swap_within_minutes: u32,
    /// The default slippage of forwarding orders, in hundredths of a percent.
    pub(crate) slippage_bps: u16,
    /// The web origins that may embed the checkout page, besides our own.
    pub(crate) embed_origins: Vec<String>,
    /// Signs forwarding orders; `keys/maker` in the data folder unless set, generated if missing. Replicas share one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maker_key_file: Option<PathBuf>,
    /// The entry of `[[signers]]` with that key, instead of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maker_signer: Option<String>,
}

impl Default for FiatConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            provider_timeout_seconds: 10,
            quote_seconds: 300,
            pay_within_minutes: 60,
            swap_within_minutes: 60,
            slippage_bps: 100,
            embed_origins: Vec::new(),
            maker_key_file: None,
            maker_signer: None,
        }
    }
}

impl FiatConfig {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        demand!(
            faults,
            (1..=MAX_TIMEOUT).contains(&self.provider_timeout_seconds),
            "fiat.provider_timeout_seconds must be between 1 and {MAX_TIMEOUT}"
        );
        demand!(faults, self.quote_seconds > 0, "fiat.quote_seconds must be at least 1");
        demand!(faults, self.pay_within_minutes > 0, "fiat.pay_within_minutes must be at least 1");
        demand!(faults, self.slippage_bps <= 5_000, "fiat.slippage_bps must be at most 5000");
        for origin in &self.embed_origins {
            demand!(
                faults,
                is_origin(origin),
                "fiat.embed_origins: `{origin}` is not a web origin such as https://shop.example"
            );
        }
        faults.end()
    }

    pub(crate) const fn provider_timeout(&self) -> Duration {
        Duration::from_secs(self.provider_timeout_seconds)
    }

    pub(crate) fn quotes_for(&self) -> SignedDuration {
        SignedDuration::from_secs(self.quote_seconds.into())
    }

    pub(crate) fn pay_within(&self) -> SignedDuration {
        SignedDuration::from_mins(self.pay_within_minutes.into())
    }

    pub(crate) fn swap_within(&self) -> SignedDuration {
        SignedDuration::from_mins(self.swap_within_minutes.into())
    }
}

/// Lower-case scheme, host and optional port, and nothing else: the value goes into a header.
fn is_origin(text: &str) -> bool {
    let Some((scheme, host)) = text.split_once("://") else { return false };
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-:[]".contains(&byte);
    ["http", "https"].contains(&scheme) && !host.is_empty() && host.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_origins_may_embed_the_checkout() {
        for origin in ["https://shop.example", "http://127.0.0.1:3000", "http://[::1]:80"] {
            assert!(is_origin(origin), "{origin}");
        }
        for text in ["*", "shop.example", "https://", "https://a.example/", "https://a.example; x", "ftp://a"]
        {
            assert!(!is_origin(text), "{text}");
        }
    }

    #[test]
    fn out_of_range_timeout_is_rejected() {
        for provider_timeout_seconds in [0, 61] {
            let config = FiatConfig { provider_timeout_seconds, ..FiatConfig::default() };
            assert!(config.check().unwrap_err().to_string().contains("between 1 and 60"));
        }
    }
}
