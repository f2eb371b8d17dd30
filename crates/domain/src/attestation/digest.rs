use alloy_primitives::{Address, B256, U256, keccak256};

use super::Attestation;
use crate::{ChainId, Family};

const NAME: &str = "Causeway Escrow";
const VERSION: &str = "1";

impl Attestation {
    /// What attesters sign for the escrow of an order's origin chain: EIP-712, whose domain names the contract on EVM chains and
    /// has the program as its salt on Solana. `None` where the escrow is no address of the chain's family.
    pub fn digest(&self, origin: ChainId, escrow: B256) -> Option<B256> {
        let place = match origin.family() {
            Family::Evm if Address::from_word(escrow).into_word() != escrow => return None,
            Family::Evm => "address verifyingContract",
            Family::Solana => "bytes32 salt",
        };
        let kind = format!("EIP712Domain(string name,string version,uint256 chainId,{place})");
        let domain = hash(&kind, &[keccak256(NAME), keccak256(VERSION), number(origin.get()), escrow]);
        Some(keccak256([&[0x19, 0x01], domain.as_slice(), self.statement().as_slice()].concat()))
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

fn hash(kind: &str, words: &[B256]) -> B256 {
    keccak256([keccak256(kind).as_slice(), words.concat().as_slice()].concat())
}

fn number(value: u64) -> B256 {
    U256::from(value).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SOLANA_CHAIN_ID;

    #[test]
    fn rule_10_each_family_has_escrows_of_its_own_form() {
        let said = Attestation::Unfilled { order: B256::ZERO, destination_time: 7 };
        let base = ChainId::new(8_453).unwrap();
        let (narrow, wide) = (Address::repeat_byte(7).into_word(), B256::repeat_byte(7));
        assert!(said.digest(base, narrow).is_some());
        assert_eq!(said.digest(base, wide), None, "dirty bits are nobody's");
        assert!(said.digest(SOLANA_CHAIN_ID, wide).is_some());
        assert_ne!(said.digest(SOLANA_CHAIN_ID, narrow), said.digest(base, narrow));
    }

    #[test]
    fn every_word_of_a_statement_and_its_place_are_signed() {
        let base = ChainId::new(8_453).unwrap();
        let escrow = Address::repeat_byte(7).into_word();
        let (order, fill_ref) = (B256::repeat_byte(1), B256::repeat_byte(2));
        let said = Attestation::Filled { order, filled_at: 5, fill_ref };
        let digest = said.digest(base, escrow);
        let others = [
            Attestation::Filled { order: fill_ref, filled_at: 5, fill_ref },
            Attestation::Filled { order, filled_at: 6, fill_ref },
            Attestation::Filled { order, filled_at: 5, fill_ref: order },
            Attestation::Unfilled { order, destination_time: 5 },
        ];
        assert!(others.iter().all(|other| other.digest(base, escrow) != digest));
        assert_ne!(said.digest(ChainId::new(10).unwrap(), escrow), digest);
        assert_ne!(said.digest(base, Address::repeat_byte(8).into_word()), digest);
    }
}
