//! Random sequences of steps over several orders; the money rules are checked after every step.
//!
//! `CAUSEWAY_PROGRAM_STEPS` and `CAUSEWAY_PROGRAM_SEED` set the length and the seed.

use std::collections::HashMap;

use alloy_primitives::{B256, U256};
use causeway_domain::{Attestation, ForwardingOrder, IntentTerms};
use causeway_solana::program::{BatchFill, Holding, OrderStatus};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use super::fixture::*;
use super::forwarding::{forwarding_order_for, give_back, maker, sign_open, sign_release, terms_of};

const DEFAULT_STEPS: u64 = 900;
const PEOPLE: [Address; 8] = [DEPLOYER, USER, FILLER, PAYEE, REFERRER, REFUND, RECIPIENT, STRANGER];

struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: u64) -> u64 {
        // A xorshift: a seed gives the same sequence everywhere.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }
}

/// An order with the state that the test expects.
struct TrackedOrder {
    coin: Coin,
    out: Option<Coin>,
    terms: IntentTerms,
    /// The forwarding order that it belongs to, if any.
    jump: Option<ForwardingOrder>,
    opened: bool,
    ended: Option<OrderStatus>,
    filled: bool,
    payer: Address,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Open,
    Arrive,
    Sweep,
    GiveBack,
    Fill,
    Claim,
    ClaimBatch,
    Waive,
    Expire,
    Unfilled,
    Redirect,
    CloseOrder,
    CloseFill,
    Jump,
    GiveBackJump,
    Wait,
    Add,
}

const ALL_STEPS: [Step; 17] = [
    Step::Open,
    Step::Arrive,
    Step::Sweep,
    Step::GiveBack,
    Step::Fill,
    Step::Claim,
    Step::ClaimBatch,
    Step::Waive,
    Step::Expire,
    Step::Unfilled,
    Step::Redirect,
    Step::CloseOrder,
    Step::CloseFill,
    Step::Jump,
    Step::GiveBackJump,
    Step::Wait,
    Step::Add,
];

fn from_env(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| value.parse().unwrap())
}

#[test]
fn rule_7_no_sequence_of_calls_breaks_the_money_rules() {
    let (steps, seed) =
        (from_env("CAUSEWAY_PROGRAM_STEPS", DEFAULT_STEPS), from_env("CAUSEWAY_PROGRAM_SEED", 0x5eed_0123));
    let mut rng = Rng(seed | 1);
    let mut fixture = ProgramFixture::new();
    let mut orders: Vec<TrackedOrder> = Vec::new();
    let mut done: HashMap<&'static str, u64> = HashMap::new();
    for step in 0..steps {
        if orders.len() < 4 || rng.below(20) == 0 {
            orders.push(new_order(&mut rng, &fixture, step));
        }
        let at = usize::try_from(rng.below(orders.len() as u64)).unwrap();
        let kind = choose(&mut rng, &orders[at]);
        let before = snapshot(&fixture);
        let held = forwarding_balances(&fixture, &orders);
        let outcome = perform(&mut rng, &mut fixture, &mut orders[at], kind);
        let after = snapshot(&fixture);
        let context = format!("seed {seed}, step {step}, {kind:?}, {outcome:?}");
        check_forwarding_balances(
            &held,
            &forwarding_balances(&fixture, &orders),
            (kind, at),
            &orders,
            &context,
        );
        if outcome == Some(false) {
            assert_eq!(before, after, "a refused call moved money: {context}");
        }
        check(&fixture, &mut orders, &context);
        check_gains(&before, &after, kind, &orders[at], &context);
        if outcome == Some(true) {
            *done.entry(name(kind)).or_default() += 1;
        }
        // The oldest orders are dropped, so that time does not outrun the others.
        if orders.len() > 12 {
            orders.remove(0);
        }
    }
    for kind in [
        Step::Open,
        Step::Sweep,
        Step::Fill,
        Step::Claim,
        Step::ClaimBatch,
        Step::Waive,
        Step::Expire,
        Step::CloseOrder,
        Step::Jump,
        Step::GiveBackJump,
    ] {
        assert!(done.contains_key(name(kind)), "{kind:?} never succeeded in {steps} steps: {done:?}");
    }
}

