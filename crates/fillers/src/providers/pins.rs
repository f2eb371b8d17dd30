use std::collections::HashSet;

use alloy_primitives::Address as EvmAddress;
use causeway_domain::{Address, ChainId};
use serde::{Deserialize, Serialize};

/// A contract of a provider that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundledContract {
    pub chain: u64,
    pub address: EvmAddress,
    /// Whether two independent publications of the provider name it. Others are used only if the operator says so.
    pub verified: bool,
}

/// A contract that an operator pins.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedContract {
    pub chain: u64,
    pub address: EvmAddress,
}

/// Which contracts of a provider a payer may be asked to call or to allow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct PinnedContractsConfig {
    /// Whether the bundled list is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundled: Option<bool>,
    /// Whether bundled contracts count that only one publication of the provider names.
    pub unverified: bool,
    /// Further contracts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<PinnedContract>,
}

/// The pinned contracts of one provider.
#[derive(Clone, Debug, Default)]
pub struct PinnedContracts {
    contracts: HashSet<(ChainId, Address)>,
}

impl PinnedContracts {
    /// The bundled contracts as far as the configuration allows, and those that it adds.
    pub fn new(config: &PinnedContractsConfig, bundled: &[BundledContract]) -> Self {
        let uses_bundled = config.bundled.unwrap_or(true);
        let usable = |contract: &&BundledContract| uses_bundled && (contract.verified || config.unverified);
        let own = config.pinned.iter().map(|contract| (contract.chain, contract.address));
        let all = bundled.iter().filter(usable).map(|contract| (contract.chain, contract.address)).chain(own);
        let pin = |(chain, address)| Some((ChainId::new(chain)?, Address::Evm(address)));
        Self { contracts: all.filter_map(pin).collect() }
    }

    pub fn contains(&self, chain: ChainId, contract: Address) -> bool {
        self.contracts.contains(&(chain, contract))
    }

    /// Whether any contract of the chain is pinned.
    pub fn serves(&self, chain: ChainId) -> bool {
        self.contracts.iter().any(|(pinned, _)| *pinned == chain)
    }

    /// Every chain with its contracts, in the chains' order.
    pub fn all(&self) -> Vec<(ChainId, Address)> {
        let mut all: Vec<_> = self.contracts.iter().copied().collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUNDLED: [BundledContract; 2] = [
        BundledContract { chain: 1, address: EvmAddress::repeat_byte(1), verified: true },
        BundledContract { chain: 10, address: EvmAddress::repeat_byte(2), verified: false },
    ];

    fn chain(id: u64) -> ChainId {
        ChainId::new(id).unwrap()
    }

    #[test]
    fn unverified_contracts_are_off_by_default() {
        let pins = PinnedContracts::new(&PinnedContractsConfig::default(), &BUNDLED);
        assert!(pins.contains(chain(1), Address::Evm(EvmAddress::repeat_byte(1))));
        assert!(!pins.serves(chain(10)));
        let config = PinnedContractsConfig { unverified: true, ..PinnedContractsConfig::default() };
        assert!(PinnedContracts::new(&config, &BUNDLED).serves(chain(10)));
    }

    #[test]
    fn an_operator_pins_instead_of_the_bundled_list() {
        let pinned = vec![PinnedContract { chain: 8453, address: EvmAddress::repeat_byte(7) }];
        let config = PinnedContractsConfig { bundled: Some(false), unverified: true, pinned };
        let pins = PinnedContracts::new(&config, &BUNDLED);
        assert_eq!(pins.all(), [(chain(8453), Address::Evm(EvmAddress::repeat_byte(7)))]);
        assert!(!pins.contains(chain(1), Address::Evm(EvmAddress::repeat_byte(7))), "on its own chain only");
    }
}
