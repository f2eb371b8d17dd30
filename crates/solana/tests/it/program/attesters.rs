use alloy_primitives::Address as Attester;
use causeway_solana::program::{AttesterConfig, EpochAccount, EscrowError};
use solana_address::Address;
use solana_instruction::Instruction;

use super::fixture::*;

const DAY: u64 = 86_400;

fn hand_over(
    fixture: &ProgramFixture,
    proposal: u64,
    to: std::ops::Range<usize>,
    which: &[usize],
) -> Instruction {
    let members = fixture.members(to);
    let threshold = u8::try_from(members.len() / 2 + 1).unwrap();
    let signatures = fixture.sign(PROGRAM.handover_digest(2, proposal, threshold, &members), which);
    PROGRAM.hand_over(STRANGER, 1, (threshold, &members), &signatures)
}

fn pause(fixture: &ProgramFixture, until: u64, which: usize) -> Instruction {
    PROGRAM.pause(1, until, &fixture.sign(PROGRAM.pause_digest(1, until), &[which])[0])
}

fn resign(fixture: &ProgramFixture, which: usize) -> Instruction {
    PROGRAM.resign(1, &fixture.sign(PROGRAM.resignation_digest(1), &[which])[0])
}

#[test]
fn only_the_upgrade_authority_initializes_the_first_epoch() {
    let mut fixture = ProgramFixture::with_deployed_program();
    let members = fixture.members(0..3);
    fixture.assert_refused(PROGRAM.init(STRANGER, MIN_GRACE, 2, &members), EscrowError::NotTheAuthority);
    let mut unsigned = PROGRAM.init(DEPLOYER, MIN_GRACE, 2, &members);
    unsigned.accounts[0].is_signer = false;
    fixture.assert_refused(unsigned, EscrowError::NotSigner);
    // A forged program data account, at another address or of another owner.
    let code = fixture.svm.get_account(&PROGRAM.code()).unwrap();
    fixture.svm.set_account(address_number(50), code).unwrap();
    let init = PROGRAM.init(DEPLOYER, MIN_GRACE, 2, &members);
    fixture.assert_refused(with_account(init.clone(), 3, address_number(50)), EscrowError::WrongAddress);

    fixture.send(init).unwrap();
    let config = AttesterConfig::parse(&fixture.data(PROGRAM.attester_config())).unwrap();
    assert_eq!((config.newest_epoch, config.newest_from, config.min_grace), (1, NOW, MIN_GRACE));
    let epoch = EpochAccount::parse(&fixture.data(PROGRAM.epoch(1))).unwrap();
    assert_eq!((epoch.number, epoch.threshold, epoch.members), (1, 2, members));
}

#[test]
fn program_without_upgrade_authority_cannot_be_initialized() {
    let mut fixture = ProgramFixture::with_deployed_program();
    for (address, account) in program_accounts(None) {
        fixture.svm.set_account(address, account).unwrap();
    }
    let members = fixture.members(0..3);
    fixture.assert_refused(PROGRAM.init(DEPLOYER, MIN_GRACE, 2, &members), EscrowError::NotTheAuthority);
    fixture
        .assert_refused(PROGRAM.init(Address::default(), MIN_GRACE, 2, &members), EscrowError::NotWritable);
}

#[test]
fn first_epoch_is_initialized_once() {
    let mut fixture = ProgramFixture::new();
    let members = fixture.members(3..4);
    fixture.assert_refused(PROGRAM.init(DEPLOYER, MIN_GRACE, 1, &members), EscrowError::AlreadyExists);
}

#[test]
fn prefunded_addresses_do_not_stop_the_first_epoch() {
    let mut fixture = ProgramFixture::with_deployed_program();
    fixture.put_lamports(PROGRAM.attester_config(), MIN_RENT_EXEMPT_LAMPORTS);
    fixture.put_lamports(PROGRAM.epoch(1), 50 * SOL);
    let members = fixture.members(0..3);
    fixture.send(PROGRAM.init(DEPLOYER, MIN_GRACE, 2, &members)).unwrap();
    assert_eq!(fixture.lamports(PROGRAM.epoch(1)), 50 * SOL);
}

