//! Random sequences over several orders and people, held against the money rules after every step.
//!
//! `CAUSEWAY_PROGRAM_STEPS` and `CAUSEWAY_PROGRAM_SEED` make it longer or another one.

use std::collections::HashMap;

use alloy_primitives::{B256, U256};
use causeway_domain::{Attestation, Jump, Terms};
use causeway_solana::program::{Holding, OrderStatus};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use super::bench::*;
use super::jumping::{back, jump_of, maker, open_word, order_of, release_word};

const STEPS: u64 = 600;
const PEOPLE: [Address; 8] = [DEPLOYER, USER, FILLER, PAYEE, REFERRER, REFUND, RECIPIENT, STRANGER];

struct Dice(u64);

impl Dice {
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

/// An order with what the chain is known to have done to it.
struct Known {
    coin: Coin,
    out: Option<Coin>,
    terms: Terms,
    /// Whose order it is, if it is one of a jump's.
    jump: Option<Jump>,
    opened: bool,
    ended: Option<OrderStatus>,
    filled: bool,
    payer: Address,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Open,
    Arrive,
    Sweep,
    GiveBack,
    Fill,
    Claim,
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

const DEEDS: [Deed; 16] = [
    Deed::Open,
    Deed::Arrive,
    Deed::Sweep,
    Deed::GiveBack,
    Deed::Fill,
    Deed::Claim,
    Deed::Waive,
    Deed::Expire,
    Deed::Unfilled,
    Deed::Redirect,
    Deed::CloseOrder,
    Deed::CloseFill,
    Deed::Jump,
    Deed::GiveBackJump,
    Deed::Wait,
    Deed::Add,
];

fn from_env(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| value.parse().unwrap())
}

#[test]
fn rule_7_no_sequence_of_calls_breaks_the_money_rules() {
    let (steps, seed) =
        (from_env("CAUSEWAY_PROGRAM_STEPS", STEPS), from_env("CAUSEWAY_PROGRAM_SEED", 0x5eed_0123));
    let mut dice = Dice(seed | 1);
    let mut bench = Bench::new();
    let mut orders: Vec<Known> = Vec::new();
    let mut done: HashMap<&'static str, u64> = HashMap::new();
    for step in 0..steps {
        if orders.len() < 4 || dice.below(20) == 0 {
            orders.push(new_order(&mut dice, &bench, step));
        }
        let at = usize::try_from(dice.below(orders.len() as u64)).unwrap();
        let deed = choose(&mut dice, &orders[at]);
        let before = snapshot(&bench);
        let held = waiting(&bench, &orders);
        let outcome = act(&mut dice, &mut bench, &mut orders[at], deed);
        let after = snapshot(&bench);
        let context = format!("seed {seed}, step {step}, {deed:?}, {outcome:?}");
        check_waiting(&held, &waiting(&bench, &orders), (deed, at), &orders, &context);
        if outcome == Some(false) {
            assert_eq!(before, after, "a refused call moved money: {context}");
        }
        check(&bench, &mut orders, &context);
        check_gainers(&before, &after, deed, &orders[at], &context);
        if outcome == Some(true) {
            *done.entry(name(deed)).or_default() += 1;
        }
        // Orders that are over and closed make room, so that time does not outrun the rest.
        if orders.len() > 12 {
            orders.remove(0);
        }
    }
    for deed in [
        Deed::Open,
        Deed::Sweep,
        Deed::Fill,
        Deed::Claim,
        Deed::Waive,
        Deed::Expire,
        Deed::CloseOrder,
        Deed::Jump,
        Deed::GiveBackJump,
    ] {
        assert!(done.contains_key(name(deed)), "{deed:?} never succeeded in {steps} steps: {done:?}");
    }
}

/// Mostly something that could make sense now, now and then anything.
fn choose(dice: &mut Dice, order: &Known) -> Deed {
    use Deed::{
        Add, Arrive, Claim, CloseFill, CloseOrder, Expire, Fill, GiveBack, GiveBackJump, Jump, Open,
        Redirect, Sweep, Unfilled, Wait, Waive,
    };
    match (dice.below(4), order.opened, order.ended) {
        (0, ..) => dice.one(&DEEDS),
        (_, false, _) if order.jump.is_some() => {
            dice.one(&[Arrive, Arrive, Jump, Jump, Jump, Jump, GiveBackJump])
        }
        (_, false, _) => dice.one(&[Open, Arrive, Arrive, Sweep, Sweep, Sweep, GiveBack, Fill]),
        (_, true, None) => {
            let ends = [Fill, Claim, Waive, Expire, Unfilled, Redirect, Wait, Wait, Add, GiveBack];
            if dice.below(8) == 0 { dice.one(&[Arrive, Jump, GiveBackJump]) } else { dice.one(&ends) }
        }
        (_, true, Some(_)) => {
            dice.one(&[CloseOrder, CloseOrder, CloseFill, Arrive, Open, Jump, GiveBackJump, Claim, Wait])
        }
    }
}

fn name(deed: Deed) -> &'static str {
    match deed {
        Deed::Open => "open",
        Deed::Sweep => "sweep",
        Deed::Fill => "fill",
        Deed::Claim => "claim",
        Deed::Waive => "waive",
        Deed::Expire => "expire",
        Deed::CloseOrder => "close",
        Deed::Jump => "jump",
        Deed::GiveBackJump => "give back a jump",
        _ => "other",
    }
}

