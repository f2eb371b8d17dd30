use std::time::Duration;

use alloy_primitives::{Address, address};
use serde::{Deserialize, Serialize};

use crate::providers::{Budget, BundledContract, PinnedContractsConfig, ProviderKey};

/// Where Relay's API lies.
const URL: &str = "https://api.relay.link";

/// Relay's limits of quotes, as its documentation says (docs.relay.link/references/api/api-keys, read on 2026-11-18): 50 a
/// minute without a key, 10 a second with one.
const WINDOW: Duration = Duration::from_mins(1);
const QUOTES_WITHOUT_KEY: u32 = 50;
const QUOTES_WITH_KEY: u32 = 600;

const fn contract(chain: u64, address: Address) -> BundledContract {
    BundledContract { chain, address, verified: true }
}

const DEPOSITORY: Address = address!("4cd00e387622c35bddb9b4c962c136462338bc31");
/// Where the usual address could not be had.
const OTHER_DEPOSITORY: Address = address!("59916da825d2d2ec1bf878d71c88826f6633ecca");

/// The depositories, which also take the allowances: named by docs.relay.link/references/protocol/depository/addresses as of
/// 2026-08-20 and by the deployments in github.com/relayprotocol/relay-depository as of 2026-04-20, both read on 2026-11-18; no
/// chain was asked.
pub const CONTRACTS: [BundledContract; 14] = [
    contract(1, DEPOSITORY),
    contract(10, DEPOSITORY),
    contract(56, DEPOSITORY),
    contract(130, DEPOSITORY),
    contract(137, DEPOSITORY),
    contract(324, DEPOSITORY),
    contract(2741, DEPOSITORY),
    contract(5000, OTHER_DEPOSITORY),
    contract(8453, DEPOSITORY),
    contract(42_161, DEPOSITORY),
    contract(43_114, DEPOSITORY),
    contract(59_144, OTHER_DEPOSITORY),
    contract(80_094, DEPOSITORY),
    contract(747_474, DEPOSITORY),
];

/// The names of chains in Relay's orders, from the same table.
const CHAINS: [(u64, &str); 14] = [
    (1, "ethereum"),
    (10, "optimism"),
    (56, "bnb"),
    (130, "unichain"),
    (137, "polygon"),
    (324, "zksync"),
    (2741, "abstract"),
    (5000, "mantle"),
    (8453, "base"),
    (42_161, "arbitrum"),
    (43_114, "avalanche"),
    (59_144, "linea"),
    (80_094, "berachain"),
    (747_474, "katana"),
];

/// The name of a chain in Relay's orders; `None` for those that it does not settle on.
pub(crate) fn chain_name(chain: u64) -> Option<&'static str> {
    CHAINS.iter().find(|(id, _)| *id == chain).map(|(_, name)| *name)
}

/// Configuration of Relay.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RelayConfig {
    /// The name of its routes.
    pub name: String,
    pub url: String,
    /// Raises Relay's limits; Relay works without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ProviderKey>,
    /// The operator's name at Relay.
    pub referrer: String,
    /// The operator's fee, which Relay takes from the input.
    pub fee_bps: u16,
    /// Who claims the fee at Relay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fee_recipient: Option<Address>,
    pub deadline_ms: u64,
    /// How long a quote is offered.
    pub valid_for_s: u32,
    /// How many quotes all processes together ask for in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes_in_a_minute: Option<u32>,
    pub contracts: PinnedContractsConfig,
}

impl Default for RelayConfig {
    fn default() -> Self {
        Self {
            name: "relay".to_owned(),
            url: URL.to_owned(),
            api_key: None,
            referrer: "causeway".to_owned(),
            fee_bps: 0,
            fee_recipient: None,
            deadline_ms: 4_000,
            valid_for_s: 30,
            quotes_in_a_minute: None,
            contracts: PinnedContractsConfig::default(),
        }
    }
}

impl RelayConfig {
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    pub(super) fn budget(&self) -> Budget {
        let usual = if self.api_key.is_some() { QUOTES_WITH_KEY } else { QUOTES_WITHOUT_KEY };
        Budget::new(self.quotes_in_a_minute.unwrap_or(usual), WINDOW)
    }
}
