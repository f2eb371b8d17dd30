//! A test order: 1,000 units from Base to Ethereum, opened until 1,000, filled until 2,000, refundable by anybody after
//! 3,000 seconds of chain time.

use alloy_primitives::{Address as EvmAddress, B256, U256};
use jiff::Timestamp;

use crate::ports::FinalityTier;
use crate::{
    Address, ChainId, ConfirmedTx, DepositMethod, Evidence, IntentTerms, Order, OrderId, OrderStatus,
    QuoteId, RawAmount, RowKey, TokenId, TradeType,
};

pub(crate) const ORIGIN: u64 = 8453;
pub(crate) const DESTINATION: u64 = 1;
pub(crate) const OPEN_UNTIL: u64 = 1_000;
pub(crate) const FILL_UNTIL: u64 = 2_000;
pub(crate) const REFUND_AFTER: u64 = 3_000;

pub(crate) fn chain(id: u64) -> ChainId {
    ChainId::new(id).unwrap()
}

pub(crate) fn raw(units: u64) -> RawAmount {
    RawAmount::new(U256::from(units))
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn address(byte: u8) -> Address {
    Address::Evm(EvmAddress::repeat_byte(byte))
}

pub(crate) fn token(on: u64, byte: u8) -> TokenId {
    TokenId::from_address(chain(on), address(byte)).unwrap()
}

pub(crate) fn terms() -> IntentTerms {
    let word = |byte| address(byte).to_word();
    IntentTerms {
        origin_chain_id: ORIGIN,
        escrow: word(2),
        user: word(3),
        nonce: B256::repeat_byte(4),
        input_token: word(5),
        amount_in: U256::from(1_000),
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
    }
}

/// A newly built order.
pub(crate) fn order() -> Order {
    let terms = terms();
    Order {
        id: OrderId::random().unwrap(),
        key: RowKey::floor_at(at(1_800_000_000)),
        quote: QuoteId::random().unwrap(),
        route: "route".parse().unwrap(),
        status: OrderStatus::Created,
        trade_type: TradeType::ExactInput,
        from: token(ORIGIN, 5),
        to: token(DESTINATION, 14),
        src_amount: raw(1_000),
        dest_amount: raw(990),
        author: address(3),
        recipient: address(16),
        refund_to: address(7),
        filler: "inventory".to_owned(),
        kind: "native-filler".to_owned(),
        filler_quote: None,
        integrator: None,
        method: DepositMethod::Transfer,
        intent_id: terms.id(),
        terms,
        deposit_address: Some(address(0xde)),
        forwarding: None,
        provider: None,
        valid_before: at(900),
        finality_tier: FinalityTier::Standard,
        announced: false,
        submitted_tx: None,
        built: None,
        signed_payload: None,
        decision: None,
        evidence: Evidence::default(),
        failure_reason: None,
        due_at: Some(at(100)),
        created_at: at(100),
        updated_at: at(100),
        version: 1,
    }
}

/// A confirmed transaction in that block.
pub(crate) fn shown(on: u64, block: u64) -> ConfirmedTx {
    ConfirmedTx { chain: chain(on), tx: format!("0x{block}"), block, time: 500 + block, amount: raw(1_000) }
}
