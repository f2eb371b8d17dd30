use std::collections::BTreeMap;

use alloy_primitives::Address;
use anyhow::Context as _;
use causeway_domain::Family;
use serde::{Deserialize, Serialize};

use super::faults::{Faults, demand};
use super::{Mode, checked_address};

/// The attesters and the hub's vaults. The sandbox has fixed values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ContractsConfig {
    /// Addresses of the attesters' keys in the first epoch, the same on every chain.
    #[serde(deserialize_with = "checked_address::list")]
    pub(crate) attesters: Vec<Address>,
    /// How many of them must sign: more than half.
    pub(crate) threshold: usize,
    /// The URL of each attester, in the same order.
    pub(crate) attester_urls: Vec<String>,
    /// The URLs of attesters of later epochs, by their addresses: those that a handover brought in. Which of all attesters sign for
    /// an order, its origin chain's registry says.
    pub(crate) other_attesters: BTreeMap<Address, String>,
    /// Tokens of the hub chain that get a vault; each must be in the catalog.
    #[serde(deserialize_with = "checked_address::list")]
    pub(crate) vault_assets: Vec<Address>,
    /// The address of the Solana program, before its first epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solana_program: Option<String>,
}

impl ContractsConfig {
    pub(super) fn check(&self, mode: Mode) -> anyhow::Result<()> {
        let mut faults = Faults::default();
        let (threshold, count) = (self.threshold, self.attesters.len());
        // Of two faults of one number the first is told.
        let is_alone = mode == Mode::Production && count > 0 && threshold <= 1;
        demand!(
            faults,
            !is_alone,
            "contracts.threshold is {threshold} of {count} attesters: in production one key alone must not decide what \
             becomes of deposits; take at least 2 of 3, on separate hosts (rule 10)"
        );
        demand!(
            faults,
            is_alone || count == 0 || (threshold <= count && threshold * 2 > count),
            "contracts.threshold is {threshold} of {count} attesters: it must be more than half of them and at most all"
        );
        let urls = self.attester_urls.len();
        demand!(
            faults,
            urls == 0 || urls == count,
            "contracts.attester_urls has {urls} addresses for {count} attesters: it takes one for each, in the same order"
        );
        faults.check(self.solana_program());
        faults.end()
    }

    /// Whether the service can collect attestations.
    pub(crate) fn has_panel(&self) -> bool {
        !self.attester_urls.is_empty()
    }

    pub(crate) fn solana_program(&self) -> anyhow::Result<Option<[u8; 32]>> {
        let parse = |text: &String| match causeway_domain::Address::parse(Family::Solana, text) {
            Ok(causeway_domain::Address::Solana(bytes)) => Some(bytes),
            _ => None,
        };
        let words = "contracts.solana_program is not an address on Solana";
        self.solana_program.as_ref().map(|text| parse(text).context(words)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_10_one_attester_alone_is_refused_in_production() {
        for count in [1, 2, 3] {
            let attesters = (1..=count).map(Address::repeat_byte).collect();
            let config = ContractsConfig { attesters, threshold: 1, ..ContractsConfig::default() };
            assert!(config.check(Mode::Production).is_err(), "1 of {count}");
        }
        let one = ContractsConfig {
            attesters: vec![Address::repeat_byte(1)],
            threshold: 1,
            ..ContractsConfig::default()
        };
        assert!(one.check(Mode::Sandbox).is_ok());
    }

    #[test]
    fn every_attester_needs_a_url() {
        let attesters = vec![Address::repeat_byte(1), Address::repeat_byte(2), Address::repeat_byte(3)];
        let config = ContractsConfig { attesters, threshold: 2, ..ContractsConfig::default() };
        assert!(
            config.check(Mode::Production).is_ok() && !config.has_panel(),
            "deploying needs no addresses"
        );
        let attester_urls = vec!["https://one.example".to_owned(); 2];
        let error = ContractsConfig { attester_urls, ..config.clone() }.check(Mode::Production).unwrap_err();
        assert!(error.to_string().contains("2 addresses for 3 attesters"), "{error}");
        let attester_urls = vec!["https://one.example".to_owned(); 3];
        assert!(ContractsConfig { attester_urls, ..config.clone() }.check(Mode::Production).is_ok());
        let solana_program = Some("0x12".to_owned());
        assert!(ContractsConfig { solana_program, ..config }.check(Mode::Production).is_err());
    }
}
