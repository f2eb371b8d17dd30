use serde::{Deserialize, Serialize};

/// The longest that anything can be made to wait, in milliseconds.
const LONGEST: u64 = 10 * 60 * 1_000;

/// What can be made to go wrong at a provider of the sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Switches {
    /// How long the interface takes to answer, in milliseconds.
    pub slow_ms: u64,
    /// Nothing answers, nothing is delivered and no webhook is sent.
    pub down: bool,
    /// How much of what was promised is delivered, in hundredths of a percent: 10000 is all of it.
    pub pays_bps: u32,
    /// Every delivery is made a second time.
    pub pays_twice: bool,
    pub webhooks: WebhookSwitches,
}

/// What can be made to go wrong with webhooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WebhookSwitches {
    /// What happens is never told.
    pub off: bool,
    /// How long after the event it is told, in milliseconds.
    pub late_ms: u64,
    /// Every event is told two times.
    pub twice: bool,
    /// The events of a purchase are told when it has ended, the last one first.
    pub out_of_order: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            slow_ms: 0,
            down: false,
            pays_bps: 10_000,
            pays_twice: false,
            webhooks: WebhookSwitches::default(),
        }
    }
}

impl Switches {
    /// What makes no sense is refused in words.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.slow_ms > LONGEST || self.webhooks.late_ms > LONGEST {
            return Err("nothing waits longer than ten minutes, which is 600000 ms");
        }
        if !(1..=20_000).contains(&self.pays_bps) {
            return Err("paysBps is from 1 to 20000; 10000 pays what was promised");
        }
        Ok(())
    }
}
