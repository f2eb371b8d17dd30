use std::collections::HashMap;

use alloy_primitives::{Address, B256, U256, hex, keccak256};
use causeway_domain::ChainId;
use serde::Deserialize;

const ARTIFACT: &str = include_str!("../../../../contracts/evm/artifacts/Permit2.json");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    deployed_bytecode: String,
    immutable_references: HashMap<String, Vec<Span>>,
}

#[derive(Deserialize)]
struct Span {
    start: usize,
    length: usize,
}

/// Whether `code` is the deployed code of Permit2 at this address of the chain.
pub(super) fn is_permit2(chain: ChainId, address: Address, code: &[u8]) -> bool {
    expected(chain, address).is_some_and(|expected| expected == code)
}

fn expected(chain: ChainId, address: Address) -> Option<Vec<u8>> {
    let artifact: Artifact = serde_json::from_str(ARTIFACT).ok()?;
    let mut code = hex::decode(&artifact.deployed_bytecode).ok()?;
    for (name, spans) in &artifact.immutable_references {
        let value = match name.as_str() {
            "chainId" => B256::from(U256::from(chain.get())),
            "domainSeparator" => domain(chain, address),
            _ => return None,
        };
        for Span { start, length } in spans {
            let hole = code.get_mut(*start..start.checked_add(*length)?)?;
            if hole.len() != value.len() {
                return None;
            }
            hole.copy_from_slice(value.as_slice());
        }
    }
    Some(code)
}

/// The EIP-712 domain separator that Permit2's constructor stores in its code.
fn domain(chain: ChainId, address: Address) -> B256 {
    let kind = keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
    let chain_id = B256::from(U256::from(chain.get()));
    keccak256([kind, keccak256("Permit2"), chain_id, address.into_word()].concat())
}

#[cfg(test)]
mod tests {
    use alloy_primitives::address;

    use super::*;

    const PERMIT2: Address = address!("000000000022D473030F116dDEE9F6B43aC78BA3");

    #[test]
    fn the_code_of_another_chain_or_address_or_with_one_byte_changed_is_not_permit2() {
        let (one, base) = (ChainId::new(1).unwrap(), ChainId::new(8453).unwrap());
        let mut code = expected(one, PERMIT2).unwrap();
        assert!(is_permit2(one, PERMIT2, &code));
        assert!(!is_permit2(base, PERMIT2, &code));
        assert!(!is_permit2(one, Address::repeat_byte(1), &code));
        code[100] ^= 1;
        assert!(!is_permit2(one, PERMIT2, &code));
        assert!(!is_permit2(one, PERMIT2, &[]));
    }
}
