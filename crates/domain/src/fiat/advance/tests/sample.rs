use alloy_primitives::{B256, U256};
use jiff::{SignedDuration, Timestamp};

use crate::fiat::{FiatAmount, FiatContext, FiatOrder, FiatStatus, Payout, ProviderLookup, Strategy};
use crate::ports::{FinalityTier, RampReport, RampState};
use crate::{
    Address, ChainId, ConfirmedTx, Decision, DepositMethod, Evidence, FiatOrderId, FiatQuoteId,
    ForwardingBalance, ForwardingOrder, ForwardingPlan, IntentTerms, Order, OrderId, OrderStatus, QuoteId,
    RawAmount, RefundCause, RowKey, TokenId, TradeType,
};

pub(super) fn chain(id: u64) -> ChainId {
    ChainId::new(id).unwrap()
}

pub(super) fn now() -> Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

pub(super) fn later(seconds: i64) -> Timestamp {
    now() + SignedDuration::from_secs(seconds)
}

pub(super) fn raw(amount: u64) -> RawAmount {
    RawAmount::new(U256::from(amount))
}

pub(super) fn usdc() -> TokenId {
    TokenId::new(chain(8453), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap()
}

pub(super) fn who(byte: u8) -> Address {
    Address::Evm([byte; 20].into())
}

/// A direct purchase of about 100 USDC with half an hour left to pay.
pub(super) fn direct() -> FiatOrder {
    FiatOrder {
        id: FiatOrderId::random().unwrap(),
        key: RowKey::new(1).unwrap(),
        quote: FiatQuoteId::random().unwrap(),
        provider: "card".to_owned(),
        provider_order: None,
        status: FiatStatus::Created,
        author: who(1),
        recipient: who(2),
        refund_to: who(3),
        pays: FiatAmount::new("USD".parse().unwrap(), 10_000),
        target: usdc(),
        sold: usdc(),
        sold_amount: raw(99_000_000),
        expected: raw(99_000_000),
        least: raw(99_000_000),
        strategy: Strategy::Direct,
        widget_url: String::new(),
        origin: None,
        integrator: None,
        metadata: None,
        payout: None,
        output: None,
        fill_tx: None,
        failure: None,
        pay_by: later(1_800),
        due_at: None,
        created_at: now(),
        updated_at: now(),
        version: 0,
    }
}

pub(super) fn forwarding_order() -> ForwardingOrder {
    let word = B256::repeat_byte;
    ForwardingOrder {
        origin_chain_id: 8453,
        escrow: word(1),
        nonce: word(2),
        maker: word(3),
        input_token: usdc().address().to_word(),
        refund_to: who(3).to_word(),
        destination_chain_id: 42161,
        output_token: B256::ZERO,
        recipient: who(2).to_word(),
        rate_in: U256::from(99_000_000),
        rate_out: U256::from(28),
        expiry: seconds(86_400),
    }
}

pub(super) fn seconds(after: i64) -> u64 {
    later(after).as_second().try_into().unwrap()
}

pub(super) fn forwarded() -> FiatOrder {
    let plan = ForwardingPlan {
        order: forwarding_order(),
        address: who(4),
        filler: "north".to_owned(),
        route: "north".parse().unwrap(),
        swap: None,
        returned_tx: None,
    };
    FiatOrder {
        target: TokenId::native(chain(42161)),
        strategy: Strategy::Forwarding(Box::new(plan)),
        ..direct()
    }
}

pub(super) fn context() -> FiatContext {
    FiatContext {
        now: later(60),
        lookup: None,
        payouts: Vec::new(),
        forwarding_balance: None,
        hub_time: Some(seconds(60)),
        returned: None,
        swaps: Vec::new(),
        tolerance_bps: 500,
        patience: SignedDuration::from_mins(60),
    }
}

pub(super) fn reported(state: RampState) -> ProviderLookup {
    ProviderLookup::Found(Box::new(RampReport {
        state,
        provider_order: Some("p-1".to_owned()),
        paid: None,
        asset: None,
        amount: None,
        wallet: None,
        payouts: Vec::new(),
        reason: Some(("payment_declined".to_owned(), "The card was declined.".to_owned())),
        may_retry: false,
    }))
}

/// One failed attempt after which the payer may retry.
pub(super) fn tried(state: RampState) -> ProviderLookup {
    match reported(state) {
        ProviderLookup::Found(report) => {
            ProviderLookup::Found(Box::new(RampReport { may_retry: true, ..*report }))
        }
        ProviderLookup::NotFound => ProviderLookup::NotFound,
    }
}

pub(super) fn payout(amount: u64) -> Payout {
    Payout { token: usdc(), tx: "0xpaid".to_owned(), index: 4, amount: raw(amount) }
}

pub(super) fn held(amount: u64) -> ForwardingBalance {
    ForwardingBalance { block: 50, amount: raw(amount), others: Vec::new() }
}

pub(super) fn shown(tx: &str, block: u64) -> ConfirmedTx {
    ConfirmedTx { chain: chain(8453), tx: tx.to_owned(), block, time: 1, amount: raw(30) }
}

/// A swap of that much that may be opened for an hour, with the given evidence.
pub(super) fn swap(amount: u64, evidence: Evidence) -> Order {
    let word = B256::repeat_byte;
    let terms = IntentTerms {
        origin_chain_id: 8453,
        escrow: word(1),
        user: who(4).to_word(),
        nonce: word(9),
        input_token: usdc().address().to_word(),
        amount_in: U256::from(amount),
        refund_to: who(3).to_word(),
        filler: word(5),
        payee: word(6),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: 42161,
        settler: word(7),
        output_token: B256::ZERO,
        amount_out: U256::from(30),
        recipient: who(2).to_word(),
        open_deadline: seconds(3_600),
        fill_deadline: seconds(7_200),
        refund_at: seconds(9_000),
        epoch: 1,
    };
    Order {
        id: OrderId::random().unwrap(),
        key: RowKey::new(2).unwrap(),
        quote: QuoteId::random().unwrap(),
        route: "north".parse().unwrap(),
        status: if evidence.deposit.is_some() { OrderStatus::Published } else { OrderStatus::Created },
        trade_type: TradeType::ExactInput,
        from: usdc(),
        to: TokenId::native(chain(42161)),
        src_amount: raw(amount),
        dest_amount: raw(30),
        author: who(4),
        recipient: who(2),
        refund_to: who(3),
        filler: "north".to_owned(),
        kind: "native-filler".to_owned(),
        filler_quote: None,
        integrator: None,
        method: DepositMethod::Transfer,
        intent_id: terms.id(),
        terms,
        deposit_address: Some(who(4)),
        forwarding: Some(Box::new(forwarding_order())),
        provider: None,
        valid_before: later(30),
        finality_tier: FinalityTier::Standard,
        announced: true,
        submitted_tx: None,
        built: None,
        signed_payload: None,
        decision: Some(Decision::Fill),
        evidence,
        failure_reason: None,
        due_at: None,
        created_at: now(),
        updated_at: now(),
        version: 0,
    }
}

pub(super) fn opened() -> Evidence {
    Evidence { deposit: Some(shown("0xopened", 40)), ..Evidence::default() }
}

pub(super) fn filled() -> Evidence {
    Evidence { fill: Some(shown("0xfilled", 45)), ..opened() }
}

pub(super) fn refunded() -> Evidence {
    Evidence { refund: Some((shown("0xback", 46), RefundCause::Waived)), ..opened() }
}
