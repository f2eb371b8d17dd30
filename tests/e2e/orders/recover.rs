use alloy_primitives::U256;
use causeway_domain::ports::{Care, FactStore as _, OrderStore as _};
use causeway_domain::{Decision, Fact, Order, OrderStatus, RefundCause};
use causeway_store::Store;
use futures::{StreamExt as _, stream};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::audit::{audit, books, settle};
use super::book::book_agrees;
use super::chains::{BASE, CHAINS, Chains, ETHEREUM, usdc};
use super::desk::Desk;
use super::dice::{Dice, number, seed};
use super::payer::{Fate, Payer, Way, Wish};
use super::solana::{SOL, SOLANA};
use super::survive::drain;
use super::wishes::{hopeless_solana_wish, hopeless_wish, wish};

/// Orders that are deposited long after they were built are taken, and the book is told at once.
const CONFIG: &str = "[orders]\nopen_slack_seconds = 7200\nintent_book_seconds = 1\n";

/// How many payers are at it side by side.
const LANES: usize = 4;

/// The blocks that make everything before them stand.
const DEEP: u64 = 4;

/// Everybody, by what the loss of the store catches them in.
struct Cast {
    /// Filled, refunded or never deposited, all before the loss.
    ended: Vec<Payer>,
    /// Deposits that come while the service is there, which is killed at any moment after.
    racing: Vec<Payer>,
    /// Deposits that come while there is no service.
    orphaned: Vec<Payer>,
    /// Built before the loss, deposited after the recovery.
    late: Vec<Payer>,
}

fn open_wish(from: u64, to: u64, dice: &mut Dice) -> Wish {
    let token = |chain| if chain == SOLANA { SOL } else { usdc(chain) };
    let units = if from == SOLANA { 300_000_000 } else { 30_000_000 };
    let amount = U256::from(units + dice.below(units));
    Wish { from: (from, token(from)), to: (to, token(to)), amount, way: Way::Silent, fate: Fate::Filled }
}

impl Cast {
    fn new(orders: u64, seed: u64) -> Self {
        let mut dice = Dice::new(seed, "recover");
        let orders = usize::try_from(orders).unwrap();
        let refunded = orders.div_ceil(7);
        let open = orders.div_ceil(10);
        let mut cast = Self { ended: Vec::new(), racing: Vec::new(), orphaned: Vec::new(), late: Vec::new() };
        for number in 0..orders.saturating_sub(3 * open) {
            let mut wish = match number {
                0 => hopeless_solana_wish(&mut dice),
                number if number < refunded => hopeless_wish(&mut dice),
                number => wish(number - refunded, &mut dice),
            };
            if number == orders / 2 {
                (wish.fate, wish.way) = (Fate::Unseen, Way::Call);
            }
            cast.ended.push(Payer::new(wish, &mut dice));
        }
        for number in 0..open {
            let [evm, other] = [CHAINS[number % 4], CHAINS[(number + 1) % 4]];
            let (from, to) = if number % 2 == 0 { (SOLANA, evm) } else { (evm, SOLANA) };
            cast.orphaned.push(Payer::new(open_wish(from, to, &mut dice), &mut dice));
            cast.racing.push(Payer::new(
                open_wish(evm, if number % 2 == 0 { other } else { SOLANA }, &mut dice),
                &mut dice,
            ));
            // What is built on Solana is dead before the store is back.
            cast.late.push(Payer::new(open_wish(evm, other, &mut dice), &mut dice));
        }
        cast
    }

    fn all(&self) -> impl Iterator<Item = &Payer> {
        self.ended.iter().chain(&self.racing).chain(&self.orphaned).chain(&self.late)
    }
}

/// What the store knew of an order, and what it knew from the chains.
pub(super) type Known = (Order, Vec<(Fact, Care)>);

pub(super) async fn known(store: &Store, payer: &Payer) -> Option<Known> {
    let intent = payer.deal().intent;
    let order = store.order_of_intent(intent).await.unwrap()?;
    Some((order, store.facts(intent).await.unwrap()))
}

