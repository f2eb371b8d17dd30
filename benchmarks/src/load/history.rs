use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, B256, U256, keccak256};
use causeway_domain::ports::{FinalityTier, OrderQuery, OrderSearch, OrderStore as _, SearchTerm};
use causeway_domain::{
    Address, ChainId, ConfirmedTx, Decision, DepositMethod, EventKind, Evidence, IntentTerms, Order,
    OrderEvent, OrderId, OrderStatus, QuoteId, RawAmount, RowKeys, TokenId, TradeType,
};
use causeway_store::{Location, Store};
use futures::{StreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};

use crate::load::Scale;
use crate::load::stand::fresh_database;

/// Orders that are written at a time: they share commits.
const AT_A_TIME: usize = 512;
/// How often each question is asked.
const ROUNDS: u32 = 20;
/// How many due orders a worker claims.
const CLAIMED: u32 = 100;

/// How long the questions of a running service take with more and more orders behind it.
pub(crate) async fn measure(scale: &Scale) {
    println!(
        "| store | finished | open | list | search | claim due | transfers | owed | counts | events | start | size an order |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("history.db");
    measure_in("SQLite", &Location::Sqlite(file.clone()), scale, || {
        std::fs::metadata(&file).map_or(0, |file| file.len())
    })
    .await;
    match fresh_database() {
        Some(url) => {
            let location = Location::Postgres(url.parse().expect("an address"));
            measure_in("PostgreSQL", &location, scale, || 0).await;
        }
        None => eprintln!("PostgreSQL is left out: set CAUSEWAY_TEST_POSTGRES"),
    }
}

async fn measure_in(name: &str, location: &Location, scale: &Scale, size: impl Fn() -> u64) {
    let keys = RowKeys::new(0);
    let (mut finished, mut open) = (0, 0);
    for target in scale.histories {
        let store = Store::open(location).await.expect("the store opens");
        let empty = size();
        let (from, from_open) = (finished, open);
        (finished, open) = (*target, *target / 10);
        let numbers = (from..finished).map(|number| (number, true));
        let numbers = numbers.chain((from_open..open).map(|number| (number, false)));
        stream::iter(numbers)
            .map(|(number, is_finished)| create(&store, &keys, number, is_finished))
            .buffer_unordered(AT_A_TIME)
            .for_each(|()| async {})
            .await;
        store.close().await;
        let grown = size().saturating_sub(empty) / (finished + open - from - from_open).max(1);
        let started = Instant::now();
        let store = Store::open(location).await.expect("the store opens");
        let start = started.elapsed();
        let [list, search, claim, transfers, owed, counts, events] = ask(&store).await;
        store.close().await;
        println!(
            "| {name} | {finished} | {open} | {list:.1?} | {search:.1?} | {claim:.1?} | {transfers:.1?} | {owed:.1?} | {counts:.1?} | {events:.1?} | {start:.1?} | {} |",
            if grown == 0 { String::new() } else { format!("{grown} bytes") },
        );
    }
}

/// The mean time of each question.
async fn ask(store: &Store) -> [Duration; 7] {
    let mut times = [Duration::ZERO; 7];
    let author = author(7);
    for _ in 0..ROUNDS {
        let now = Timestamp::now();
        let recent = causeway_domain::RowKey::floor_at(now - SignedDuration::from_secs(1));
        let query = OrderQuery {
            author: Some(author),
            ids: Vec::new(),
            status: None,
            from_chain: None,
            to_chain: None,
            before: None,
            limit: 50,
        };
        let search = OrderSearch { term: SearchTerm::Address(author), before: None, limit: 50 };
        let started = Instant::now();
        store.orders(&query).await.expect("a list");
        let listed = started.elapsed();
        store.search_orders(&search).await.expect("a search");
        let searched = started.elapsed();
        // Their leases end at once, so that every round claims as many.
        store.claim_due(now, now, CLAIMED).await.expect("due orders");
        let claimed = started.elapsed();
        store.transfers(chain(1), None, None, 400).await.expect("transfers");
        let transferred = started.elapsed();
        store.owed().await.expect("what is owed");
        let owed = started.elapsed();
        store.fill_counts().await.expect("counts");
        let counted = started.elapsed();
        store.events_after(recent, 500).await.expect("events");
        let ends = [listed, searched, claimed, transferred, owed, counted, started.elapsed()];
        let mut begin = Duration::ZERO;
        for (time, end) in times.iter_mut().zip(ends) {
            *time += end.saturating_sub(begin) / ROUNDS;
            begin = end;
        }
    }
    times
}

fn chain(id: u64) -> ChainId {
    ChainId::new(id).expect("a chain id")
}

/// A thousand payers share the orders.
fn author(number: u64) -> Address {
    Address::Evm(EvmAddress::from_word(keccak256((number % 1_000).to_be_bytes())))
}

/// An order that is over, or one that waits for its deposit; one in a hundred of the latter is due.
async fn create(store: &Store, keys: &RowKeys, number: u64, is_finished: bool) {
    let now = Timestamp::now();
    let order = order(keys, number, is_finished, now);
    let status = EventKind::Status(OrderStatus::Created);
    let detail = "Built as CONTRACT_CALL.".to_owned();
    let event = OrderEvent { key: keys.next(now), order: order.id.clone(), kind: status, detail, at: now };
    store.create_order(&order, &event).await.expect("a write");
}

fn order(keys: &RowKeys, number: u64, is_finished: bool, now: Timestamp) -> Order {
    let word = |what: &str| keccak256(format!("{what} {number} {is_finished}"));
    let shown = |what: &str| {
        Some(ConfirmedTx {
            chain: chain(1),
            tx: word(what).to_string(),
            block: number,
            time: number,
            amount: RawAmount::new(U256::from(number)),
        })
    };
    let evidence =
        Evidence { deposit: shown("deposit"), fill: shown("fill"), claim: shown("claim"), refund: None };
    let terms = terms(word("nonce"), number);
    let hour = SignedDuration::from_hours(1);
    let due_at = if number.is_multiple_of(100) { now } else { now + hour };
    let is_transfer = !is_finished && number.is_multiple_of(4);
    Order {
        id: OrderId::random().expect("random bytes"),
        key: keys.next(now),
        quote: QuoteId::random().expect("random bytes"),
        route: format!("route-{number}-{is_finished}").parse().expect("an id"),
        status: if is_finished { OrderStatus::Filled } else { OrderStatus::Created },
        trade_type: TradeType::ExactInput,
        from: TokenId::native(chain(1)),
        to: TokenId::native(chain(8_453)),
        src_amount: RawAmount::new(terms.amount_in),
        dest_amount: RawAmount::new(terms.amount_out),
        author: author(number),
        recipient: author(number),
        refund_to: author(number),
        filler: "house".to_owned(),
        kind: "native-filler".to_owned(),
        filler_quote: None,
        integrator: None,
        method: if is_transfer { DepositMethod::Transfer } else { DepositMethod::ContractCall },
        intent_id: terms.id(),
        terms,
        deposit_address: is_transfer.then(|| Address::Evm(EvmAddress::from_word(word("address")))),
        forwarding: None,
        provider: None,
        valid_before: now,
        finality_tier: FinalityTier::Standard,
        announced: true,
        submitted_tx: Some(word("deposit").to_string()),
        built: None,
        signed_payload: None,
        decision: is_finished.then_some(Decision::Fill),
        evidence: if is_finished { evidence } else { Evidence::default() },
        failure_reason: None,
        due_at: (!is_finished).then_some(due_at),
        created_at: now,
        updated_at: now,
        version: 0,
    }
}

fn terms(nonce: B256, number: u64) -> IntentTerms {
    IntentTerms {
        origin_chain_id: 1,
        escrow: B256::repeat_byte(1),
        user: B256::repeat_byte(2),
        nonce,
        input_token: B256::ZERO,
        amount_in: U256::from(number + 1),
        refund_to: B256::repeat_byte(2),
        filler: B256::repeat_byte(3),
        payee: B256::repeat_byte(4),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: 8_453,
        settler: B256::repeat_byte(5),
        output_token: B256::ZERO,
        amount_out: U256::from(number + 1),
        recipient: B256::repeat_byte(2),
        open_deadline: 1,
        fill_deadline: 2,
        refund_at: 3,
        epoch: 1,
    }
}
