//! EVM addresses of the configuration: one in mixed case must have its EIP-55 checksum, because a mistyped one may be where
//! the money goes.

use alloy_primitives::Address as EvmAddress;
use causeway_domain::{Address, Family};
use serde::{Deserialize, Deserializer, de::Error};

struct Checked(EvmAddress);

impl<'de> Deserialize<'de> for Checked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match Address::parse(Family::Evm, &text) {
            Ok(Address::Evm(address)) => Ok(Self(address)),
            Ok(_) => Err(D::Error::custom("an EVM address is expected")),
            Err(error) => Err(D::Error::custom(format!("{text}: {error}"))),
        }
    }
}

pub(super) fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<EvmAddress, D::Error> {
    Checked::deserialize(deserializer).map(|checked| checked.0)
}

pub(super) fn optional<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<EvmAddress>, D::Error> {
    Ok(Option::<Checked>::deserialize(deserializer)?.map(|checked| checked.0))
}

pub(super) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<EvmAddress>, D::Error> {
    let checked = Vec::<Checked>::deserialize(deserializer)?;
    Ok(checked.into_iter().map(|checked| checked.0).collect())
}

#[cfg(test)]
mod tests {
    use crate::boot::config::contracts::ContractsConfig;

    #[test]
    fn a_configured_address_in_mixed_case_needs_its_eip_55_checksum() {
        let read = |address: &str| {
            toml::from_str::<ContractsConfig>(&format!("attesters = [\"{address}\"]\nthreshold = 1"))
        };
        let right = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        assert!(read(right).is_ok() && read(&right.to_lowercase()).is_ok());
        let error = read(&right.replace("f39F", "F39f")).unwrap_err().to_string();
        assert!(error.contains("EIP-55"), "{error}");
    }
}