/// Mostly a step that is plausible in the current state, sometimes any step.
fn choose(rng: &mut Rng, order: &TrackedOrder) -> Step {
    use Step::{
        Add, Arrive, Claim, ClaimBatch, CloseFill, CloseOrder, Expire, Fill, GiveBack, GiveBackJump, Jump,
        Open, Redirect, Sweep, Unfilled, Wait, Waive,
    };
    match (rng.below(4), order.opened, order.ended) {
        (0, ..) => rng.one(&ALL_STEPS),
        (_, false, _) if order.jump.is_some() => {
            rng.one(&[Arrive, Arrive, Jump, Jump, Jump, Jump, GiveBackJump])
        }
        (_, false, _) => rng.one(&[Open, Arrive, Arrive, Sweep, Sweep, Sweep, GiveBack, Fill]),
        (_, true, None) => {
            let ends =
                [Fill, Claim, ClaimBatch, Waive, Expire, Unfilled, Redirect, Wait, Wait, Add, GiveBack];
            if rng.below(8) == 0 { rng.one(&[Arrive, Jump, GiveBackJump]) } else { rng.one(&ends) }
        }
        (_, true, Some(_)) => {
            rng.one(&[CloseOrder, CloseOrder, CloseFill, Arrive, Open, Jump, GiveBackJump, Claim, Wait])
        }
    }
}

fn name(kind: Step) -> &'static str {
    match kind {
        Step::Open => "open",
        Step::Sweep => "sweep",
        Step::Fill => "fill",
        Step::Claim => "claim",
        Step::ClaimBatch => "claim_batch",
        Step::Waive => "waive",
        Step::Expire => "expire",
        Step::CloseOrder => "close",
        Step::Jump => "jump",
        Step::GiveBackJump => "give_back_jump",
        _ => "other",
    }
}

fn new_order(rng: &mut Rng, fixture: &ProgramFixture, step: u64) -> TrackedOrder {
    let coin = rng.one(&Coin::ALL);
    let same = rng.below(2) == 0;
    let out = same.then(|| rng.one(&Coin::ALL));
    let mut terms = out.map_or(terms_to_other_chain(coin), |out| terms_within_solana(coin, out));
    terms.nonce = B256::from(U256::from(step + 1));
    terms.amount_in = U256::from(1_000_000 + rng.below(1_000_000));
    terms.amount_out = U256::from(1_000_000 + rng.below(1_000_000));
    if rng.below(2) == 0 {
        terms.referrer = word(REFERRER);
        terms.referrer_fee = U256::from(rng.below(1_000_000));
    }
    terms.open_deadline = fixture.now + 200;
    terms.fill_deadline = fixture.now + 400;
    terms.refund_at = fixture.now + 400 + MIN_GRACE;
    let jump = (rng.below(3) == 0).then(|| {
        let better = terms.amount_out + U256::from(rng.below(8) / 7);
        let nonce = terms.nonce;
        ForwardingOrder {
            nonce,
            rate_out: better,
            expiry: fixture.now + 50 + rng.below(250),
            ..forwarding_order_for(&terms)
        }
    });
    let terms = jump.map_or(terms, |jump| terms_of(&jump, &terms));
    TrackedOrder { coin, out, terms, jump, opened: false, ended: None, filled: false, payer: USER }
}