fn new_order(dice: &mut Dice, bench: &Bench, step: u64) -> Known {
    let coin = dice.one(&Coin::ALL);
    let same = dice.below(2) == 0;
    let out = same.then(|| dice.one(&Coin::ALL));
    let mut terms = out.map_or(away(coin), |out| within(coin, out));
    terms.nonce = B256::from(U256::from(step + 1));
    terms.amount_in = U256::from(1_000_000 + dice.below(1_000_000));
    terms.amount_out = U256::from(1_000_000 + dice.below(1_000_000));
    if dice.below(2) == 0 {
        terms.referrer = word(REFERRER);
        terms.referrer_fee = U256::from(dice.below(1_000_000));
    }
    terms.open_deadline = bench.now + 200;
    terms.fill_deadline = bench.now + 400;
    terms.refund_at = bench.now + 400 + MIN_GRACE;
    let jump = (dice.below(3) == 0).then(|| {
        let better = terms.amount_out + U256::from(dice.below(8) / 7);
        let nonce = terms.nonce;
        Jump { nonce, rate_out: better, expiry: bench.now + 50 + dice.below(250), ..jump_of(&terms) }
    });
    let terms = jump.map_or(terms, |jump| order_of(&jump, &terms));
    Known { coin, out, terms, jump, opened: false, ended: None, filled: false, payer: USER }
}

/// Does a deed, with the right accounts or now and then a wrong one; says whether it went through.
fn act(dice: &mut Dice, bench: &mut Bench, order: &mut Known, deed: Deed) -> Option<bool> {
    let Known { coin, terms, .. } = *order;
    let (program, id) = (coin.program(), terms.id());
    let deposit = order.jump.map_or_else(|| PROGRAM.deposit(id), |jump| PROGRAM.jump_address(&jump));
    let caller = dice.one(&PEOPLE);
    let instruction = match deed {
        Deed::Wait => {
            let later = bench.now + dice.below(100);
            bench.set_time(later);
            return None;
        }
        Deed::Arrive => {
            let amount = 900_000 + dice.below(1_500_000);
            bench.put(coin, deposit, bench.holds(coin, deposit) + amount);
            return None;
        }
        Deed::Add => {
            let vault = PROGRAM.vault(id);
            if coin == Coin::Sol || bench.data(vault).is_empty() {
                return None;
            }
            let held = bench.escrowed(coin, id) + dice.below(100);
            let data = super::tokens::token_data(coin.mint(), vault, held, &[]);
            bench.put_data(vault, program.unwrap(), data);
            return None;
        }
        // Signatures are not looked at here, and nobody has the key of a jump's address.
        Deed::Open if order.jump.is_some() => return None,
        Deed::Open => PROGRAM.open(&terms, USER, coin.source(USER)),
        Deed::Sweep => PROGRAM.sweep(&terms, caller, coin.source(deposit)),
        Deed::GiveBack => {
            let holding = program.map(|token_program| Holding {
                account: coin.account(deposit),
                mint: coin.mint(),
                token_program,
                close: dice.below(2) == 0,
            });
            PROGRAM.give_back(&terms, holding)
        }
        Deed::Fill => {
            let out = order.out?;
            PROGRAM.fill(&terms, FILLER, out.source(FILLER))
        }
        Deed::Claim if terms.is_same_chain() => PROGRAM.claim_recorded(&terms, program),
        Deed::Claim => {
            let fill = (bench.now.min(terms.fill_deadline), B256::ZERO);
            let attestation = Attestation::Filled { order: id, filled_at: fill.0, fill_ref: fill.1 };
            let signers: &[usize] = if dice.below(3) == 0 { &[0, 4] } else { &[0, 2] };
            PROGRAM.claim(&terms, program, fill, &bench.attest(&attestation, signers))
        }
        Deed::Waive => PROGRAM.refund(&terms, AccountMeta::new_readonly(FILLER, true), program),
        Deed::Expire => PROGRAM.refund(&terms, AccountMeta::new_readonly(caller, false), program),
        Deed::Unfilled => {
            let time = terms.fill_deadline + dice.below(2);
            let attestation = Attestation::Unfilled { order: id, destination_time: time };
            PROGRAM.refund_unfilled(&terms, program, time, &bench.attest(&attestation, &[1, 2]))
        }
        Deed::Redirect => PROGRAM.refund_to(&terms, caller, coin.account(REFUND), program),
        Deed::CloseOrder => PROGRAM.close_order(&terms, order.payer, program),
        Deed::CloseFill => PROGRAM.close_fill(id, FILLER),
        Deed::Jump => {
            let jump = order.jump?;
            let word = match dice.below(6) {
                0 => open_word(&bench.attesters[0], &jump, &terms),
                1 => release_word(&maker(), &jump),
                _ => open_word(&maker(), &jump, &terms),
            };
            PROGRAM.jump(&jump, &terms, caller, coin.source(deposit), &word)
        }
        Deed::GiveBackJump => {
            let jump = order.jump?;
            let word = match dice.below(4) {
                0 => Some(release_word(&bench.attesters[0], &jump)),
                1 => Some(release_word(&maker(), &jump)),
                _ => None,
            };
            let released = bench.now > jump.expiry || word == Some(release_word(&maker(), &jump));
            let instruction = back(coin, &jump, dice.below(2) == 0, word.as_ref());
            let done = bench.send(spoil(dice, instruction)).is_ok();
            assert!(released || !done, "a jump's money went back without the maker before its expiry");
            return Some(done);
        }
    };
    Some(bench.send(spoil(dice, instruction)).is_ok())
}

