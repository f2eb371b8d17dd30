use alloy_primitives::Address as Attester;
use causeway_solana::program::{EpochAccount, Office, Refusal};
use solana_address::Address;
use solana_instruction::Instruction;

use super::bench::*;

const DAY: u64 = 86_400;

fn hand_over(bench: &Bench, proposal: u64, to: std::ops::Range<usize>, which: &[usize]) -> Instruction {
    let members = bench.members(to);
    let threshold = u8::try_from(members.len() / 2 + 1).unwrap();
    let signatures = bench.sign(PROGRAM.handover_digest(2, proposal, threshold, &members), which);
    PROGRAM.hand_over(STRANGER, 1, (threshold, &members), &signatures)
}

fn pause(bench: &Bench, until: u64, which: usize) -> Instruction {
    PROGRAM.pause(1, until, &bench.sign(PROGRAM.pause_digest(1, until), &[which])[0])
}

fn resign(bench: &Bench, which: usize) -> Instruction {
    PROGRAM.resign(1, &bench.sign(PROGRAM.resignation_digest(1), &[which])[0])
}

#[test]
fn only_whoever_may_replace_the_code_begins_the_first_epoch() {
    let mut bench = Bench::deployed();
    let members = bench.members(0..3);
    bench.refuse(PROGRAM.init(STRANGER, MIN_GRACE, 2, &members), Refusal::NotTheAuthority);
    let mut unsigned = PROGRAM.init(DEPLOYER, MIN_GRACE, 2, &members);
    unsigned.accounts[0].is_signer = false;
    bench.refuse(unsigned, Refusal::NotSigner);
    // A look-alike of the code's account, at another address or of another owner.
    let code = bench.svm.get_account(&PROGRAM.code()).unwrap();
    bench.svm.set_account(who(50), code).unwrap();
    let init = PROGRAM.init(DEPLOYER, MIN_GRACE, 2, &members);
    bench.refuse(with_account(init.clone(), 3, who(50)), Refusal::WrongAddress);

    bench.send(init).unwrap();
    let office = Office::parse(&bench.data(PROGRAM.office())).unwrap();
    assert_eq!((office.newest_epoch, office.newest_from, office.min_grace), (1, NOW, MIN_GRACE));
    let epoch = EpochAccount::parse(&bench.data(PROGRAM.epoch(1))).unwrap();
    assert_eq!((epoch.number, epoch.threshold, epoch.members), (1, 2, members));
}

#[test]
fn without_an_authority_nobody_begins() {
    let mut bench = Bench::deployed();
    for (address, account) in program_accounts(None) {
        bench.svm.set_account(address, account).unwrap();
    }
    let members = bench.members(0..3);
    bench.refuse(PROGRAM.init(DEPLOYER, MIN_GRACE, 2, &members), Refusal::NotTheAuthority);
    bench.refuse(PROGRAM.init(Address::default(), MIN_GRACE, 2, &members), Refusal::NotWritable);
}

#[test]
fn the_first_epoch_begins_once() {
    let mut bench = Bench::new();
    let members = bench.members(3..4);
    bench.refuse(PROGRAM.init(DEPLOYER, MIN_GRACE, 1, &members), Refusal::AlreadyExists);
}

#[test]
fn prefunded_addresses_do_not_stop_the_first_epoch() {
    let mut bench = Bench::deployed();
    bench.put_lamports(PROGRAM.office(), LEAST);
    bench.put_lamports(PROGRAM.epoch(1), 50 * SOL);
    let members = bench.members(0..3);
    bench.send(PROGRAM.init(DEPLOYER, MIN_GRACE, 2, &members)).unwrap();
    assert_eq!(bench.lamports(PROGRAM.epoch(1)), 50 * SOL);
}

#[test]
fn rule_10_a_threshold_is_above_half_and_members_ascend() {
    let mut bench = Bench::deployed();
    let all = bench.members(0..16);
    let mut init = |threshold: u8, members: &[Attester], why| {
        bench.refuse(PROGRAM.init(DEPLOYER, MIN_GRACE, threshold, members), why);
    };
    init(0, &[], Refusal::BadThreshold);
    init(1, &all[..2], Refusal::BadThreshold);
    init(2, &all[..4], Refusal::BadThreshold);
    init(4, &all[..3], Refusal::BadThreshold);
    init(9, &all[..16], Refusal::BadThreshold);
    init(9, &all[..9], Refusal::BadThreshold);
    init(2, &[all[1], all[0]], Refusal::AttestersNotAscending);
    init(2, &[all[0], all[0]], Refusal::AttestersNotAscending);
    init(1, &[Attester::ZERO], Refusal::AttestersNotAscending);
    bench.refuse(PROGRAM.init(DEPLOYER, 7 * DAY + 1, 2, &all[..3]), Refusal::BadDeadlines);
    bench.send(PROGRAM.init(DEPLOYER, MIN_GRACE, 8, &all[..15])).unwrap();
}