/// All that the chain knows of an order which has ended, field by field.
pub(super) fn assert_same(before: &Known, after: &Known) {
    assert_same_terms(&before.0, &after.0);
    let (old, new) = (&before.0, &after.0);
    let id = &old.id;
    assert_eq!(old.status, new.status, "{id}");
    assert_eq!(old.announced, new.announced, "{id}");
    assert_eq!(old.evidence, new.evidence, "{id}");
    assert_eq!(old.deposit_tx(), new.deposit_tx(), "{id}");
    let decision = match &old.evidence {
        evidence if evidence.fill.is_some() => Some(Decision::Fill),
        evidence if matches!(evidence.refund, Some((_, RefundCause::Waived))) => Some(Decision::Waive),
        _ => new.decision,
    };
    assert_eq!((old.decision, new.decision), (decision, decision), "{id}");
    assert_eq!(before.1, after.1, "the facts of {id}");
}

/// What an order's terms and its way into the escrow tell, which no loss changes.
fn assert_same_terms(old: &Order, new: &Order) {
    assert_eq!(old.id, new.id);
    let id = &old.id;
    assert_eq!(old.intent, new.intent, "{id}");
    assert_eq!(old.terms, new.terms, "{id}");
    assert_eq!((old.from, old.to), (new.from, new.to), "{id}");
    assert_eq!((old.src_amount, old.dest_amount), (new.src_amount, new.dest_amount), "{id}");
    assert_eq!(old.author, new.author, "{id}");
    assert_eq!(old.recipient, new.recipient, "{id}");
    assert_eq!(old.refund_to, new.refund_to, "{id}");
    assert_eq!((&old.filler, &old.kind), (&new.filler, &new.kind), "{id}");
    assert_eq!(old.method, new.method, "{id}");
    assert_eq!(old.deposit_address, new.deposit_address, "{id}");
    assert_eq!(old.jump, new.jump, "{id}");
    assert_eq!(old.valid_before.as_second(), new.valid_before.as_second(), "{id}");
}

async fn deposit(payers: &mut [Payer], chains: &Chains, desk: &Desk) {
    let (tell, _) = broadcast::channel(64);
    stream::iter(payers)
        .for_each_concurrent(LANES, async |payer| {
            if payer.deal.is_none() {
                payer.build(desk).await;
            }
            if payer.wish.fate != Fate::Unseen {
                payer.deposit(chains, desk, &tell).await;
            }
        })
        .await;
}

