use std::time::Duration;

use causeway_domain::{BITCOIN_CHAIN_ID, ChainId, TRON_CHAIN_ID};
use serde::{Deserialize, Serialize};

use crate::providers::{Budget, ProviderKey};

/// Where 1Click's API lies.
const URL: &str = "https://1click.chaindefuser.com";

/// How many quotes 1Click is asked for: its documentation (docs.near-intents.org, read on 2026-11-18) names no limit.
const WINDOW: Duration = Duration::from_mins(1);
const QUOTES: u32 = 60;

/// Our chains by 1Click's names for them, which `/v0/tokens` uses: the names of github.com/defuse-protocol/one-click-sdk-typescript
/// as of 2026-06-26, read on 2026-11-18. Solana is missing: no stand-in of it moves money there yet.
const CHAINS: [(u64, &str); 11] = [
    (1, "eth"),
    (10, "op"),
    (56, "bsc"),
    (137, "pol"),
    (143, "monad"),
    (8453, "base"),
    (42_161, "arb"),
    (43_114, "avax"),
    (80_094, "bera"),
    (BITCOIN_CHAIN_ID.get(), "btc"),
    (TRON_CHAIN_ID.get(), "tron"),
];

/// The chains among them that swaps only begin on.
pub const SOURCES: [ChainId; 2] = [BITCOIN_CHAIN_ID, TRON_CHAIN_ID];

/// 1Click's name of a chain; `None` for those that it does not serve.
pub(crate) fn chain_name(chain: u64) -> Option<&'static str> {
    CHAINS.iter().find(|(id, _)| *id == chain).map(|(_, name)| *name)
}

/// The chain that 1Click calls so.
pub(super) fn chain_id(name: &str) -> Option<u64> {
    CHAINS.iter().find(|(_, known)| *known == name).map(|(id, _)| *id)
}

/// Configuration of 1Click.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct OneClickConfig {
    /// The name of its routes.
    pub name: String,
    pub url: String,
    /// 1Click's JSON Web Token; without one 1Click keeps a further fee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ProviderKey>,
    /// The operator's name at 1Click, in lower case.
    pub referral: String,
    /// The operator's fee, which 1Click takes from the input.
    pub fee_bps: u16,
    /// The account of NEAR Intents that the fee is paid to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fee_recipient: Option<String>,
    pub deadline_ms: u64,
    /// How long a quote is offered.
    pub valid_for_s: u32,
    /// How long the payer is given for the transfer.
    pub deposit_minutes: u32,
    /// How many quotes all processes together ask for in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes_in_a_minute: Option<u32>,
}

impl Default for OneClickConfig {
    fn default() -> Self {
        Self {
            name: "oneclick".to_owned(),
            url: URL.to_owned(),
            api_key: None,
            referral: "causeway".to_owned(),
            fee_bps: 0,
            fee_recipient: None,
            deadline_ms: 6_000,
            valid_for_s: 60,
            deposit_minutes: 30,
            quotes_in_a_minute: None,
        }
    }
}

impl OneClickConfig {
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    pub(super) fn budget(&self) -> Budget {
        Budget::new(self.quotes_in_a_minute.unwrap_or(QUOTES), WINDOW)
    }
}