#[test]
fn rule_10_a_threshold_is_above_half_and_members_ascend() {
    let mut fixture = ProgramFixture::with_deployed_program();
    let all = fixture.members(0..16);
    let mut init = |threshold: u8, members: &[Attester], why| {
        fixture.assert_refused(PROGRAM.init(DEPLOYER, MIN_GRACE, threshold, members), why);
    };
    init(0, &[], EscrowError::BadThreshold);
    init(1, &all[..2], EscrowError::BadThreshold);
    init(2, &all[..4], EscrowError::BadThreshold);
    init(4, &all[..3], EscrowError::BadThreshold);
    init(9, &all[..16], EscrowError::BadThreshold);
    init(9, &all[..9], EscrowError::BadThreshold);
    init(2, &[all[1], all[0]], EscrowError::AttestersNotAscending);
    init(2, &[all[0], all[0]], EscrowError::AttestersNotAscending);
    init(1, &[Attester::ZERO], EscrowError::AttestersNotAscending);
    fixture.assert_refused(PROGRAM.init(DEPLOYER, 7 * DAY + 1, 2, &all[..3]), EscrowError::BadDeadlines);
    fixture.send(PROGRAM.init(DEPLOYER, MIN_GRACE, 8, &all[..15])).unwrap();
}

#[test]
fn rule_12_a_handover_takes_effect_after_two_days_and_orders_keep_their_epoch() {
    let mut fixture = ProgramFixture::new();
    let old = terms_to_other_chain(Coin::Sol);
    fixture.open(Coin::Sol, &old).unwrap();
    fixture.assert_refused(hand_over(&fixture, 0, 3..6, &[1]), EscrowError::TooFewSignatures);
    fixture.assert_refused(hand_over(&fixture, 0, 3..6, &[3, 4]), EscrowError::NotAnAttester);
    fixture.send(hand_over(&fixture, 0, 3..6, &[0, 2])).unwrap();

    let late = |fixture: &ProgramFixture, epoch| {
        let mut terms = terms_to_other_chain(Coin::Sol);
        terms.open_deadline = fixture.now + 10;
        terms.fill_deadline = fixture.now + 20;
        terms.refund_at = fixture.now + 20 + MIN_GRACE;
        terms.epoch = epoch;
        terms
    };
    fixture.set_time(NOW + 2 * DAY - 1);
    fixture.assert_refused(PROGRAM.open(&late(&fixture, 2), USER, None), EscrowError::WrongEpoch);
    let terms = late(&fixture, 1);
    fixture.open(Coin::Sol, &terms).unwrap();

    fixture.set_time(NOW + 2 * DAY);
    fixture.assert_refused(PROGRAM.open(&late(&fixture, 1), USER, None), EscrowError::WrongEpoch);
    let new = late(&fixture, 2);
    fixture.open(Coin::Sol, &new).unwrap();

    fixture.assert_refused(claim_by(&fixture, Coin::Sol, &old, &[3, 4]), EscrowError::NotAnAttester);
    let by_new = with_account(claim_by(&fixture, Coin::Sol, &old, &[3, 4]), 1, PROGRAM.epoch(2));
    fixture.assert_refused(by_new, EscrowError::WrongEpoch);
    fixture.send(claim_by(&fixture, Coin::Sol, &old, &[0, 2])).unwrap();
    fixture.send(claim_by(&fixture, Coin::Sol, &new, &[3, 5])).unwrap();
}

