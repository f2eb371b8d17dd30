//! The code that contracts have once they are deployed: the compiled code with its immutables.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, U256, hex, keccak256};
use causeway_domain::Deployment;
use serde::Deserialize;

use super::plan::{Plan, Step};

macro_rules! artifact {
    ($name:literal) => {
        include_str!(concat!("../../../../contracts/evm/artifacts/", $name, ".json"))
    };
}

const PERMIT2: &str = artifact!("Permit2");

/// The EIP-712 domain of the escrow.
const DOMAIN_NAME: &str = "Causeway Escrow";
const DOMAIN_VERSION: &str = "2";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    deployed_bytecode: String,
    immutable_references: BTreeMap<String, Vec<Span>>,
}

#[derive(Deserialize)]
struct Span {
    start: usize,
    length: usize,
}

impl Artifact {
    fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The immutables in the order of their declaration, which is that of the compiler's numbers.
    fn declared(&self) -> Option<Vec<&str>> {
        let mut numbers: Vec<(u64, &str)> = Vec::new();
        for name in self.immutable_references.keys() {
            numbers.push((name.parse().ok()?, name));
        }
        numbers.sort_unstable();
        Some(numbers.into_iter().map(|(_, name)| name).collect())
    }

    /// The code with these values; `None` unless every immutable has one.
    fn with(&self, values: &[(&str, B256)]) -> Option<Vec<u8>> {
        let mut code = hex::decode(&self.deployed_bytecode).ok()?;
        if values.len() != self.immutable_references.len() {
            return None;
        }
        for (name, value) in values {
            for Span { start, length } in self.immutable_references.get(*name)? {
                let hole = code.get_mut(*start..start.checked_add(*length)?)?;
                if hole.len() != value.len() {
                    return None;
                }
                hole.copy_from_slice(value.as_slice());
            }
        }
        Some(code)
    }
}

/// The code of Permit2 at this address of the chain.
pub(super) fn permit2_code(chain: u64, address: Address) -> Option<Vec<u8>> {
    let kind = keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
    let chain_id = B256::from(U256::from(chain));
    let domain = keccak256([kind, keccak256("Permit2"), chain_id, address.into_word()].concat());
    Artifact::read(PERMIT2)?.with(&[("chainId", chain_id), ("domainSeparator", domain)])
}

/// The code that a step of the plan leaves at its address. `None` for vaults: the factory, whose code is known, makes them at an
/// address that commits to their code.
pub(super) fn step_code(plan: &Plan, step: &Step) -> Option<Vec<u8>> {
    let json = match step.name {
        "Escrow" => return escrow_code(&plan.deployment),
        "Settler" => artifact!("Settler"),
        "DepositFactory" => artifact!("DepositFactory"),
        "IntentBook" => artifact!("IntentBook"),
        "VaultFactory" => artifact!("VaultFactory"),
        _ => return None,
    };
    Artifact::read(json)?.with(&[])
}

fn escrow_code(deployment: &Deployment) -> Option<Vec<u8>> {
    let artifact = Artifact::read(artifact!("Escrow"))?;
    let (chain_id, escrow) = (B256::from(U256::from(deployment.chain.get())), deployment.escrow.into_word());
    let kind =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    let (name, version) = (keccak256(DOMAIN_NAME), keccak256(DOMAIN_VERSION));
    // Of EIP712, Escrow and EscrowBase.
    let values = [
        keccak256([kind, name, version, chain_id, escrow].concat()),
        chain_id,
        escrow,
        name,
        version,
        short_string(DOMAIN_NAME),
        short_string(DOMAIN_VERSION),
        deployment.deposit_factory.into_word(),
        deployment.deposit_code_hash,
        deployment.permit2?.into_word(),
        deployment.settler.into_word(),
        B256::from(U256::from(deployment.min_grace)),
    ];
    let names = artifact.declared()?;
    let values: Vec<(&str, B256)> = names.into_iter().zip(values).collect();
    artifact.with(&values)
}

/// A string of at most 31 bytes as its `ShortString` packs it: its bytes, and its length in the last one.
fn short_string(text: &str) -> B256 {
    let mut word = B256::right_padding_from(text.as_bytes());
    word[31] = u8::try_from(text.len()).unwrap_or_default();
    word
}

#[cfg(test)]
mod tests {
    use alloy_primitives::address;

    use super::*;

    #[test]
    fn the_code_of_another_chain_or_address_is_another() {
        let at = address!("000000000022D473030F116dDEE9F6B43aC78BA3");
        let code = permit2_code(1, at).unwrap();
        assert_ne!(Some(&code), permit2_code(8_453, at).as_ref());
        assert_ne!(Some(&code), permit2_code(1, Address::repeat_byte(1)).as_ref());
    }

    #[test]
    fn a_short_string_carries_its_length() {
        let word = short_string("2");
        assert_eq!((word[0], word[1], word[31]), (b'2', 0, 1));
    }
}