/// Performs a step, sometimes with a wrong account. Returns whether it succeeded.
fn perform(
    rng: &mut Rng,
    fixture: &mut ProgramFixture,
    order: &mut TrackedOrder,
    kind: Step,
) -> Option<bool> {
    let TrackedOrder { coin, terms, .. } = *order;
    let (program, id) = (coin.program(), terms.id());
    let deposit = order.jump.map_or_else(|| PROGRAM.deposit(id), |jump| PROGRAM.jump_address(&jump));
    let caller = rng.one(&PEOPLE);
    let instruction = match kind {
        Step::Wait => {
            let later = fixture.now + rng.below(100);
            fixture.set_time(later);
            return None;
        }
        Step::Arrive => {
            let amount = 900_000 + rng.below(1_500_000);
            fixture.put(coin, deposit, fixture.balance(coin, deposit) + amount);
            return None;
        }
        Step::Add => {
            let vault = PROGRAM.vault(id);
            if coin == Coin::Sol || fixture.data(vault).is_empty() {
                return None;
            }
            let held = fixture.escrowed(coin, id) + rng.below(100);
            let data = super::tokens::token_data(coin.mint(), vault, held, &[]);
            fixture.put_data(vault, program.unwrap(), data);
            return None;
        }
        // Signatures are not verified in this test, and nobody has the key of a forwarding address.
        Step::Open if order.jump.is_some() => return None,
        Step::Open => PROGRAM.open(&terms, USER, coin.source(USER)),
        Step::Sweep => PROGRAM.sweep(&terms, caller, coin.source(deposit)),
        Step::GiveBack => {
            let holding = program.map(|token_program| Holding {
                account: coin.account(deposit),
                mint: coin.mint(),
                token_program,
                close: rng.below(2) == 0,
            });
            PROGRAM.give_back(&terms, holding)
        }
        Step::Fill => {
            let out = order.out?;
            PROGRAM.fill(&terms, FILLER, out.source(FILLER))
        }
        Step::Claim if terms.is_same_chain() => PROGRAM.claim_recorded(&terms, program),
        Step::Claim => {
            let fill = (fixture.now.min(terms.fill_deadline), B256::ZERO);
            let attestation = Attestation::Filled { order: id, filled_at: fill.0, fill_ref: fill.1 };
            let signers: &[usize] = if rng.below(3) == 0 { &[0, 4] } else { &[0, 2] };
            PROGRAM.claim(&terms, program, fill, &fixture.attest(&attestation, signers))
        }
        // The order twice, of which the second is skipped; anything that the batch names wrongly refuses it as a whole.
        Step::ClaimBatch => {
            let (filled_at, fill_ref) = (fixture.now.min(terms.fill_deadline), B256::ZERO);
            let is_closed = rng.below(4) == 0;
            let fills = [BatchFill { terms: &terms, filled_at, fill_ref, is_closed }; 2];
            let signers: &[usize] = if rng.below(3) == 0 { &[0, 4] } else { &[0, 2] };
            let signed = fixture.sign(PROGRAM.batch_digest(&[(id, filled_at, fill_ref); 2]), signers);
            PROGRAM.claim_batch(&fills, program, &signed).unwrap()
        }
        Step::Waive => PROGRAM.refund(&terms, AccountMeta::new_readonly(FILLER, true), program),
        Step::Expire => PROGRAM.refund(&terms, AccountMeta::new_readonly(caller, false), program),
        Step::Unfilled => {
            let time = terms.fill_deadline + rng.below(2);
            let attestation = Attestation::Unfilled { order: id, destination_time: time };
            PROGRAM.refund_unfilled(&terms, program, time, &fixture.attest(&attestation, &[1, 2]))
        }
        Step::Redirect => PROGRAM.refund_to(&terms, caller, coin.account(REFUND), program),
        Step::CloseOrder => PROGRAM.close_order(&terms, order.payer, program),
        Step::CloseFill => PROGRAM.close_fill(id, FILLER),
        Step::Jump => {
            let jump = order.jump?;
            let signature = match rng.below(6) {
                0 => sign_open(&fixture.attesters[0], &jump, &terms),
                1 => sign_release(&maker(), &jump),
                _ => sign_open(&maker(), &jump, &terms),
            };
            PROGRAM.jump(&jump, &terms, caller, coin.source(deposit), &signature)
        }
        Step::GiveBackJump => {
            let jump = order.jump?;
            let signature = match rng.below(4) {
                0 => Some(sign_release(&fixture.attesters[0], &jump)),
                1 => Some(sign_release(&maker(), &jump)),
                _ => None,
            };
            let released = fixture.now > jump.expiry || signature == Some(sign_release(&maker(), &jump));
            let instruction = give_back(coin, &jump, rng.below(2) == 0, signature.as_ref());
            let done = fixture.send(maybe_corrupt(rng, instruction)).is_ok();
            assert!(
                released || !done,
                "a forwarding balance was returned without the maker before its expiry"
            );
            return Some(done);
        }
    };
    Some(fixture.send(maybe_corrupt(rng, instruction)).is_ok())
}

/// Replaces one account by a wrong one in one of six cases.
fn maybe_corrupt(rng: &mut Rng, mut instruction: Instruction) -> Instruction {
    if rng.below(6) == 0 {
        let place = usize::try_from(rng.below(instruction.accounts.len() as u64)).unwrap();
        let coin = rng.one(&Coin::ALL);
        let person = rng.one(&PEOPLE);
        instruction.accounts[place].pubkey = coin.account(person);
    }
    instruction
}

