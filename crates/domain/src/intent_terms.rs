use std::sync::LazyLock;

use alloy_primitives::{B256, U256, keccak256};

use crate::Address;

/// The version of the contracts and programs that accept these terms.
pub const TERMS_VERSION: u64 = 2;

/// The EIP-712 type of the terms; both chain families hash the same bytes.
pub const TERMS_TYPE: &str = "CausewayOrder(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 user,\
bytes32 nonce,bytes32 inputToken,uint256 amountIn,bytes32 refundTo,bytes32 filler,bytes32 payee,\
bytes32 referrer,uint256 referrerFee,uint256 destinationChainId,bytes32 settler,bytes32 outputToken,\
uint256 amountOut,bytes32 recipient,uint256 openDeadline,uint256 fillDeadline,uint256 refundAt,uint256 epoch)";

/// Hash of [`TERMS_TYPE`], which the ERC-7683 envelope names as the type of its content.
pub static TERMS_TYPEHASH: LazyLock<B256> = LazyLock::new(|| keccak256(TERMS_TYPE));

/// The terms of an order as the chains hash them. Addresses are 32 bytes wide, an EVM address in the low 20; the zero
/// token is the native coin; times are Unix seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntentTerms {
    pub origin_chain_id: u64,
    pub escrow: B256,
    pub user: B256,
    pub nonce: B256,
    pub input_token: B256,
    pub amount_in: U256,
    pub refund_to: B256,
    pub filler: B256,
    pub payee: B256,
    /// Zero for no referrer.
    pub referrer: B256,
    pub referrer_fee: U256,
    pub destination_chain_id: u64,
    pub settler: B256,
    pub output_token: B256,
    pub amount_out: U256,
    pub recipient: B256,
    pub open_deadline: u64,
    pub fill_deadline: u64,
    pub refund_at: u64,
    pub epoch: u64,
}

impl IntentTerms {
    /// How many 32-byte words the encoding has, including the version.
    pub const WORDS: usize = 21;

    /// The terms in the order of their type, one word each.
    pub fn words(&self) -> [B256; Self::WORDS] {
        let number = |value: u64| B256::from(U256::from(value));
        [
            number(TERMS_VERSION),
            number(self.origin_chain_id),
            self.escrow,
            self.user,
            self.nonce,
            self.input_token,
            self.amount_in.into(),
            self.refund_to,
            self.filler,
            self.payee,
            self.referrer,
            self.referrer_fee.into(),
            number(self.destination_chain_id),
            self.settler,
            self.output_token,
            self.amount_out.into(),
            self.recipient,
            number(self.open_deadline),
            number(self.fill_deadline),
            number(self.refund_at),
            number(self.epoch),
        ]
    }

    /// Decodes terms; `None` for another version, another length or a number out of range.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<32>();
        let words: &[[u8; 32]; Self::WORDS] = words.try_into().ok()?;
        if !rest.is_empty() || number(words[0])? != TERMS_VERSION {
            return None;
        }
        Some(Self {
            origin_chain_id: number(words[1])?,
            escrow: words[2].into(),
            user: words[3].into(),
            nonce: words[4].into(),
            input_token: words[5].into(),
            amount_in: U256::from_be_bytes(words[6]),
            refund_to: words[7].into(),
            filler: words[8].into(),
            payee: words[9].into(),
            referrer: words[10].into(),
            referrer_fee: U256::from_be_bytes(words[11]),
            destination_chain_id: number(words[12])?,
            settler: words[13].into(),
            output_token: words[14].into(),
            amount_out: U256::from_be_bytes(words[15]),
            recipient: words[16].into(),
            open_deadline: number(words[17])?,
            fill_deadline: number(words[18])?,
            refund_at: number(words[19])?,
            epoch: number(words[20])?,
        })
    }

    /// The concatenated words, as `abi.encode` writes them.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words().concat()
    }

    /// The intent id, which is the order's id on both chains: the EIP-712 hash of the terms.
    pub fn id(&self) -> B256 {
        let mut bytes = TERMS_TYPEHASH.to_vec();
        bytes.extend_from_slice(&self.to_bytes());
        keccak256(bytes)
    }

    /// Whether both sides are on one chain, where no attester is needed.
    pub const fn is_same_chain(&self) -> bool {
        self.origin_chain_id == self.destination_chain_id
    }
}

