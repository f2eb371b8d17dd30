use alloy_primitives::{B256, U256, keccak256};
use causeway_domain::ports::FinalityTier;
use causeway_domain::{
    Ask, DepositMethod, IntentTerms, Order, OrderId, Quote, QuoteId, Route, RowKeys, TradeType,
};
use causeway_testing::sample::order_of;
use jiff::{SignedDuration, Timestamp};

use crate::scene::{
    AMOUNT_IN, DESTINATION, FILL_UNTIL, OPEN_UNTIL, ORIGIN, REFUND_AFTER, address, input, raw, token,
};

pub(crate) fn quote(row_keys: &RowKeys) -> Quote {
    let route = Route {
        id: "house".parse().unwrap(),
        filler: "house".to_owned(),
        kind: "native-filler".to_owned(),
        exact_out: None,
        deposit_methods: vec![DepositMethod::ContractCall],
        amount_in: raw(AMOUNT_IN),
        amount_out: raw(990),
        min_amount_out: raw(990),
        expected_duration_seconds: 12,
        valid_before: Timestamp::now(),
        price_holds_until: None,
        estimated_gas: None,
        fees: Vec::new(),
        parties: None,
    };
    let ask = Ask {
        trade_type: TradeType::ExactInput,
        from: input(),
        to: token(DESTINATION, 14),
        amount: raw(AMOUNT_IN),
        from_address: address(3),
        recipient: address(16),
        refund_to: address(7),
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
    };
    let created_at = Timestamp::now();
    let (id, key) = (QuoteId::random().unwrap(), row_keys.next(created_at));
    Quote { id, key, ask, integrator: None, created_at, routes: vec![route] }
}

/// A new order that is not due for a day.
pub(crate) fn order(quote: &Quote, row_keys: &RowKeys) -> Order {
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
        quote: quote.id.clone(),
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