fn snapshot(fixture: &ProgramFixture) -> Vec<(Coin, Address, u64)> {
    let pairs = PEOPLE.into_iter().flat_map(|person| Coin::ALL.map(|coin| (coin, person)));
    pairs.map(|(coin, person)| (coin, person, fixture.balance(coin, person))).collect()
}

/// The balance at the forwarding address of each order.
fn forwarding_balances(fixture: &ProgramFixture, orders: &[TrackedOrder]) -> Vec<u64> {
    let held = |order: &TrackedOrder| {
        order.jump.map_or(0, |jump| fixture.balance(order.coin, PROGRAM.jump_address(&jump)))
    };
    orders.iter().map(held).collect()
}

/// Money leaves a forwarding address only into an order of it or to its refund address.
fn check_forwarding_balances(
    before: &[u64],
    after: &[u64],
    (kind, at): (Step, usize),
    orders: &[TrackedOrder],
    context: &str,
) {
    for (place, (had, has)) in before.iter().zip(after).enumerate() {
        if has >= had {
            continue;
        }
        assert!(
            place == at && matches!(kind, Step::Jump | Step::GiveBackJump),
            "a forwarding address lost money: {context}"
        );
        if kind == Step::Jump && orders[at].coin != Coin::Sol {
            assert_eq!(U256::from(had - has), orders[at].terms.amount_in, "{context}");
        }
    }
}

/// The escrow holds every open order in full, and an order ends once, in one way.
fn check(fixture: &ProgramFixture, orders: &mut [TrackedOrder], context: &str) {
    for order in orders {
        let id = order.terms.id();
        let Some(account) = fixture.svm.get_account(&PROGRAM.order(id)) else { continue };
        if account.owner != PROGRAM.id {
            assert!(order.ended.is_some() || !order.opened, "an open order vanished: {context}");
            continue;
        }
        let state = fixture.order(id);
        order.opened = true;
        order.payer = state.payer;
        assert_eq!(state.terms, order.terms, "{context}");
        if let Some(jump) = order.jump {
            assert!(jump.matches(&state.terms), "opened below the jump's rate: {context}");
            assert!(state.opened_at <= jump.expiry, "opened past the jump's expiry: {context}");
        }
        match (state.status, order.ended) {
            (OrderStatus::Open, ended) => {
                assert_eq!(ended, None, "an order became open again: {context}");
                let held = fixture.escrowed(order.coin, id);
                assert!(U256::from(held) >= order.terms.amount_in, "an open order is short: {context}");
            }
            (end, None) => {
                let refunded = matches!(end, OrderStatus::Refunded(_));
                let is_same_chain = order.terms.is_same_chain();
                assert!(
                    !(is_same_chain && refunded && order.filled),
                    "refunded what was delivered: {context}"
                );
                order.ended = Some(end);
            }
            (end, Some(known)) => assert_eq!(end, known, "{context}"),
        }
        order.filled |=
            fixture.svm.get_account(&PROGRAM.fill_marker(id)).is_some_and(|one| one.owner == PROGRAM.id);
        let claimed = order.ended == Some(OrderStatus::Claimed);
        assert!(
            !(order.terms.is_same_chain() && claimed && !order.filled),
            "paid without a delivery: {context}"
        );
    }
}

/// Only parties of the order gain, each in its role, and payers of rent.
fn check_gains(
    before: &[(Coin, Address, u64)],
    after: &[(Coin, Address, u64)],
    kind: Step,
    order: &TrackedOrder,
    context: &str,
) {
    for ((coin, person, had), (_, _, has)) in before.iter().zip(after) {
        if has <= had {
            continue;
        }
        let close = [order.payer, REFUND];
        let allowed: &[Address] = match kind {
            Step::Claim | Step::ClaimBatch => &[PAYEE, REFERRER],
            Step::Fill => &[RECIPIENT],
            Step::CloseOrder => &close,
            Step::CloseFill => &[FILLER],
            _ => &[REFUND],
        };
        assert!(allowed.contains(person), "{person} gained {} {coin:?}: {context}", has - had);
        let gain = U256::from(has - had);
        if matches!(kind, Step::Claim | Step::ClaimBatch) {
            let fee = order.terms.referrer_fee;
            let dues = [order.terms.amount_in, order.terms.amount_in - fee, fee];
            assert!(dues.contains(&gain), "{person} gained {gain}: {context}");
        }
    }
}
