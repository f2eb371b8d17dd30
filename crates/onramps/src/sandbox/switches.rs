use serde::{Deserialize, Serialize};

/// Maximum configurable delay, in milliseconds.
const MAX_DELAY_MS: u64 = 10 * 60 * 1_000;

/// Fault switches of a sandbox provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Switches {
    /// Response delay of the API, in milliseconds.
    pub slow_ms: u64,
    /// The API is down, nothing is delivered and no webhook is sent.
    pub down: bool,
    /// The largest payment of a purchase, as a decimal: quotes keep the usual limits, as if these had just been lowered.
    pub most_pays: Option<String>,
    /// The delivered share of the promised amount, in basis points: 10000 is all of it.
    pub pays_bps: u32,
    /// Every delivery is made twice.
    pub pays_twice: bool,
    pub webhooks: WebhookSwitches,
}

/// Fault switches of webhooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WebhookSwitches {
    /// No webhooks are sent.
    pub off: bool,
    /// Delay of webhooks, in milliseconds.
    pub late_ms: u64,
    /// Every webhook is sent twice.
    pub twice: bool,
    /// The events of a purchase are sent after its end, the last one first.
    pub out_of_order: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            slow_ms: 0,
            down: false,
            most_pays: None,
            pays_bps: 10_000,
            pays_twice: false,
            webhooks: WebhookSwitches::default(),
        }
    }
}

impl Switches {
    /// Rejects invalid values with a reason.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.slow_ms > MAX_DELAY_MS || self.webhooks.late_ms > MAX_DELAY_MS {
            return Err("delays are limited to ten minutes, 600000 ms");
        }
        if !(1..=20_000).contains(&self.pays_bps) {
            return Err("paysBps is from 1 to 20000; 10000 pays what was promised");
        }
        if !self.most_pays.as_deref().is_none_or(is_positive_decimal) {
            return Err("mostPays is a positive decimal, such as \"50\"");
        }
        Ok(())
    }
}

fn is_positive_decimal(text: &str) -> bool {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number(whole) && is_number(part) && text.bytes().any(|digit| (b'1'..=b'9').contains(&digit))
}
