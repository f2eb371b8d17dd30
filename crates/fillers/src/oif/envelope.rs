use alloy_primitives::{B256, U256, keccak256};
use causeway_domain::{IntentTerms, TERMS_TYPEHASH};

/// The function that opens an order in ERC-7683's envelope.
const OPEN: &str = "open((uint32,bytes32,bytes))";

/// The calldata that opens these terms at our escrow. The escrow is an origin settler of ERC-7683, so any solver that knows the
/// standard can resolve it.
pub(super) fn open_calldata(terms: &IntentTerms) -> Vec<u8> {
    let word = |number: usize| B256::from(U256::from(number));
    let terms_bytes = terms.to_bytes();
    let mut data = keccak256(OPEN).to_vec();
    data.truncate(4);
    for word in [
        // Offset of the envelope, its three fields, and the length of the last.
        word(32),
        B256::from(U256::from(terms.fill_deadline)),
        *TERMS_TYPEHASH,
        word(96),
        word(terms_bytes.len()),
    ] {
        data.extend_from_slice(word.as_slice());
    }
    // Whole words, so no padding is needed.
    data.extend_from_slice(&terms_bytes);
    data
}

#[cfg(test)]
mod tests {
    use alloy_sol_types::{SolCall, sol};

    use super::*;

    sol! {
        struct OnchainCrossChainOrder {
            uint32 fillDeadline;
            bytes32 orderDataType;
            bytes orderData;
        }

        function open(OnchainCrossChainOrder order) external payable;
    }

    #[test]
    fn calldata_matches_erc_7683() {
        let terms = IntentTerms {
            origin_chain_id: 8453,
            escrow: B256::repeat_byte(2),
            user: B256::repeat_byte(3),
            nonce: B256::repeat_byte(4),
            input_token: B256::repeat_byte(5),
            amount_in: U256::from(1_000),
            refund_to: B256::repeat_byte(7),
            filler: B256::repeat_byte(8),
            payee: B256::repeat_byte(9),
            referrer: B256::ZERO,
            referrer_fee: U256::ZERO,
            destination_chain_id: 1,
            settler: B256::repeat_byte(13),
            output_token: B256::repeat_byte(14),
            amount_out: U256::from(990),
            recipient: B256::repeat_byte(16),
            open_deadline: 1_000,
            fill_deadline: 2_000,
            refund_at: 3_000,
            epoch: 1,
        };
        let data = open_calldata(&terms);
        let read = openCall::abi_decode_validate(&data).unwrap().order;
        assert_eq!((read.fillDeadline, read.orderDataType), (2_000, *TERMS_TYPEHASH));
        assert_eq!(IntentTerms::from_bytes(&read.orderData), Some(terms));
        assert_eq!(openCall { order: read }.abi_encode(), data);
    }
}
