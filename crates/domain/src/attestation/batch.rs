use alloy_primitives::{Address, B256, keccak256};

use super::SignatureBytes;
use super::digest::{domain_separator, hash, number};
use crate::ChainId;

const FILL: &str = "Fill(bytes32 orderId,uint256 filledAt,bytes32 fillRef)";

/// One order of a list that attesters sign as filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FilledOrder {
    pub order: B256,
    /// The destination chain's time of the fill.
    pub filled_at: u64,
    /// The transaction hash on EVM, the address of the fill record on Solana.
    pub fill_ref: B256,
}

/// One attester's statement that each order of a list was filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBatch {
    /// In the order in which they are signed.
    pub fills: Vec<FilledOrder>,
    /// The epoch of all orders, in which the signer must be an attester.
    pub epoch: u64,
    pub attester: Address,
    pub signature: SignatureBytes,
}

/// The same list signed by a threshold of attesters, ready for the escrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectedBatch {
    pub fills: Vec<FilledOrder>,
    /// In ascending order of their signers' addresses.
    pub signatures: Vec<SignatureBytes>,
}

/// The EIP-712 digest of a list of fills for the escrow on the origin chain; the order of the list counts. `None` where the
/// escrow is not an address of the chain's family.
pub fn batch_digest(fills: &[FilledOrder], origin: ChainId, escrow: B256) -> Option<B256> {
    batch_payload(fills, origin, escrow).map(keccak256)
}

/// What [`batch_digest`] is the hash of.
pub fn batch_payload(fills: &[FilledOrder], origin: ChainId, escrow: B256) -> Option<Vec<u8>> {
    let domain = domain_separator(origin, escrow)?;
    let fill = |fill: &FilledOrder| hash(FILL, &[fill.order, number(fill.filled_at), fill.fill_ref]);
    let list = keccak256(fills.iter().map(fill).collect::<Vec<_>>().concat());
    let statement = hash(&format!("FilledBatch(Fill[] fills){FILL}"), &[list]);
    Some([&[0x19, 0x01], domain.as_slice(), statement.as_slice()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_31_every_fill_its_place_the_chain_and_the_escrow_are_part_of_the_digest() {
        let base = ChainId::new(8_453).unwrap();
        let escrow = Address::repeat_byte(7).into_word();
        let fill = |byte, filled_at| FilledOrder {
            order: B256::repeat_byte(byte),
            filled_at,
            fill_ref: B256::repeat_byte(9),
        };
        let digest = |fills: &[FilledOrder]| batch_digest(fills, base, escrow).unwrap();
        let list = digest(&[fill(1, 5), fill(2, 6)]);
        let other_ref = FilledOrder { fill_ref: B256::ZERO, ..fill(2, 6) };
        for other in [
            &[fill(2, 6), fill(1, 5)][..],
            &[fill(1, 5)],
            &[fill(1, 5), fill(2, 7)],
            &[fill(1, 5), fill(3, 6)],
            &[fill(1, 5), other_ref],
            &[fill(1, 5), fill(2, 6), fill(2, 6)],
        ] {
            assert_ne!(digest(other), list, "{other:?}");
        }
        let fills = [fill(1, 5), fill(2, 6)];
        assert_ne!(batch_digest(&fills, ChainId::new(10).unwrap(), escrow), Some(list));
        assert_ne!(batch_digest(&fills, base, Address::repeat_byte(8).into_word()), Some(list));
        assert_eq!(batch_digest(&fills, base, B256::repeat_byte(7)), None, "dirty upper bits");
    }
}
