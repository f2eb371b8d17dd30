use std::sync::LazyLock;

use alloy_primitives::{B256, U256, keccak256};
use causeway_domain::ports::{Creation, FinalityTier, OrderStore, StoreError};
use causeway_domain::{
    Address, ChainId, ConfirmedTx, Decision, DepositMethod, EventKind, Evidence, Family, ForwardingOrder,
    IntentTerms, Order, OrderEvent, OrderId, OrderStatus, QuoteId, RawAmount, RefundCause, RowKey, RowKeys,
    SOLANA_CHAIN_ID, TokenId, TradeType,
};
use causeway_store::Store;
use causeway_testing::sample;
use jiff::{SignedDuration, Timestamp};

static KEYS: LazyLock<RowKeys> = LazyLock::new(|| RowKeys::new(3));

pub(crate) const AUTHOR: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

/// Now, to the millisecond that the store keeps.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_millisecond(Timestamp::now().as_millisecond()).unwrap()
}

pub(crate) fn days_ago(days: i64) -> Timestamp {
    now() - SignedDuration::from_hours(24 * days)
}

pub(crate) fn seconds(count: i64) -> SignedDuration {
    SignedDuration::from_secs(count)
}

pub(crate) fn key() -> RowKey {
    KEYS.next(now())
}

pub(crate) fn evm(text: &str) -> Address {
    Address::parse(Family::Evm, text).unwrap()
}

fn usdc() -> TokenId {
    TokenId::new(ChainId::new(1).unwrap(), AUTHOR).unwrap()
}

/// Terms that no other order has.
pub(crate) fn terms(order: &OrderId) -> IntentTerms {
    let word = B256::repeat_byte;
    IntentTerms {
        origin_chain_id: 1,
        escrow: word(2),
        user: word(3),
        nonce: keccak256(order.as_str()),
        input_token: word(5),
        amount_in: U256::MAX,
        refund_to: word(7),
        filler: word(8),
        payee: word(9),
        referrer: word(10),
        referrer_fee: U256::from(11),
        destination_chain_id: SOLANA_CHAIN_ID.get(),
        settler: word(13),
        output_token: word(14),
        amount_out: U256::from(15),
        recipient: word(16),
        open_deadline: u64::MAX,
        fill_deadline: 18,
        refund_at: 19,
        epoch: 20,
    }
}

/// An order with nothing set that may be left out.
pub(crate) fn order() -> Order {
    order_of(&QuoteId::random().unwrap(), "a")
}

/// The same of that route.
pub(crate) fn order_of(quote: &QuoteId, route: &str) -> Order {
    let id = OrderId::random().unwrap();
    let terms = terms(&id);
    Order {
        id,
        key: key(),
        quote: quote.clone(),
        route: route.parse().unwrap(),
        trade_type: TradeType::ExactOutput,
        from: usdc(),
        to: TokenId::native(SOLANA_CHAIN_ID),
        src_amount: RawAmount::new(U256::MAX),
        dest_amount: RawAmount::new(U256::from(1)),
        author: evm(AUTHOR),
        recipient: Address::Solana([7; 32]),
        refund_to: evm("0x00000000000000000000000000000000000000ff"),
        filler: "inventory ‘north’".to_owned(),
        integrator: Some("wallet-00ff00ff".to_owned()),
        valid_before: now() + seconds(60),
        due_at: Some(now()),
        ..sample::order_of(terms, now())
    }
}

/// A transaction observed on a chain.
pub(crate) fn confirmed_tx(tx: &str) -> ConfirmedTx {
    ConfirmedTx {
        chain: ChainId::new(1).unwrap(),
        tx: tx.to_owned(),
        block: u64::MAX,
        time: 1_800_000_000,
        amount: RawAmount::new(U256::MAX),
    }
}

/// Sets every mutable field of an order.
pub(crate) fn complete(order: &mut Order) {
    order.status = OrderStatus::Refunded;
    order.method = DepositMethod::Transfer;
    order.deposit_address = Some(evm("0x00000000000000000000000000000000000000dd"));
    order.finality_tier = FinalityTier::Large;
    order.announced = !order.announced;
    order.submitted_tx = Some(format!("submitted {}", order.id));
    order.built = Some(vec![1, 0, 254]);
    order.signed_payload = Some(vec![0, 255, 1]);
    order.forwarding = Some(Box::new(jump(&order.terms)));
    order.decision = Some(Decision::Waive);
    order.evidence = Evidence {
        deposit: Some(confirmed_tx("deposit")),
        fill: Some(confirmed_tx("fill")),
        claim: Some(confirmed_tx("claim")),
        refund: Some((confirmed_tx("refund"), RefundCause::Unfilled)),
    };
    order.failure_reason = Some("a ‘reason’".to_owned());
    order.due_at = None;
    order.valid_before += seconds(1);
    order.updated_at += seconds(5);
    order.dest_amount = order.src_amount;
    order.recipient = order.refund_to;
}

pub(crate) fn event(order: &Order, kind: EventKind, at: Timestamp) -> OrderEvent {
    OrderEvent { key: key(), order: order.id.clone(), kind, detail: "because".to_owned(), at }
}

/// Stores an order, changed as asked.
pub(crate) async fn placed(store: &Store, change: impl FnOnce(&mut Order)) -> Order {
    let mut order = order();
    change(&mut order);
    put(store, &order).await.unwrap();
    order
}

/// Stores a new order.
pub(crate) async fn put(store: &Store, order: &Order) -> Result<(), StoreError> {
    let event = event(order, EventKind::Status(order.status), order.created_at);
    let created = store.create_order(order, &event).await?;
    assert_eq!(created, Creation::Created);
    Ok(())
}

fn jump(terms: &IntentTerms) -> ForwardingOrder {
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
        expiry: u64::MAX,
    }
}