#[test]
fn rule_12_a_handover_takes_office_after_two_days_and_orders_keep_their_set() {
    let mut bench = Bench::new();
    let old = away(Coin::Sol);
    bench.open(Coin::Sol, &old).unwrap();
    bench.refuse(hand_over(&bench, 0, 3..6, &[1]), Refusal::TooFewSignatures);
    bench.refuse(hand_over(&bench, 0, 3..6, &[3, 4]), Refusal::NotAnAttester);
    bench.send(hand_over(&bench, 0, 3..6, &[0, 2])).unwrap();

    let late = |bench: &Bench, epoch| {
        let mut terms = away(Coin::Sol);
        terms.open_deadline = bench.now + 10;
        terms.fill_deadline = bench.now + 20;
        terms.refund_at = bench.now + 20 + MIN_GRACE;
        terms.epoch = epoch;
        terms
    };
    bench.set_time(NOW + 2 * DAY - 1);
    bench.refuse(PROGRAM.open(&late(&bench, 2), USER, None), Refusal::WrongEpoch);
    let terms = late(&bench, 1);
    bench.open(Coin::Sol, &terms).unwrap();

    bench.set_time(NOW + 2 * DAY);
    bench.refuse(PROGRAM.open(&late(&bench, 1), USER, None), Refusal::WrongEpoch);
    let new = late(&bench, 2);
    bench.open(Coin::Sol, &new).unwrap();

    bench.refuse(claim_by(&bench, Coin::Sol, &old, &[3, 4]), Refusal::NotAnAttester);
    let by_new = with_account(claim_by(&bench, Coin::Sol, &old, &[3, 4]), 1, PROGRAM.epoch(2));
    bench.refuse(by_new, Refusal::WrongEpoch);
    bench.send(claim_by(&bench, Coin::Sol, &old, &[0, 2])).unwrap();
    bench.send(claim_by(&bench, Coin::Sol, &new, &[3, 5])).unwrap();
}

#[test]
fn rule_12_a_handover_not_yet_in_office_is_replaced_and_no_signature_works_twice() {
    let mut bench = Bench::new();
    let first = hand_over(&bench, 0, 3..6, &[0, 1]);
    bench.send(first.clone()).unwrap();
    let again = bench.send(first);
    assert!(again.is_err(), "the number of the proposal has moved on");
    bench.set_time(NOW + DAY);
    bench.send(hand_over(&bench, 1, 6..11, &[1, 2])).unwrap();
    let epoch = EpochAccount::parse(&bench.data(PROGRAM.epoch(2))).unwrap();
    assert_eq!((epoch.from, epoch.members), (NOW + 3 * DAY, bench.members(6..11)));
    let office = Office::parse(&bench.data(PROGRAM.office())).unwrap();
    assert_eq!((office.proposals, office.newest_epoch), (2, 2));
    assert_eq!(office.current_epoch(NOW + 3 * DAY - 1), 1);
    assert_eq!(office.current_epoch(NOW + 3 * DAY), 2);

    // Once in office it cannot be written over.
    bench.set_time(NOW + 3 * DAY);
    let members = bench.members(0..3);
    let signatures = bench.sign(PROGRAM.handover_digest(2, 2, 2, &members), &[0, 1]);
    let again = PROGRAM.hand_over(STRANGER, 1, (2, &members), &signatures);
    bench.refuse(again, Refusal::WrongEpoch);
}

#[test]
fn rule_12_a_key_resigns_at_once_while_a_threshold_remains() {
    let mut bench = Bench::new();
    let terms = away(Coin::Sol);
    bench.open(Coin::Sol, &terms).unwrap();
    bench.refuse(resign(&bench, 5), Refusal::NotAnAttester);
    bench.send(resign(&bench, 1)).unwrap();
    let epoch = EpochAccount::parse(&bench.data(PROGRAM.epoch(1))).unwrap();
    assert_eq!(epoch.resigned, bench.members(1..2));
    bench.refuse(resign(&bench, 1), Refusal::NotAnAttester);
    bench.refuse(resign(&bench, 0), Refusal::ThresholdWouldBreak);
    bench.refuse(claim_by(&bench, Coin::Sol, &terms, &[0, 1]), Refusal::NotAnAttester);
    bench.refuse(pause(&bench, NOW + 10, 1), Refusal::NotAnAttester);
    bench.send(claim_by(&bench, Coin::Sol, &terms, &[0, 2])).unwrap();
}

#[test]
fn rule_24_any_attester_pauses_opening_for_a_day_and_nothing_else() {
    let mut bench = Bench::new();
    let (claimed, refunded) = (away(Coin::Sol), away(Coin::Spl));
    bench.open(Coin::Sol, &claimed).unwrap();
    bench.open(Coin::Spl, &refunded).unwrap();
    bench.refuse(pause(&bench, NOW + DAY + 1, 0), Refusal::BadPause);
    bench.refuse(pause(&bench, NOW, 0), Refusal::BadPause);
    bench.refuse(pause(&bench, NOW + DAY, 7), Refusal::NotAnAttester);
    let word = pause(&bench, NOW + 400, 2);
    bench.refuse(with_account(word.clone(), 1, PROGRAM.office()), Refusal::Busy);
    bench.refuse(with_account(word.clone(), 1, STRANGER), Refusal::WrongOwner);
    bench.send(word.clone()).unwrap();

    let mut terms = away(Coin::Sol);
    terms.nonce.0[0] = 1;
    bench.set_time(NOW + 399);
    bench.refuse(PROGRAM.open(&terms, USER, None), Refusal::OpeningPaused);
    bench.send(claim_by(&bench, Coin::Sol, &claimed, &[0, 1])).unwrap();
    let mut waive = nobody();
    waive.pubkey = FILLER;
    waive.is_signer = true;
    bench.send(PROGRAM.refund(&refunded, waive, Coin::Spl.program())).unwrap();
    bench.send(PROGRAM.fill(&here(Coin::Sol), STRANGER, None)).unwrap();
    // Shown again, or a shorter one, it changes nothing.
    bench.refuse(word, Refusal::BadPause);
    bench.refuse(pause(&bench, NOW + 399, 1), Refusal::BadPause);
    bench.set_time(NOW + 400);
    bench.open(Coin::Sol, &terms).unwrap();
}
