use std::sync::LazyLock;

use alloy_primitives::{B256, U256, keccak256};
use causeway_domain::ports::{Creation, FinalityTier, OrderStore, QuoteStore};
use causeway_domain::{
    Address, Ask, ChainId, ConfirmedTx, Decision, DepositMethod, EventKind, Evidence, ExactOutMethod, Family,
    Fee, FeeKind, ForwardingOrder, IntentTerms, Order, OrderEvent, OrderId, OrderStatus, Parties, Quote,
    QuoteId, RawAmount, Referral, RefundCause, Route, RowKey, RowKeys, SOLANA_CHAIN_ID, Slippage, TokenId,
    TradeType,
};
use causeway_store::Store;
use causeway_testing::sample::order_of;
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

/// A route with everything set, and the largest amounts there are.
pub(crate) fn route(name: &str) -> Route {
    Route {
        id: name.parse().unwrap(),
        filler: "inventory ‘north’".to_owned(),
        kind: "native-filler".to_owned(),
        exact_out: Some(ExactOutMethod::Adaptive),
        deposit_methods: vec![DepositMethod::Transfer, DepositMethod::ContractCall, DepositMethod::Permit2],
        amount_in: RawAmount::new(U256::MAX),
        amount_out: RawAmount::new(U256::MAX - U256::from(1)),
        min_amount_out: RawAmount::ZERO,
        expected_duration_seconds: u32::MAX,
        valid_before: now() + seconds(60),
        price_holds_until: Some(now() + seconds(30)),
        estimated_gas: Some(RawAmount::new(U256::from(21_000))),
        fees: vec![
            Fee { kind: FeeKind::Filler, token: usdc(), amount: RawAmount::new(U256::MAX) },
            Fee { kind: FeeKind::Gas, token: TokenId::native(SOLANA_CHAIN_ID), amount: RawAmount::ZERO },
        ],
        parties: Some(Parties { filler: evm(AUTHOR), payee: Address::Solana([9; 32]) }),
    }
}

/// A route with nothing set that may be left out.
pub(crate) fn bare_route(name: &str) -> Route {
    Route {
        exact_out: None,
        deposit_methods: Vec::new(),
        price_holds_until: None,
        estimated_gas: None,
        fees: Vec::new(),
        parties: None,
        ..route(name)
    }
}

pub(crate) fn quote(routes: &[&str]) -> Quote {
    Quote {
        id: QuoteId::random().unwrap(),
        key: key(),
        ask: Ask {
            trade_type: TradeType::ExactOutput,
            from: usdc(),
            to: TokenId::native(SOLANA_CHAIN_ID),
            amount: RawAmount::new(U256::MAX),
            from_address: evm(AUTHOR),
            recipient: Address::Solana([7; 32]),
            refund_to: evm("0x00000000000000000000000000000000000000ff"),
            slippage: Slippage::from_millionths(500_000),
            deposit_methods: Vec::new(),
            referral: Referral::new(evm(AUTHOR), 25),
        },
        integrator: Some("wallet-00ff00ff".to_owned()),
        created_at: now(),
        routes: routes.iter().map(|name| route(name)).collect(),
    }
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
pub(crate) fn order(quote: &Quote, route: &str) -> Order {
    let ask = &quote.ask;
    let id = OrderId::random().unwrap();
    let terms = terms(&id);
    Order {
        id,
        key: key(),
        quote: quote.id.clone(),
        route: route.parse().unwrap(),
        trade_type: ask.trade_type,
        from: ask.from,
        to: ask.to,
        src_amount: RawAmount::new(U256::MAX),
        dest_amount: RawAmount::new(U256::from(1)),
        author: ask.from_address,
        recipient: ask.recipient,
        refund_to: ask.refund_to,
        filler: "inventory ‘north’".to_owned(),
        valid_before: now() + seconds(60),
        due_at: Some(now()),
        ..order_of(terms, now())
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

/// Stores a quote and an order from it, changed as asked.
pub(crate) async fn placed(store: &Store, change: impl FnOnce(&mut Order)) -> Order {
    let quote = quote(&["a"]);
    store.put_quote(&quote).await.unwrap();
    let mut order = order(&quote, "a");
    change(&mut order);
    let event = event(&order, EventKind::Status(order.status), order.created_at);
    assert_eq!(store.create_order(&order, &event).await.unwrap(), Creation::Created);
    order
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
