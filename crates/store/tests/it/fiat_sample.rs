use alloy_primitives::{B256, U256};
use causeway_domain::fiat::{
    FiatAmount, FiatAsk, FiatEvent, FiatFailure, FiatFailureSource, FiatOrder, FiatQuote, FiatStatus,
    ForwardingOption, PaymentMethod, Payout, QuoteFirmness, RampFee, RampFeeKind, Strategy, WantedAmount,
};
use causeway_domain::ports::{FiatCreation, FiatStore};
use causeway_domain::{
    Address, ChainId, FiatOrderId, FiatQuoteId, ForwardingOrder, ForwardingPlan, OrderId, QuoteId, RawAmount,
    TokenId,
};
use causeway_store::Store;

use crate::sample::{AUTHOR, evm, key, now, seconds};

fn usd(minor: u64) -> FiatAmount {
    FiatAmount::new("USD".parse().unwrap(), minor)
}

pub(crate) fn base_usdc() -> TokenId {
    TokenId::new(ChainId::new(8453).unwrap(), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap()
}

/// A quote with everything set.
pub(crate) fn fiat_quote() -> FiatQuote {
    let option = |route: &str| ForwardingOption {
        quote: QuoteId::random().unwrap(),
        route: route.parse().unwrap(),
        filler: "‘north’".to_owned(),
        expected: RawAmount::new(U256::MAX),
        least: RawAmount::new(U256::from(1)),
    };
    FiatQuote {
        id: FiatQuoteId::random().unwrap(),
        key: key(),
        provider: "sandbox-card".to_owned(),
        firmness: QuoteFirmness::Firm,
        ask: FiatAsk {
            currency: "USD".parse().unwrap(),
            amount: WantedAmount::Receive(RawAmount::new(U256::MAX)),
            target: TokenId::native(ChainId::new(42161).unwrap()),
            recipient: evm(AUTHOR),
            provider: Some("sandbox-card".to_owned()),
            method: Some("card".to_owned()),
            refund_to: Some(Address::Solana([4; 32])),
            slippage_bps: Some(5_000),
            country: Some("US-NY".to_owned()),
        },
        pays: usd((1 << 53) - 1),
        fees: vec![
            RampFee { kind: RampFeeKind::Provider, amount: usd(350) },
            RampFee { kind: RampFeeKind::Partner, amount: usd(0) },
        ],
        sold: base_usdc(),
        sold_amount: RawAmount::new(U256::MAX),
        expected: RawAmount::new(U256::from(7)),
        least: RawAmount::ZERO,
        forwarding_options: vec![option("north"), option("south")],
        methods: vec![PaymentMethod { id: "card".to_owned(), name: "Card ‘Visa’".to_owned() }],
        limits: Some((usd(1), usd(2))),
        expires_at: now() + seconds(60),
        created_at: now(),
    }
}

/// The same with nothing set that may be left out.
pub(crate) fn bare_fiat_quote() -> FiatQuote {
    let mut quote = fiat_quote();
    quote.ask.amount = WantedAmount::Pay(usd(5_000));
    quote.ask = FiatAsk {
        provider: None,
        method: None,
        refund_to: None,
        slippage_bps: None,
        country: None,
        ..quote.ask
    };
    FiatQuote { fees: Vec::new(), forwarding_options: Vec::new(), methods: Vec::new(), limits: None, ..quote }
}

/// A purchase with nothing set that may be left out.
pub(crate) fn fiat_order(quote: &FiatQuote) -> FiatOrder {
    FiatOrder {
        id: FiatOrderId::random().unwrap(),
        key: key(),
        quote: quote.id.clone(),
        provider: quote.provider.clone(),
        provider_order: None,
        status: FiatStatus::Created,
        author: evm(AUTHOR),
        recipient: evm("0x00000000000000000000000000000000000000dd"),
        refund_to: Address::Solana([8; 32]),
        pays: quote.pays,
        target: quote.ask.target,
        sold: quote.sold,
        sold_amount: quote.sold_amount,
        expected: quote.expected,
        least: quote.least,
        strategy: Strategy::Direct,
        widget_url: String::new(),
        origin: None,
        integrator: None,
        metadata: None,
        payout: None,
        output: None,
        fill_tx: None,
        failure: None,
        pay_by: now() + seconds(600),
        due_at: Some(now()),
        created_at: now(),
        updated_at: now(),
        version: 0,
    }
}

pub(crate) fn jump_plan() -> ForwardingPlan {
    let word = B256::repeat_byte;
    ForwardingPlan {
        order: ForwardingOrder {
            origin_chain_id: 8453,
            escrow: word(1),
            nonce: word(2),
            maker: word(3),
            input_token: word(4),
            refund_to: word(5),
            destination_chain_id: 42161,
            output_token: word(6),
            recipient: word(7),
            rate_in: U256::MAX,
            rate_out: U256::from(1),
            expiry: 1_900_000_000,
        },
        address: evm("0x00000000000000000000000000000000000000ee"),
        filler: "north".to_owned(),
        route: "north".parse().unwrap(),
        swap: None,
        returned_tx: None,
    }
}

pub(crate) fn payout(tx: &str, index: u64) -> Payout {
    Payout { token: base_usdc(), tx: tx.to_owned(), index, amount: RawAmount::new(U256::MAX) }
}

/// Sets every mutable field of a purchase.
pub(crate) fn complete(order: &mut FiatOrder) {
    order.provider_order = Some("their ‘name’".to_owned());
    order.status = FiatStatus::Failed;
    if let Strategy::Forwarding(plan) = &mut order.strategy {
        plan.swap = Some(OrderId::random().unwrap());
        plan.returned_tx = Some("0xreturned".to_owned());
    }
    "https://provider.example/checkout/1".clone_into(&mut order.widget_url);
    order.payout = Some(payout(order.id.as_str(), 9));
    order.output = Some(RawAmount::new(U256::MAX));
    order.fill_tx = Some("0xfilled".to_owned());
    order.failure = Some(FiatFailure {
        code: "swap_refunded".to_owned(),
        source: FiatFailureSource::Swap,
        message: "a ‘reason’".to_owned(),
    });
    order.due_at = None;
    order.updated_at += seconds(5);
}

pub(crate) fn fiat_event(order: &FiatOrder, status: Option<FiatStatus>) -> FiatEvent {
    FiatEvent { key: key(), order: order.id.clone(), status, detail: "because".to_owned(), at: now() }
}

/// Stores a quote and a purchase from it, changed as asked.
pub(crate) async fn bought(store: &Store, change: impl FnOnce(&mut FiatOrder)) -> FiatOrder {
    let quote = bare_fiat_quote();
    store.put_fiat_quotes(std::slice::from_ref(&quote)).await.unwrap();
    let mut order = fiat_order(&quote);
    change(&mut order);
    let event = fiat_event(&order, Some(order.status));
    assert_eq!(store.create_fiat_order(&order, &event).await.unwrap(), FiatCreation::Created);
    order
}
