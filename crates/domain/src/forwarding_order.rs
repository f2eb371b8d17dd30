use std::sync::LazyLock;

use alloy_primitives::{B256, U256, U512, keccak256};

use crate::{IntentTerms, TERMS_VERSION};

/// The EIP-712 type of a forwarding order; both chain families hash the same bytes.
pub const FORWARDING_ORDER_TYPE: &str = "CausewayJump(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 nonce,\
bytes32 maker,bytes32 inputToken,bytes32 refundTo,uint256 destinationChainId,bytes32 outputToken,\
bytes32 recipient,uint256 rateIn,uint256 rateOut,uint256 expiry)";

static FORWARDING_ORDER_TYPEHASH: LazyLock<B256> = LazyLock::new(|| keccak256(FORWARDING_ORDER_TYPE));

/// What a forwarding address commits to before the amount is known: recipient, minimum rate and expiry. It is called
/// `jump` on the wire and in the contracts. Addresses and tokens are encoded as in [`IntentTerms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForwardingOrder {
    pub origin_chain_id: u64,
    pub escrow: B256,
    pub nonce: B256,
    /// Whose signature opens an order with the funds or returns them early.
    pub maker: B256,
    pub input_token: B256,
    pub refund_to: B256,
    pub destination_chain_id: u64,
    pub output_token: B256,
    pub recipient: B256,
    /// At least `rate_out` of the output for every `rate_in` of the input.
    pub rate_in: U256,
    pub rate_out: U256,
    /// Unix seconds; later, all funds are returned.
    pub expiry: u64,
}

impl ForwardingOrder {
    /// How many 32-byte words the encoding has, including the version.
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

    /// The concatenated words, as `abi.encode` writes them.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words().concat()
    }

    /// Decodes a forwarding order; `None` for another version, another length or a number out of range.
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

    /// The id on chain, from which the address is derived: the EIP-712 hash.
    pub fn id(&self) -> B256 {
        let mut bytes = FORWARDING_ORDER_TYPEHASH.to_vec();
        bytes.extend_from_slice(&self.to_bytes());
        keccak256(bytes)
    }

    /// Whether the terms keep the commitment; the remaining terms cannot redirect the funds.
    pub fn matches(&self, terms: &IntentTerms) -> bool {
        self.origin_chain_id == terms.origin_chain_id
            && self.escrow == terms.escrow
            && self.input_token == terms.input_token
            && self.refund_to == terms.refund_to
            && self.destination_chain_id == terms.destination_chain_id
            && self.output_token == terms.output_token
            && self.recipient == terms.recipient
            && self.rate_holds(terms.amount_in, terms.amount_out)
    }

    /// Whether `amount_out * rate_in >= rate_out * amount_in`; without `rate_in` no rate holds.
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

    fn forwarding_order() -> ForwardingOrder {
        let terms = terms();
        ForwardingOrder {
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
    fn rule_21_an_order_keeps_the_recipient_and_rate_of_its_forwarding_order() {
        assert!(forwarding_order().matches(&terms()));
        let other = B256::repeat_byte(0x77);
        assert!(!forwarding_order().matches(&IntentTerms { recipient: other, ..terms() }));
        assert!(!forwarding_order().matches(&IntentTerms { refund_to: other, ..terms() }));
        assert!(!forwarding_order().matches(&IntentTerms { output_token: other, ..terms() }));
        assert!(!forwarding_order().matches(&IntentTerms { escrow: other, ..terms() }));
        assert!(!forwarding_order().matches(&IntentTerms { input_token: other, ..terms() }));
        assert!(!forwarding_order().matches(&IntentTerms { origin_chain_id: 10, ..terms() }));
        assert!(!forwarding_order().matches(&IntentTerms { destination_chain_id: 10, ..terms() }));
        let less = terms().amount_out - U256::ONE;
        assert!(!forwarding_order().matches(&IntentTerms { amount_out: less, ..terms() }));
    }

    #[test]
    fn a_rate_is_compared_in_full_width() {
        let forwarding = ForwardingOrder { rate_in: U256::MAX, rate_out: U256::MAX, ..forwarding_order() };
        assert!(forwarding.rate_holds(U256::MAX, U256::MAX));
        assert!(!forwarding.rate_holds(U256::MAX, U256::MAX - U256::ONE));
        assert!(
            !ForwardingOrder { rate_in: U256::ZERO, rate_out: U256::ZERO, ..forwarding }
                .rate_holds(U256::ONE, U256::ONE)
        );
    }

    #[test]
    fn every_field_is_in_the_type_once_and_in_order() {
        let fields =
            FORWARDING_ORDER_TYPE.trim_start_matches("CausewayJump(").trim_end_matches(')').split(',');
        assert_eq!(fields.count(), ForwardingOrder::WORDS);
    }

    proptest! {
        #[test]
        fn forwarding_orders_round_trip_through_bytes(rate in any::<[u64; 4]>(), expiry in any::<u64>(), nonce in any::<[u8; 32]>()) {
            let forwarding = ForwardingOrder { rate_in: U256::from_limbs(rate), expiry, nonce: nonce.into(), ..forwarding_order() };
            prop_assert_eq!(ForwardingOrder::from_bytes(&forwarding.to_bytes()), Some(forwarding));
        }

        #[test]
        fn changing_any_byte_changes_the_id_or_is_rejected(at in 0usize..ForwardingOrder::WORDS * 32, flip in 1u8..) {
            let mut bytes = forwarding_order().to_bytes();
            bytes[at] ^= flip;
            let changed = ForwardingOrder::from_bytes(&bytes);
            prop_assert!(changed.is_none_or(|changed| changed.id() != forwarding_order().id()));
        }
    }
}
