use alloy_primitives::{Bytes, hex};
use serde::Deserialize;
use thiserror::Error;

/// A compiled contract that is part of this program is unusable.
#[derive(Debug, Error)]
#[error("the compiled contract {name} is unusable: {reason}; build contracts/evm again")]
pub struct CodeError {
    name: &'static str,
    reason: String,
}

/// The creation code of our contracts, from `contracts/evm`.
#[derive(Clone, Debug)]
pub struct Code {
    pub settler: Bytes,
    pub deposit_factory: Bytes,
    pub deposit_address: Bytes,
    pub escrow: Bytes,
    pub intent_book: Bytes,
    pub vault_factory: Bytes,
    pub vault: Bytes,
}

#[derive(Deserialize)]
struct Artifact {
    bytecode: String,
}

macro_rules! code {
    ($name:literal) => {
        read($name, include_str!(concat!("../../../../contracts/evm/artifacts/", $name, ".json")))?
    };
}

impl Code {
    pub fn load() -> Result<Self, CodeError> {
        Ok(Self {
            settler: code!("Settler"),
            deposit_factory: code!("DepositFactory"),
            deposit_address: code!("DepositAddress"),
            escrow: code!("Escrow"),
            intent_book: code!("IntentBook"),
            vault_factory: code!("VaultFactory"),
            vault: code!("Vault"),
        })
    }
}

fn read(name: &'static str, json: &str) -> Result<Bytes, CodeError> {
    let error_for = |reason: String| CodeError { name, reason };
    let artifact: Artifact = serde_json::from_str(json).map_err(|error| error_for(error.to_string()))?;
    hex::decode(&artifact.bytecode).map(Bytes::from).map_err(|error| error_for(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use alloy_primitives::keccak256;
    use alloy_sol_types::{SolEvent, SolInterface};
    use serde_json::Value;

    use super::super::abi;

    /// Signatures of the artifact's entries of a kind, as the selector hashes them.
    fn signatures(json: &str, kind: &str) -> BTreeSet<String> {
        let artifact: Value = serde_json::from_str(json).unwrap();
        let entries = artifact["abi"].as_array().unwrap().iter().filter(|entry| entry["type"] == kind);
        entries
            .map(|entry| format!("{}({})", entry["name"].as_str().unwrap(), types(&entry["inputs"])))
            .collect()
    }

    fn types(inputs: &Value) -> String {
        let types = inputs.as_array().unwrap().iter().map(|input| {
            let name = input["type"].as_str().unwrap();
            match name.strip_prefix("tuple") {
                Some(array) => format!("({}){array}", types(&input["components"])),
                None => name.to_owned(),
            }
        });
        types.collect::<Vec<_>>().join(",")
    }

    /// Every function and event that we use is in the artifact, with the same signature.
    fn assert_matches_artifact<C: SolInterface>(name: &str, json: &str, events: &[&str]) {
        let functions = signatures(json, "function");
        let known: BTreeSet<_> = functions.iter().map(|text| keccak256(text)[..4].to_vec()).collect();
        for selector in C::selectors() {
            assert!(
                known.contains(selector.as_slice()),
                "{name} has no function {selector:02x?}: {functions:?}"
            );
        }
        let known = signatures(json, "event");
        for event in events {
            assert!(known.contains(*event), "{name} does not emit {event}: {known:?}");
        }
    }

    macro_rules! artifact {
        ($name:literal) => {
            include_str!(concat!("../../../../contracts/evm/artifacts/", $name, ".json"))
        };
    }

    #[test]
    fn bindings_match_the_compiled_contracts() {
        use abi::{AttesterRegistry as R, DepositFactory as D, Escrow as E, IntentBook as I, Settler as S};
        let escrow =
            [E::Open::SIGNATURE, E::Claimed::SIGNATURE, E::ClaimSkipped::SIGNATURE, E::Refunded::SIGNATURE];
        assert_matches_artifact::<E::EscrowCalls>("Escrow", artifact!("Escrow"), &escrow);
        assert_matches_artifact::<S::SettlerCalls>("Settler", artifact!("Settler"), &[S::Filled::SIGNATURE]);
        let registry = [R::EpochScheduled::SIGNATURE, R::Resigned::SIGNATURE, R::OpenPaused::SIGNATURE];
        assert_matches_artifact::<R::AttesterRegistryCalls>("Escrow", artifact!("Escrow"), &registry);
        let deposits =
            [D::Swept::SIGNATURE, D::Jumped::SIGNATURE, D::Returned::SIGNATURE, D::Skipped::SIGNATURE];
        assert_matches_artifact::<D::DepositFactoryCalls>(
            "DepositFactory",
            artifact!("DepositFactory"),
            &deposits,
        );
        let book = [I::IntentTerms::SIGNATURE, I::IntentRecorded::SIGNATURE];
        assert_matches_artifact::<I::IntentBookCalls>("IntentBook", artifact!("IntentBook"), &book);
        let vaults = [abi::VaultFactory::VaultCreated::SIGNATURE];
        assert_matches_artifact::<abi::VaultFactory::VaultFactoryCalls>(
            "VaultFactory",
            artifact!("VaultFactory"),
            &vaults,
        );
        assert_matches_artifact::<abi::Vault::VaultCalls>("Vault", artifact!("Vault"), &[]);
    }

    #[test]
    fn every_contract_fits_the_mainnet_size_limit() {
        let artifacts = [
            artifact!("Escrow"),
            artifact!("Settler"),
            artifact!("DepositFactory"),
            artifact!("VaultFactory"),
            artifact!("IntentBook"),
        ];
        for artifact in artifacts {
            let artifact: Value = serde_json::from_str(artifact).unwrap();
            let bytes = |field: &str| artifact[field].as_str().unwrap().len() / 2 - 1;
            // EIP-170 and EIP-3860.
            assert!(bytes("deployedBytecode") <= 24_576, "{}", artifact["contractName"]);
            assert!(bytes("bytecode") <= 49_152, "{}", artifact["contractName"]);
        }
    }
}
