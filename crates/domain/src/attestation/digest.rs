use alloy_primitives::{Address, B256, U256, keccak256};

use super::Attestation;
use crate::{ChainId, Family};

const NAME: &str = "Causeway Escrow";
const VERSION: &str = "2";

impl Attestation {
    /// The EIP-712 digest for the escrow on the origin chain. The domain contains the contract on EVM chains and the program
    /// as salt on Solana. `None` where the escrow is not an address of the chain's family, or the chain has none.
    pub fn digest(&self, origin: ChainId, escrow: B256) -> Option<B256> {
        self.payload(origin, escrow).map(keccak256)
    }

    /// What the digest is the hash of.
    pub fn payload(&self, origin: ChainId, escrow: B256) -> Option<Vec<u8>> {
        let domain = domain_separator(origin, escrow)?;
        Some([&[0x19, 0x01], domain.as_slice(), self.statement().as_slice()].concat())
    }

    fn statement(&self) -> B256 {
        match *self {
            Self::Filled { order, filled_at, fill_ref } => {
                let kind = "Filled(bytes32 orderId,uint256 filledAt,bytes32 fillRef)";
                hash(kind, &[order, number(filled_at), fill_ref])
            }
            Self::Unfilled { order, destination_time } => {
                let kind = "Unfilled(bytes32 orderId,uint256 destinationTime)";
                hash(kind, &[order, number(destination_time)])
            }
        }
    }
}

/// The domain of an escrow: the contract on EVM chains, the program as salt on Solana. `None` where the escrow is not an
/// address of the chain's family.
pub(super) fn domain_separator(origin: ChainId, escrow: B256) -> Option<B256> {
    let contract_field = match origin.family() {
        Family::Evm if Address::from_word(escrow).into_word() != escrow => return None,
        Family::Evm => "address verifyingContract",
        Family::Solana => "bytes32 salt",
        Family::Bitcoin | Family::Tron => return None,
    };
    let kind = format!("EIP712Domain(string name,string version,uint256 chainId,{contract_field})");
    Some(hash(&kind, &[keccak256(NAME), keccak256(VERSION), number(origin.get()), escrow]))
}

pub(super) fn hash(kind: &str, words: &[B256]) -> B256 {
    keccak256([keccak256(kind).as_slice(), words.concat().as_slice()].concat())
}

pub(super) fn number(value: u64) -> B256 {
    U256::from(value).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SOLANA_CHAIN_ID;

    #[test]
    fn rule_10_the_escrow_must_match_the_chain_family() {
        let attestation = Attestation::Unfilled { order: B256::ZERO, destination_time: 7 };
        let base = ChainId::new(8_453).unwrap();
        let (narrow, wide) = (Address::repeat_byte(7).into_word(), B256::repeat_byte(7));
        assert!(attestation.digest(base, narrow).is_some());
        assert_eq!(attestation.digest(base, wide), None, "dirty upper bits");
        assert!(attestation.digest(SOLANA_CHAIN_ID, wide).is_some());
        assert_ne!(attestation.digest(SOLANA_CHAIN_ID, narrow), attestation.digest(base, narrow));
    }

    #[test]
    fn every_field_chain_and_escrow_are_part_of_the_digest() {
        let base = ChainId::new(8_453).unwrap();
        let escrow = Address::repeat_byte(7).into_word();
        let (order, fill_ref) = (B256::repeat_byte(1), B256::repeat_byte(2));
        let attestation = Attestation::Filled { order, filled_at: 5, fill_ref };
        let digest = attestation.digest(base, escrow);
        let others = [
            Attestation::Filled { order: fill_ref, filled_at: 5, fill_ref },
            Attestation::Filled { order, filled_at: 6, fill_ref },
            Attestation::Filled { order, filled_at: 5, fill_ref: order },
            Attestation::Unfilled { order, destination_time: 5 },
        ];
        assert!(others.iter().all(|other| other.digest(base, escrow) != digest));
        assert_ne!(attestation.digest(ChainId::new(10).unwrap(), escrow), digest);
        assert_ne!(attestation.digest(base, Address::repeat_byte(8).into_word()), digest);
    }
}
