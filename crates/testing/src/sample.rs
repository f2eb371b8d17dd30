//! Orders and the values in them.

use std::sync::LazyLock;

use alloy_primitives::{Address as EvmAddress, B256, U256};
use causeway_domain::ports::{FinalityTier, Offer};
use causeway_domain::{
    Address, Ask, ChainId, ConfirmedTx, DepositMethod, EventKind, Evidence, IntentTerms, Order, OrderEvent,
    OrderId, OrderStatus, Quote, QuoteId, QuoteKey, QuoteKeys, RawAmount, RouteSeal, RowKey, TokenId,
    TradeType,
};
use jiff::{SignedDuration, Timestamp};

pub const WALLET: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// Creation time of the test orders.
const START: u64 = 1_794_744_000;

pub fn chain(id: u64) -> ChainId {
    ChainId::new(id).unwrap()
}

pub fn usdc() -> TokenId {
    TokenId::new(chain(8453), "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").unwrap()
}

pub fn raw(amount: u64) -> RawAmount {
    RawAmount::new(U256::from(amount))
}

/// The quote keys of tests.
pub fn quote_keys() -> QuoteKeys {
    QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() }
}

/// The id of a route of the filler `house`, valid for so long from the first call on.
pub fn seal(id: &str, ask: &Ask, offer: &Offer, seconds: i64) -> String {
    seal_with(&quote_keys(), id, ask, offer, seconds)
}

/// The same with other keys.
pub fn seal_with(keys: &QuoteKeys, id: &str, ask: &Ask, offer: &Offer, seconds: i64) -> String {
    static NOW: LazyLock<Timestamp> = LazyLock::new(Timestamp::now);
    let valid_before = *NOW + SignedDuration::from_secs(seconds);
    let quote = Quote { id: id.parse().unwrap(), ask: ask.clone(), integrator: None, routes: Vec::new() };
    let offer = Offer { valid_before, ..offer.clone() };
    RouteSeal::new(keys).seal(&quote, "house", "native-filler", &offer).unwrap().to_string()
}

pub fn at(seconds: u64) -> Timestamp {
    Timestamp::from_second((START + seconds).try_into().unwrap()).unwrap()
}

/// Evidence from a chain, this many seconds after the start.
pub fn shown(on: u64, seconds: u64, amount: RawAmount) -> ConfirmedTx {
    let tx = B256::repeat_byte(u8::try_from(seconds).unwrap()).to_string();
    ConfirmedTx { chain: chain(on), tx, block: 40 + seconds, time: START + seconds, amount }
}

/// The `n`th order of the wallet: 1000 USDC on Base for 0.285 ETH on Ethereum, announced and not deposited.
pub fn order(n: u8) -> Order {
    let wallet = Address::parse_any(WALLET).unwrap();
    let (from, to) = (usdc(), TokenId::native(chain(1)));
    let (src_amount, dest_amount) = (raw(1_000_000_000), raw(285_000_000_000_000_000));
    let terms = IntentTerms {
        origin_chain_id: 8453,
        escrow: EvmAddress::repeat_byte(0xe5).into_word(),
        user: wallet.to_word(),
        nonce: B256::repeat_byte(n),
        input_token: from.address().to_word(),
        amount_in: src_amount.get(),
        refund_to: wallet.to_word(),
        filler: EvmAddress::repeat_byte(0xf1).into_word(),
        payee: EvmAddress::repeat_byte(0xf2).into_word(),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: 1,
        settler: EvmAddress::repeat_byte(0x5e).into_word(),
        output_token: to.address().to_word(),
        amount_out: dest_amount.get(),
        recipient: wallet.to_word(),
        open_deadline: START + 630,
        fill_deadline: START + 1_530,
        refund_at: START + 23_130,
        epoch: 3,
    };
    Order {
        id: format!("{n:032x}").parse().unwrap(),
        key: RowKey::new(1_000 + i64::from(n)).unwrap(),
        quote: format!("{n:044x}").parse().unwrap(),
        route: "house".parse().unwrap(),
        status: OrderStatus::Created,
        trade_type: TradeType::ExactInput,
        from,
        to,
        src_amount,
        dest_amount,
        author: wallet,
        recipient: wallet,
        refund_to: wallet,
        filler: "house".to_owned(),
        kind: "native-filler".to_owned(),
        filler_quote: None,
        integrator: None,
        method: DepositMethod::ContractCall,
        intent_id: terms.id(),
        terms,
        deposit_address: None,
        forwarding: None,
        provider: None,
        valid_before: at(30),
        finality_tier: FinalityTier::Large,
        announced: true,
        submitted_tx: None,
        built: None,
        signed_payload: None,
        decision: None,
        evidence: Evidence::default(),
        failure_reason: None,
        due_at: None,
        created_at: at(0),
        updated_at: at(0),
        version: 0,
    }
}

/// An order with these terms and ids of its own, created then; everything else is as in [`order`].
pub fn order_of(terms: IntentTerms, at: Timestamp) -> Order {
    Order {
        id: OrderId::random().unwrap(),
        key: RowKey::floor_at(at),
        quote: QuoteId::random().unwrap(),
        intent_id: terms.id(),
        terms,
        finality_tier: FinalityTier::Standard,
        created_at: at,
        updated_at: at,
        ..order(1)
    }
}

/// The order in the last of the statuses with its events: a note, and a status every ten seconds.
pub fn with_history(mut order: Order, statuses: &[OrderStatus]) -> (Order, Vec<OrderEvent>) {
    let event = |n: usize, kind: EventKind| OrderEvent {
        key: RowKey::new(n.try_into().unwrap()).unwrap(),
        order: order.id.clone(),
        kind,
        detail: "detail".to_owned(),
        at: order.created_at + SignedDuration::from_secs(10 * i64::try_from(n).unwrap()),
    };
    let mut events = vec![event(0, EventKind::Note)];
    events.extend(statuses.iter().enumerate().map(|(n, status)| event(n, EventKind::Status(*status))));
    order.status = *statuses.last().unwrap();
    order.updated_at = events.last().unwrap().at;
    (order, events)
}
