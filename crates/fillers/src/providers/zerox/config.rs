use std::time::Duration;

use alloy_primitives::{Address, address};
use causeway_provider_calls::zerox::REGISTRY;
use serde::{Deserialize, Serialize};

use crate::providers::{Budget, BundledContract, PinnedContractsConfig, ProviderKey};

/// Where 0x's API lies.
const URL: &str = "https://api.0x.org";

/// 0x's limit, as its documentation says (0x.org/docs/developer-resources/rate-limits, read on 2026-11-19): five requests in each
/// second, over all endpoints, for a key without a plan.
const WINDOW: Duration = Duration::from_secs(1);
const QUOTES: u32 = 5;

const fn contract(chain: u64, address: Address, verified: bool) -> BundledContract {
    BundledContract { chain, address, verified }
}

/// On chains with the Cancun hard fork.
const HOLDER: Address = address!("0000000000001fF3684f28c67538d4D072C22734");
/// On chains with the Shanghai hard fork only.
const OLDER_HOLDER: Address = address!("0000000000005E88410CcDFaDe4a5EfaE4b49562");

/// The allowance holders, which are called and take the allowances, from `chain_config.json` in github.com/0xProject/0x-settler
/// as of 2026-08-21. Those are verified that docs.0x.org/docs/core-concepts/0x-cheat-sheet names as well; both read on
/// 2026-11-19; no chain was asked.
pub const CONTRACTS: [BundledContract; 13] = [
    contract(1, HOLDER, true),
    contract(10, HOLDER, true),
    contract(56, HOLDER, true),
    contract(130, HOLDER, true),
    contract(137, HOLDER, true),
    contract(143, HOLDER, true),
    contract(2741, HOLDER, false),
    contract(5000, OLDER_HOLDER, true),
    contract(8453, HOLDER, true),
    contract(42_161, HOLDER, true),
    contract(43_114, HOLDER, true),
    contract(59_144, HOLDER, false),
    contract(80_094, HOLDER, true),
];

/// Configuration of 0x.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ZeroxConfig {
    /// The name of its routes.
    pub name: String,
    pub url: String,
    /// 0x answers nobody without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ProviderKey>,
    /// The operator's fee, which 0x takes from the output.
    pub fee_bps: u16,
    /// Who gets the fee, in the output token on its chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fee_recipient: Option<Address>,
    pub deadline_ms: u64,
    /// How long a quote is offered; 0x names no time, and its market makers' prices last for about a minute.
    pub valid_for_s: u32,
    /// How many quotes all processes together ask for in a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes_in_a_second: Option<u32>,
    /// The contract that names its settlers, on each chain.
    pub registry: Address,
    pub contracts: PinnedContractsConfig,
}

impl Default for ZeroxConfig {
    fn default() -> Self {
        Self {
            name: "zerox".to_owned(),
            url: URL.to_owned(),
            api_key: None,
            fee_bps: 0,
            fee_recipient: None,
            deadline_ms: 4_000,
            valid_for_s: 30,
            quotes_in_a_second: None,
            registry: REGISTRY,
            contracts: PinnedContractsConfig::default(),
        }
    }
}

impl ZeroxConfig {
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    pub(super) fn budget(&self) -> Budget {
        Budget::new(self.quotes_in_a_second.unwrap_or(QUOTES), WINDOW)
    }
}