pub(super) fn recover(desk: &Desk) -> (bool, String) {
    let output = desk.run(&["recover", "--from-chain"]);
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

/// Has those whom nobody can serve later build their deposits, and takes from the fillers what they would be served with.
async fn prepare(cast: &mut Cast, chains: &Chains, desk: &Desk) {
    stream::iter(cast.all()).for_each_concurrent(LANES, |payer| payer.fund(chains)).await;
    for payer in cast.ended.iter_mut().filter(|payer| payer.wish.fate == Fate::Refunded) {
        payer.build(desk).await;
    }
    drain(chains, desk).await;
}

/// Plays everybody up to the loss, and tells what the store knew of them.
async fn play(cast: &mut Cast, chains: &Chains, desk: &Desk, seed: u64) -> Vec<Option<Known>> {
    deposit(&mut cast.ended, chains, desk).await;
    settle(chains, desk, &cast.ended, seed).await;
    book_agrees(chains, desk, &cast.ended.iter().collect::<Vec<_>>()).await;
    for payer in cast.late.iter_mut().chain(&mut cast.orphaned) {
        payer.build(desk).await;
    }
    deposit(&mut cast.racing, chains, desk).await;
    tokio::time::sleep(Dice::new(seed, "loss").milliseconds(2_500)).await;
    desk.kill();
    deposit(&mut cast.orphaned, chains, desk).await;
    // What does not stand yet would be taken in by the service instead.
    for chain in CHAINS.into_iter().chain([SOLANA]) {
        chains.control(chain, json!({ "action": "mine", "blocks": DEEP })).await;
    }
    let store = desk.store().await;
    let mut before = Vec::new();
    for payer in cast.all() {
        before.push(known(&store, payer).await);
    }
    store.close().await;
    before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_chains_alone_give_every_order_back_and_open_ones_go_on_to_their_end() {
    let (orders, seed) = (number("CAUSEWAY_ORDERS").unwrap_or(20), seed());
    eprintln!("CAUSEWAY_SEED={seed}: {orders} orders");
    let chains = Chains::start();
    let desk = Desk::start(&chains.base, CONFIG);
    let mut cast = Cast::new(orders, seed);
    prepare(&mut cast, &chains, &desk).await;
    let before_books = books(&chains).await;
    let before = play(&mut cast, &chains, &desk, seed).await;

    for end in ["", "-wal", "-shm"] {
        let file = format!("{}{end}", desk.database().display());
        let _ = std::fs::remove_file(file);
    }
    assert!(!desk.database().exists());
    let (done, words) = recover(&desk);
    assert!(done, "seed {seed}: {words}");
    eprintln!("{words}");
    let after = compare(&cast, &desk, &before, seed).await;
    let (done, again) = recover(&desk);
    assert!(done && again.contains("were there already"), "seed {seed}: {again}");
    assert_eq!(
        compare(&cast, &desk, &before, seed).await,
        after,
        "seed {seed}: the second time changes nothing"
    );

    desk.revive();
    deposit(&mut cast.late, &chains, &desk).await;
    let all: Vec<Payer> = [cast.ended, cast.racing, cast.orphaned, cast.late].into_iter().flatten().collect();
    settle(&chains, &desk, &all, seed).await;
    book_agrees(&chains, &desk, &all.iter().collect::<Vec<_>>()).await;
    for (payer, before) in all.iter().zip(&before).filter(|(payer, _)| payer.wish.fate != Fate::Unseen) {
        found_again(&desk, payer, &before.as_ref().unwrap().0).await;
    }
    refuses_a_store_in_use(&chains, &desk, seed).await;
    audit(&chains, &desk, &all, &before_books, seed).await;
}

/// Holds what came back against what was known. What is open may have moved between the two, though never its terms.
async fn compare(cast: &Cast, desk: &Desk, before: &[Option<Known>], seed: u64) -> Vec<Option<Known>> {
    let store = desk.store().await;
    let mut after = Vec::new();
    for (place, (payer, before)) in cast.all().zip(before).enumerate() {
        let now = known(&store, payer).await;
        let before = before.as_ref().unwrap_or_else(|| panic!("seed {seed}: {payer:?} had no order"));
        let is_late = cast.late.iter().any(|late| std::ptr::eq(late, payer));
        match &now {
            // No chain knows what was never deposited.
            None => assert!(is_late || payer.wish.fate == Fate::Unseen, "seed {seed}: {payer:?} is lost"),
            Some(now) if place < cast.ended.len() => assert_same(before, now),
            Some(now) => {
                assert!(!is_late, "seed {seed}: {payer:?} was not on the chain");
                assert_same_terms(&before.0, &now.0);
                assert_ne!(
                    now.0.status,
                    OrderStatus::Created,
                    "seed {seed}: the deposit of {payer:?} stands"
                );
            }
        }
        after.push(now);
    }
    store.close().await;
    after
}

/// The order answers to its name, its intent and its deposit's transaction, as ever.
async fn found_again(desk: &Desk, payer: &Payer, before: &Order) {
    let order = desk.get(&format!("/v1/orders/by-id/{}", before.id)).await;
    let intent = json!(payer.deal().intent.to_string());
    assert_eq!(order["intentId"], intent);
    let deposit = desk.get(&format!("/v1/intent/{}", payer.deal().intent)).await["deposits"][0].clone();
    let tx = deposit["txHash"].as_str().unwrap();
    let found = desk.get(&format!("/v1/intent/deposit?chainId={}&txHash={tx}", payer.wish.from.0)).await;
    assert_eq!(found["intentId"], intent);
}

async fn refuses_a_store_in_use(chains: &Chains, desk: &Desk, seed: u64) {
    let running = recover(desk);
    assert!(!running.0 && running.1.contains("another causeway is running"), "seed {seed}: {}", running.1);
    let mut dice = Dice::new(seed, "one more");
    let wish = Wish { fate: Fate::Unseen, ..open_wish(BASE, ETHEREUM, &mut dice) };
    let mut payer = Payer::new(wish, &mut dice);
    payer.fund(chains).await;
    payer.build(desk).await;
    desk.kill();
    let (done, words) = recover(desk);
    assert!(!done && words.contains("recovery fills empty stores only"), "seed {seed}: {words}");
    desk.revive();
    let missing = desk.ask(Method::GET, &format!("/v1/intent/{}", payer.deal().intent), &Value::Null).await;
    assert!(missing.is_err(), "seed {seed}: what was refused has changed nothing");
}