fn number(word: [u8; 32]) -> Option<u64> {
    U256::from_be_bytes(word).try_into().ok()
}

impl Address {
    /// The address as encoded in the terms: 32 bytes, an EVM address in the low 20.
    pub fn to_word(self) -> B256 {
        match self {
            Self::Evm(address) => address.into_word(),
            Self::Solana(bytes) => bytes.into(),
            // No contract reads these: only orders that a provider settles begin there.
            Self::Bitcoin(address) => B256::left_padding_from(address.program()),
            Self::Tron(bytes) => B256::left_padding_from(&bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::b256;
    use proptest::prelude::*;

    use super::*;
    use crate::Family;

    fn terms() -> IntentTerms {
        let word = B256::repeat_byte;
        IntentTerms {
            origin_chain_id: 1,
            escrow: word(2),
            user: word(3),
            nonce: word(4),
            input_token: word(5),
            amount_in: U256::from(6),
            refund_to: word(7),
            filler: word(8),
            payee: word(9),
            referrer: word(10),
            referrer_fee: U256::from(11),
            destination_chain_id: 12,
            settler: word(13),
            output_token: word(14),
            amount_out: U256::from(15),
            recipient: word(16),
            open_deadline: 17,
            fill_deadline: 18,
            refund_at: 19,
            epoch: 20,
        }
    }

    #[test]
    fn every_term_is_in_the_type_once_and_in_order() {
        let fields = TERMS_TYPE.trim_start_matches("CausewayOrder(").trim_end_matches(')').split(',');
        assert_eq!(fields.count(), IntentTerms::WORDS);
        for (place, word) in terms().words().into_iter().enumerate() {
            let byte = u8::try_from(place).unwrap();
            assert!(place == 0 || word.ends_with(&[byte]), "word {place} is {word}");
        }
    }

    #[test]
    fn the_id_is_the_hash_of_the_type_and_all_words() {
        assert_eq!(terms().id(), keccak256([TERMS_TYPEHASH.to_vec(), terms().to_bytes()].concat()));
        // As viem hashes the same struct.
        assert_eq!(terms().id(), b256!("56eb684be7c5d5373bbf90b4eb1eb0b8c7bdc393e36dc9bcb23e6458f3ad26b4"));
    }

    #[test]
    fn an_evm_address_is_in_the_low_twenty_bytes() {
        let address = Address::parse(Family::Evm, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266").unwrap();
        let word = b256!("000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266");
        assert_eq!(address.to_word(), word);
        assert_eq!(Address::Solana([7; 32]).to_word(), B256::repeat_byte(7));
    }

    proptest! {
        #[test]
        fn terms_round_trip_through_bytes(amount in any::<[u64; 4]>(), number in any::<u64>(), word in any::<[u8; 32]>()) {
            let amount_in = U256::from_limbs(amount);
            let terms = IntentTerms { amount_in, refund_at: number, recipient: word.into(), ..terms() };
            prop_assert_eq!(IntentTerms::from_bytes(&terms.to_bytes()), Some(terms));
        }

        #[test]
        fn changing_any_byte_changes_the_id_or_is_rejected(at in 0usize..IntentTerms::WORDS * 32, flip in 1u8..) {
            let mut bytes = terms().to_bytes();
            bytes[at] ^= flip;
            let changed = IntentTerms::from_bytes(&bytes);
            prop_assert!(changed.is_none_or(|changed| changed.id() != terms().id()));
        }

        #[test]
        fn any_bytes_are_decoded_or_rejected_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..800)) {
            let _ = IntentTerms::from_bytes(&bytes);
        }
    }
}