#[test]
fn rule_12_a_pending_handover_is_replaced_and_no_signature_works_twice() {
    let mut fixture = ProgramFixture::new();
    let first = hand_over(&fixture, 0, 3..6, &[0, 1]);
    fixture.send(first.clone()).unwrap();
    let again = fixture.send(first);
    assert!(again.is_err(), "the number of the proposal has moved on");
    fixture.set_time(NOW + DAY);
    fixture.send(hand_over(&fixture, 1, 6..11, &[1, 2])).unwrap();
    let epoch = EpochAccount::parse(&fixture.data(PROGRAM.epoch(2))).unwrap();
    assert_eq!((epoch.from, epoch.members), (NOW + 3 * DAY, fixture.members(6..11)));
    let config = AttesterConfig::parse(&fixture.data(PROGRAM.attester_config())).unwrap();
    assert_eq!((config.proposals, config.newest_epoch), (2, 2));
    assert_eq!(config.current_epoch(NOW + 3 * DAY - 1), 1);
    assert_eq!(config.current_epoch(NOW + 3 * DAY), 2);

    // Once in effect, it cannot be replaced.
    fixture.set_time(NOW + 3 * DAY);
    let members = fixture.members(0..3);
    let signatures = fixture.sign(PROGRAM.handover_digest(2, 2, 2, &members), &[0, 1]);
    let again = PROGRAM.hand_over(STRANGER, 1, (2, &members), &signatures);
    fixture.assert_refused(again, EscrowError::WrongEpoch);
}

#[test]
fn rule_12_a_key_resigns_at_once_while_a_threshold_remains() {
    let mut fixture = ProgramFixture::new();
    let terms = terms_to_other_chain(Coin::Sol);
    fixture.open(Coin::Sol, &terms).unwrap();
    fixture.assert_refused(resign(&fixture, 5), EscrowError::NotAnAttester);
    fixture.send(resign(&fixture, 1)).unwrap();
    let epoch = EpochAccount::parse(&fixture.data(PROGRAM.epoch(1))).unwrap();
    assert_eq!(epoch.resigned, fixture.members(1..2));
    fixture.assert_refused(resign(&fixture, 1), EscrowError::NotAnAttester);
    fixture.assert_refused(resign(&fixture, 0), EscrowError::ThresholdWouldBreak);
    fixture.assert_refused(claim_by(&fixture, Coin::Sol, &terms, &[0, 1]), EscrowError::NotAnAttester);
    fixture.assert_refused(pause(&fixture, NOW + 10, 1), EscrowError::NotAnAttester);
    fixture.send(claim_by(&fixture, Coin::Sol, &terms, &[0, 2])).unwrap();
}

#[test]
fn rule_24_any_attester_pauses_opening_for_a_day_and_nothing_else() {
    let mut fixture = ProgramFixture::new();
    let (claimed, refunded) = (terms_to_other_chain(Coin::Sol), terms_to_other_chain(Coin::Spl));
    fixture.open(Coin::Sol, &claimed).unwrap();
    fixture.open(Coin::Spl, &refunded).unwrap();
    fixture.assert_refused(pause(&fixture, NOW + DAY + 1, 0), EscrowError::BadPause);
    fixture.assert_refused(pause(&fixture, NOW, 0), EscrowError::BadPause);
    fixture.assert_refused(pause(&fixture, NOW + DAY, 7), EscrowError::NotAnAttester);
    let word = pause(&fixture, NOW + 400, 2);
    fixture.assert_refused(with_account(word.clone(), 1, PROGRAM.attester_config()), EscrowError::Busy);
    fixture.assert_refused(with_account(word.clone(), 1, STRANGER), EscrowError::WrongOwner);
    fixture.send(word.clone()).unwrap();

    let mut terms = terms_to_other_chain(Coin::Sol);
    terms.nonce.0[0] = 1;
    fixture.set_time(NOW + 399);
    fixture.assert_refused(PROGRAM.open(&terms, USER, None), EscrowError::OpeningPaused);
    fixture.send(claim_by(&fixture, Coin::Sol, &claimed, &[0, 1])).unwrap();
    let mut waive = unsigned_caller();
    waive.pubkey = FILLER;
    waive.is_signer = true;
    fixture.send(PROGRAM.refund(&refunded, waive, Coin::Spl.program())).unwrap();
    fixture.send(PROGRAM.fill(&terms_from_other_chain(Coin::Sol), STRANGER, None)).unwrap();
    // A repeated or shorter pause changes nothing.
    fixture.assert_refused(word, EscrowError::BadPause);
    fixture.assert_refused(pause(&fixture, NOW + 399, 1), EscrowError::BadPause);
    fixture.set_time(NOW + 400);
    fixture.open(Coin::Sol, &terms).unwrap();
}