/// One time in six, puts a wrong account somewhere.
fn spoil(dice: &mut Dice, mut instruction: Instruction) -> Instruction {
    if dice.below(6) == 0 {
        let place = usize::try_from(dice.below(instruction.accounts.len() as u64)).unwrap();
        let coin = dice.one(&Coin::ALL);
        let person = dice.one(&PEOPLE);
        instruction.accounts[place].pubkey = coin.account(person);
    }
    instruction
}

fn snapshot(bench: &Bench) -> Vec<(Coin, Address, u64)> {
    let pairs = PEOPLE.into_iter().flat_map(|person| Coin::ALL.map(|coin| (coin, person)));
    pairs.map(|(coin, person)| (coin, person, bench.holds(coin, person))).collect()
}

/// What waits at the address of each order's jump.
fn waiting(bench: &Bench, orders: &[Known]) -> Vec<u64> {
    let held =
        |order: &Known| order.jump.map_or(0, |jump| bench.holds(order.coin, PROGRAM.jump_address(&jump)));
    orders.iter().map(held).collect()
}

/// Money leaves a jump's address only into an order of that jump or back to its refund address.
fn check_waiting(before: &[u64], after: &[u64], (deed, at): (Deed, usize), orders: &[Known], context: &str) {
    for (place, (had, has)) in before.iter().zip(after).enumerate() {
        if has >= had {
            continue;
        }
        assert!(
            place == at && matches!(deed, Deed::Jump | Deed::GiveBackJump),
            "a jump lost money: {context}"
        );
        if deed == Deed::Jump && orders[at].coin != Coin::Sol {
            assert_eq!(U256::from(had - has), orders[at].terms.amount_in, "{context}");
        }
    }
}

/// The escrow holds every open order in full, and an order ends once, in one way.
fn check(bench: &Bench, orders: &mut [Known], context: &str) {
    for order in orders {
        let id = order.terms.id();
        let Some(account) = bench.svm.get_account(&PROGRAM.order(id)) else { continue };
        if account.owner != PROGRAM.id {
            assert!(order.ended.is_some() || !order.opened, "an open order vanished: {context}");
            continue;
        }
        let state = bench.order(id);
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
                let held = bench.escrowed(order.coin, id);
                assert!(U256::from(held) >= order.terms.amount_in, "an open order is short: {context}");
            }
            (end, None) => {
                let refunded = matches!(end, OrderStatus::Refunded(_));
                let here = order.terms.is_same_chain();
                assert!(!(here && refunded && order.filled), "refunded what was delivered: {context}");
                order.ended = Some(end);
            }
            (end, Some(known)) => assert_eq!(end, known, "{context}"),
        }
        order.filled |=
            bench.svm.get_account(&PROGRAM.fill_marker(id)).is_some_and(|one| one.owner == PROGRAM.id);
        let claimed = order.ended == Some(OrderStatus::Claimed);
        assert!(
            !(order.terms.is_same_chain() && claimed && !order.filled),
            "paid without a delivery: {context}"
        );
    }
}

/// Whoever gains is a party of the order in that role, or gets back what it paid as rent.
fn check_gainers(
    before: &[(Coin, Address, u64)],
    after: &[(Coin, Address, u64)],
    deed: Deed,
    order: &Known,
    context: &str,
) {
    for ((coin, person, had), (_, _, has)) in before.iter().zip(after) {
        if has <= had {
            continue;
        }
        let close = [order.payer, REFUND];
        let allowed: &[Address] = match deed {
            Deed::Claim => &[PAYEE, REFERRER],
            Deed::Fill => &[RECIPIENT],
            Deed::CloseOrder => &close,
            Deed::CloseFill => &[FILLER],
            _ => &[REFUND],
        };
        assert!(allowed.contains(person), "{person} gained {} {coin:?}: {context}", has - had);
        let gain = U256::from(has - had);
        if deed == Deed::Claim {
            let fee = order.terms.referrer_fee;
            let dues = [order.terms.amount_in, order.terms.amount_in - fee, fee];
            assert!(dues.contains(&gain), "{person} gained {gain}: {context}");
        }
    }
}
