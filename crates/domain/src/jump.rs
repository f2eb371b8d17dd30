use std::sync::LazyLock;

use alloy_primitives::{B256, U256, U512, keccak256};

use crate::{TERMS_VERSION, Terms};

/// The EIP-712 type of a jump; both families of chains hash the same bytes.
pub const JUMP_TYPE: &str = "CausewayJump(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 nonce,\
bytes32 maker,bytes32 inputToken,bytes32 refundTo,uint256 destinationChainId,bytes32 outputToken,\
bytes32 recipient,uint256 rateIn,uint256 rateOut,uint256 expiry)";

static JUMP_TYPEHASH: LazyLock<B256> = LazyLock::new(|| keccak256(JUMP_TYPE));

/// What an address commits to when the amount that will come is not known yet: where the money goes, the least rate at
/// which it is swapped on the way, and until when. Addresses and tokens are written as in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Jump {
    pub origin_chain_id: u64,
    pub escrow: B256,
    pub nonce: B256,
    /// Whose word opens an order with the money, or lets it go back early.
    pub maker: B256,
    pub input_token: B256,
    pub refund_to: B256,
    pub destination_chain_id: u64,
    pub output_token: B256,
    pub recipient: B256,
    /// At least `rate_out` of the output for every `rate_in` of the input.
    pub rate_in: U256,
    pub rate_out: U256,
    /// Unix seconds; later, all goes back.
    pub expiry: u64,
}

impl Jump {
    /// How many 32-byte words the encoded jump has, the version included.
    pub const WORDS: usize = 13;

    pub fn words(&self) -> [B256; Self::WORDS] {
        let number = |value: u64| B256::from(U256::from(value));
        [
            number(TERMS_VERSION),
            number(self.origin_chain_id),
            self.escrow,
            self.nonce,
            self.maker,
            self.input_token,
            self.refund_to,
            number(self.destination_chain_id),
            self.output_token,
            self.recipient,
            self.rate_in.into(),
            self.rate_out.into(),
            number(self.expiry),
        ]
    }

    /// The words one after the other, as `abi.encode` writes them.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words().concat()
    }

    /// Reads an encoded jump; `None` for another version, another length or a number that no chain would accept.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<32>();
        let words: &[[u8; 32]; Self::WORDS] = words.try_into().ok()?;
        let number = |word: [u8; 32]| -> Option<u64> { U256::from_be_bytes(word).try_into().ok() };
        if !rest.is_empty() || number(words[0])? != TERMS_VERSION {
            return None;
        }
        Some(Self {
            origin_chain_id: number(words[1])?,
            escrow: words[2].into(),
            nonce: words[3].into(),
            maker: words[4].into(),
            input_token: words[5].into(),
            refund_to: words[6].into(),
            destination_chain_id: number(words[7])?,
            output_token: words[8].into(),
            recipient: words[9].into(),
            rate_in: U256::from_be_bytes(words[10]),
            rate_out: U256::from_be_bytes(words[11]),
            expiry: number(words[12])?,
        })
    }

    /// By which the chains know the jump, and from which its address follows: the EIP-712 hash.
    pub fn id(&self) -> B256 {
        let mut bytes = JUMP_TYPEHASH.to_vec();
        bytes.extend_from_slice(&self.to_bytes());
        keccak256(bytes)
    }

    /// Whether an order keeps what the jump committed to; what is left open cannot send the money elsewhere.
    pub fn matches(&self, terms: &Terms) -> bool {
        self.origin_chain_id == terms.origin_chain_id
            && self.escrow == terms.escrow
            && self.input_token == terms.input_token
            && self.refund_to == terms.refund_to
            && self.destination_chain_id == terms.destination_chain_id
            && self.output_token == terms.output_token
            && self.recipient == terms.recipient
            && self.rate_holds(terms.amount_in, terms.amount_out)
    }

    /// Whether `amount_out * rate_in >= rate_out * amount_in`; a jump without `rate_in` names no rate at all.
    pub fn rate_holds(&self, amount_in: U256, amount_out: U256) -> bool {
        let (given, wanted): (U512, U512) =
            (amount_out.widening_mul(self.rate_in), self.rate_out.widening_mul(amount_in));
        !self.rate_in.is_zero() && given >= wanted
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sample::terms;

    fn jump() -> Jump {
        let terms = terms();
        Jump {
            origin_chain_id: terms.origin_chain_id,
            escrow: terms.escrow,
            nonce: B256::repeat_byte(9),
            maker: B256::repeat_byte(8),
            input_token: terms.input_token,
            refund_to: terms.refund_to,
            destination_chain_id: terms.destination_chain_id,
            output_token: terms.output_token,
            recipient: terms.recipient,
            rate_in: terms.amount_in,
            rate_out: terms.amount_out,
            expiry: 1_000,
        }
    }

    #[test]
    fn rule_21_an_order_of_the_jump_goes_where_the_jump_says_at_its_rate_or_better() {
        assert!(jump().matches(&terms()));
        let other = B256::repeat_byte(0x77);
        assert!(!jump().matches(&Terms { recipient: other, ..terms() }));
        assert!(!jump().matches(&Terms { refund_to: other, ..terms() }));
        assert!(!jump().matches(&Terms { output_token: other, ..terms() }));
        assert!(!jump().matches(&Terms { escrow: other, ..terms() }));
        let less = terms().amount_out - U256::ONE;
        assert!(!jump().matches(&Terms { amount_out: less, ..terms() }));
    }

    #[test]
    fn a_rate_is_compared_in_full_width() {
        let jump = Jump { rate_in: U256::MAX, rate_out: U256::MAX, ..jump() };
        assert!(jump.rate_holds(U256::MAX, U256::MAX));
        assert!(!jump.rate_holds(U256::MAX, U256::MAX - U256::ONE));
        assert!(!Jump { rate_in: U256::ZERO, rate_out: U256::ZERO, ..jump }.rate_holds(U256::ONE, U256::ONE));
    }

    #[test]
    fn every_field_is_in_the_type_once_and_in_order() {
        let fields = JUMP_TYPE.trim_start_matches("CausewayJump(").trim_end_matches(')').split(',');
        assert_eq!(fields.count(), Jump::WORDS);
    }

    proptest! {
        #[test]
        fn jumps_read_back(rate in any::<[u64; 4]>(), expiry in any::<u64>(), nonce in any::<[u8; 32]>()) {
            let jump = Jump { rate_in: U256::from_limbs(rate), expiry, nonce: nonce.into(), ..jump() };
            prop_assert_eq!(Jump::from_bytes(&jump.to_bytes()), Some(jump));
        }

        #[test]
        fn changing_any_byte_changes_the_id_or_is_refused(at in 0usize..Jump::WORDS * 32, flip in 1u8..) {
            let mut bytes = jump().to_bytes();
            bytes[at] ^= flip;
            let changed = Jump::from_bytes(&bytes);
            prop_assert!(changed.is_none_or(|changed| changed.id() != jump().id()));
        }
    }
}
