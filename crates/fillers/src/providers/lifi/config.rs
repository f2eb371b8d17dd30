use std::time::Duration;

use alloy_primitives::address;
use serde::{Deserialize, Serialize};

use crate::providers::{Budget, BundledContract, PinnedContractsConfig, ProviderKey};

/// Where LI.FI's API lies.
const URL: &str = "https://li.quest/v1";

/// LI.FI's limits of quotes, as its documentation says (docs.li.fi/api-reference/rate-limits, read on 2026-11-18): 75 in two
/// hours without a key, 100 a minute with one, both over two hours.
const WINDOW: Duration = Duration::from_hours(2);
const QUOTES_WITHOUT_KEY: u32 = 75;
const QUOTES_WITH_KEY: u32 = 12_000;

const fn contract(chain: u64, address: alloy_primitives::Address, verified: bool) -> BundledContract {
    BundledContract { chain, address, verified }
}

/// The entry contracts, which also take the allowances, from the deployments in github.com/lifinance/contracts as of 2026-08-21,
/// read on 2026-11-18. Those are verified that docs.li.fi/smart-contracts/deployments-contract-addresses names as well; no
/// chain was asked.
pub const CONTRACTS: [BundledContract; 16] = [
    contract(1, address!("1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"), true),
    contract(10, address!("1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"), true),
    contract(56, address!("1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"), true),
    contract(130, address!("864b314D4C5a0399368609581d3E8933a63b9232"), false),
    contract(137, address!("1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"), true),
    contract(143, address!("026F252016A7C47CDEf1F05a3Fc9E20C92a49C37"), false),
    contract(324, address!("341e94069f53234fE6DabeF707aD424830525715"), false),
    contract(2741, address!("4f8C9056bb8A3616693a76922FA35d53C056E5b3"), false),
    contract(5000, address!("1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"), true),
    contract(8453, address!("1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"), true),
    contract(16_661, address!("213A83c67E1Fc0334eF684571ABCB820708A6536"), false),
    contract(42_161, address!("1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"), true),
    contract(43_114, address!("1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE"), true),
    contract(59_144, address!("DE1E598b81620773454588B85D6b5D4eEC32573e"), false),
    contract(80_094, address!("f909c4Ae16622898b885B89d7F839E0244851c66"), false),
    contract(747_474, address!("C59fe32C9549e3E8B5dCcdAbC45BD287Bd5bA2bc"), false),
];

/// Configuration of LI.FI.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct LifiConfig {
    /// The name of its routes.
    pub name: String,
    pub url: String,
    /// Raises LI.FI's limits; LI.FI works without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ProviderKey>,
    /// The operator's name at LI.FI, which its fees are paid to.
    pub integrator: String,
    /// The operator's fee, which LI.FI takes from the input.
    pub fee_bps: u16,
    pub deadline_ms: u64,
    /// How long a quote is offered; LI.FI names no time.
    pub valid_for_s: u32,
    /// How many quotes all processes together ask for in two hours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes_in_two_hours: Option<u32>,
    pub contracts: PinnedContractsConfig,
}

impl Default for LifiConfig {
    fn default() -> Self {
        Self {
            name: "lifi".to_owned(),
            url: URL.to_owned(),
            api_key: None,
            integrator: "causeway".to_owned(),
            fee_bps: 0,
            deadline_ms: 4_000,
            valid_for_s: 60,
            quotes_in_two_hours: None,
            contracts: PinnedContractsConfig::default(),
        }
    }
}

impl LifiConfig {
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    pub(super) fn budget(&self) -> Budget {
        let usual = if self.api_key.is_some() { QUOTES_WITH_KEY } else { QUOTES_WITHOUT_KEY };
        Budget::new(self.quotes_in_two_hours.unwrap_or(usual), WINDOW)
    }
}
