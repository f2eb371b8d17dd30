use alloy_primitives::{B256, U256, keccak256};
use causeway_domain::ports::FinalityTier;
use causeway_domain::{IntentTerms, Order, OrderId, QuoteId, RowKeys};
use causeway_testing::sample::order_of;
use jiff::{SignedDuration, Timestamp};

use crate::scene::{
    AMOUNT_IN, DESTINATION, FILL_UNTIL, OPEN_UNTIL, ORIGIN, REFUND_AFTER, address, input, raw, token,
};

/// A new order that is not due for a day.
pub(crate) fn order(row_keys: &RowKeys) -> Order {
    let now = Timestamp::from_millisecond(Timestamp::now().as_millisecond()).unwrap();
    let id = OrderId::random().unwrap();
    let word = |byte| address(byte).to_word();
    let terms = IntentTerms {
        origin_chain_id: ORIGIN,
        escrow: word(2),
        user: word(3),
        nonce: keccak256(id.as_str()),
        input_token: word(5),
        amount_in: U256::from(AMOUNT_IN),
        refund_to: word(7),
        filler: word(8),
        payee: word(9),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: DESTINATION,
        settler: word(13),
        output_token: word(14),
        amount_out: U256::from(990),
        recipient: word(16),
        open_deadline: OPEN_UNTIL,
        fill_deadline: FILL_UNTIL,
        refund_at: REFUND_AFTER,
        epoch: 1,
    };
    Order {
        id,
        key: row_keys.next(now),
        quote: QuoteId::random().unwrap(),
        from: input(),
        to: token(DESTINATION, 14),
        src_amount: raw(AMOUNT_IN),
        dest_amount: raw(990),
        author: address(3),
        recipient: address(16),
        refund_to: address(7),
        valid_before: now,
        finality_tier: FinalityTier::Large,
        announced: false,
        due_at: now.checked_add(SignedDuration::from_hours(24)).ok(),
        ..order_of(terms, now)
    }
}
