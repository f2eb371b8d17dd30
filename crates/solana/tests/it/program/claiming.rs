use alloy_primitives::{B256, U256};
use causeway_domain::{Attestation, IntentTerms, SignatureBytes};
use causeway_solana::TOKEN_PROGRAM;
use causeway_solana::program::{EscrowError, OrderStatus};

use super::fixture::*;
use super::tokens::token_data;

const FEE: u64 = 1_000_000;

fn referred(coin: Coin) -> IntentTerms {
    IntentTerms { referrer: word(REFERRER), referrer_fee: U256::from(FEE), ..terms_to_other_chain(coin) }
}

#[test]
fn rule_6_a_threshold_of_attestations_pays_the_payee() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::with_open_order(coin, &terms);
        let before = fixture.balance(coin, PAYEE);
        fixture.send(claim_by(&fixture, coin, &terms, &[0, 2])).unwrap();
        assert_eq!(fixture.balance(coin, PAYEE) - before, AMOUNT);
        assert_eq!(fixture.escrowed(coin, terms.id()), 0);
        let order = fixture.order(terms.id());
        assert_eq!((order.status, order.paid_to), (OrderStatus::Claimed, PAYEE));
        assert_eq!((order.filled_at, order.fill_ref), (NOW + 700, B256::repeat_byte(0xcd)));
        fixture.assert_refused(claim_by(&fixture, coin, &terms, &[0, 2]), EscrowError::NotOpen);
        fixture.set_time(terms.refund_at + 1);
        fixture
            .assert_refused(PROGRAM.refund(&terms, unsigned_caller(), coin.program()), EscrowError::NotOpen);
    }
}

#[test]
fn rule_6_a_claim_never_expires_until_the_refund_comes_first() {
    let terms = terms_to_other_chain(Coin::Sol);
    let mut fixture = ProgramFixture::with_open_order(Coin::Sol, &terms);
    fixture.set_time(terms.refund_at + 400 * 86_400);
    fixture.send(claim_by(&fixture, Coin::Sol, &terms, &[0, 1])).unwrap();

    let mut fixture = ProgramFixture::with_open_order(Coin::Sol, &terms);
    fixture.set_time(terms.refund_at + 1);
    fixture.send(PROGRAM.refund(&terms, unsigned_caller(), None)).unwrap();
    fixture.assert_refused(claim_by(&fixture, Coin::Sol, &terms, &[0, 1]), EscrowError::NotOpen);
}

#[test]
fn rule_6_the_referrer_gets_its_fee_and_the_payee_the_rest() {
    for coin in Coin::ALL {
        let terms = referred(coin);
        let mut fixture = ProgramFixture::with_open_order(coin, &terms);
        let before = (fixture.balance(coin, PAYEE), fixture.balance(coin, REFERRER));
        fixture.send(claim_by(&fixture, coin, &terms, &[0, 1])).unwrap();
        assert_eq!(fixture.balance(coin, PAYEE) - before.0, AMOUNT - FEE);
        assert_eq!(fixture.balance(coin, REFERRER) - before.1, FEE);
        assert!(fixture.order(terms.id()).referrer_paid);
    }
}

#[test]
fn rule_6_a_fee_that_the_referrer_cannot_take_goes_to_the_payee() {
    let mut frozen = token_data(MINT, REFERRER, 1, &[]);
    frozen[108] = 2;
    let not_its_own = token_data(MINT, STRANGER, 1, &[]);
    for data in [Some(frozen), Some(not_its_own), None] {
        let terms = referred(Coin::Spl);
        let mut fixture = ProgramFixture::with_open_order(Coin::Spl, &terms);
        match data {
            Some(data) => fixture.put_data(Coin::Spl.account(REFERRER), TOKEN_PROGRAM, data),
            None => fixture.put_lamports(Coin::Spl.account(REFERRER), MIN_RENT_EXEMPT_LAMPORTS),
        }
        let before = fixture.balance(Coin::Spl, PAYEE);
        fixture.send(claim_by(&fixture, Coin::Spl, &terms, &[0, 1])).unwrap();
        assert_eq!(fixture.balance(Coin::Spl, PAYEE) - before, AMOUNT);
        assert!(!fixture.order(terms.id()).referrer_paid);
    }
    // SOL that would leave the referrer's account below the rent-exempt minimum.
    let terms = IntentTerms {
        referrer: word(address_number(80)),
        referrer_fee: U256::from(MIN_RENT_EXEMPT_LAMPORTS - 1),
        ..terms_to_other_chain(Coin::Sol)
    };
    let mut fixture = ProgramFixture::with_open_order(Coin::Sol, &terms);
    let before = fixture.balance(Coin::Sol, PAYEE);
    fixture.send(claim_by(&fixture, Coin::Sol, &terms, &[0, 1])).unwrap();
    assert_eq!(fixture.balance(Coin::Sol, PAYEE) - before, AMOUNT);
}

#[test]
fn a_referrer_that_becomes_a_program_cannot_stop_the_claim() {
    let terms = referred(Coin::Sol);
    let mut fixture = ProgramFixture::with_open_order(Coin::Sol, &terms);
    let program = fixture.svm.get_account(&PROGRAM.id).unwrap();
    fixture.svm.set_account(REFERRER, program).unwrap();
    let before = fixture.balance(Coin::Sol, PAYEE);
    fixture.send(claim_by(&fixture, Coin::Sol, &terms, &[0, 1])).unwrap();
    assert_eq!(fixture.balance(Coin::Sol, PAYEE) - before, AMOUNT);
}

#[test]
fn referrer_fee_cannot_be_withheld_by_passing_another_account() {
    for coin in Coin::ALL {
        let terms = referred(coin);
        let mut fixture = ProgramFixture::with_open_order(coin, &terms);
        let claim = claim_by(&fixture, coin, &terms, &[0, 1]);
        fixture
            .assert_refused(with_account(claim.clone(), 3, coin.account(PAYEE)), EscrowError::WrongAddress);
        let mut fixed = claim;
        fixed.accounts[3].is_writable = false;
        fixture.assert_refused(fixed, EscrowError::NotWritable);
    }
}

#[test]
fn rule_10_signatures_are_enough_ascending_low_and_of_this_order() {
    let terms = terms_to_other_chain(Coin::Sol);
    let mut fixture = ProgramFixture::with_open_order(Coin::Sol, &terms);
    let good = fixture.attest(&filled(&terms), &[0, 1]);
    let mut claim = |signatures: &[SignatureBytes], why| {
        let fill = (NOW + 700, B256::repeat_byte(0xcd));
        fixture.assert_refused(PROGRAM.claim(&terms, None, fill, signatures), why);
    };
    claim(&[], EscrowError::TooFewSignatures);
    claim(&good[..1], EscrowError::TooFewSignatures);
    claim(&[good[0], good[0]], EscrowError::SignersNotAscending);
    claim(&[good[1], good[0]], EscrowError::SignersNotAscending);
    let with_high_s = [good[0], with_high_s(good[1])];
    claim(&with_high_s, EscrowError::BadSignature);
    for v in [0, 1, 26, 29, 31, 255] {
        let mut odd = good[1];
        odd[64] = v;
        claim(&[good[0], odd], EscrowError::BadSignature);
    }
    claim(&[good[0], SignatureBytes::ZERO], EscrowError::BadSignature);

    let fixture = &mut fixture;
    fixture.assert_refused(claim_by(fixture, Coin::Sol, &terms, &[0, 5]), EscrowError::NotAnAttester);
    fixture.assert_refused(claim_by(fixture, Coin::Sol, &terms, &[5, 6]), EscrowError::NotAnAttester);
    // More signatures than needed, all valid.
    let all = claim_by(fixture, Coin::Sol, &terms, &[0, 1, 2]);
    let mut short = all.clone();
    short.data.pop();
    fixture.assert_refused(short, EscrowError::BadSignature);
    // Signed for another order, time, reference, program or statement: no attester is recovered, or none in order.
    let id = terms.id();
    let other =
        Attestation::Filled { order: B256::ZERO, filled_at: NOW + 700, fill_ref: B256::repeat_byte(0xcd) };
    let unfilled = Attestation::Unfilled { order: id, destination_time: NOW + 700 };
    for signatures in [fixture.attest(&other, &[0, 1]), fixture.attest(&unfilled, &[0, 1])] {
        let claim = PROGRAM.claim(&terms, None, (NOW + 700, B256::repeat_byte(0xcd)), &signatures);
        assert!(fixture.send(claim).is_err());
    }
    for fill in [(NOW + 701, B256::repeat_byte(0xcd)), (NOW + 700, B256::ZERO)] {
        assert!(fixture.send(PROGRAM.claim(&terms, None, fill, &good)).is_err());
    }
    fixture.send(all).unwrap();
}

/// The same signature with the other `s`, which recovers to the same key.
fn with_high_s(signature: SignatureBytes) -> SignatureBytes {
    let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    let order = U256::from_str_radix(order, 16).unwrap();
    let low = U256::from_be_slice(&signature[32..64]);
    let mut twin = signature;
    twin[32..64].copy_from_slice(&(order - low).to_be_bytes::<32>());
    twin[64] = 27 + 28 - signature[64];
    twin
}

#[test]
fn rule_6_a_fill_after_its_deadline_or_at_no_time_is_not_paid() {
    let terms = terms_to_other_chain(Coin::Sol);
    let mut fixture = ProgramFixture::with_open_order(Coin::Sol, &terms);
    for (filled_at, why) in
        [(terms.fill_deadline + 1, EscrowError::FilledTooLate), (0, EscrowError::NotFilled)]
    {
        let attestation = Attestation::Filled { order: terms.id(), filled_at, fill_ref: B256::ZERO };
        let signatures = fixture.attest(&attestation, &[0, 1]);
        fixture.assert_refused(PROGRAM.claim(&terms, None, (filled_at, B256::ZERO), &signatures), why);
    }
}

#[test]
fn rule_8_within_solana_the_record_of_the_fill_pays_and_attesters_do_not() {
    for (coin, out) in [(Coin::Sol, Coin::Spl), (Coin::Spl, Coin::Sol), (Coin::Spl22, Coin::Spl22)] {
        let terms = terms_within_solana(coin, out);
        let mut fixture = ProgramFixture::with_open_order(coin, &terms);
        fixture.assert_refused(PROGRAM.claim_recorded(&terms, coin.program()), EscrowError::NotFilled);
        let marker = PROGRAM.fill_marker(terms.id());
        fixture.assert_refused(
            with_account(claim_by(&fixture, coin, &terms, &[0, 1]), 1, marker),
            EscrowError::AttestationsRefused,
        );
        // Neither another order's marker nor lamports at the marker's address prove a fill.
        let other = IntentTerms { nonce: B256::ZERO, ..terms };
        fixture.send(PROGRAM.fill(&other, FILLER, out.source(FILLER))).unwrap();
        let claim = PROGRAM.claim_recorded(&terms, coin.program());
        fixture.assert_refused(
            with_account(claim.clone(), 1, PROGRAM.fill_marker(other.id())),
            EscrowError::WrongAddress,
        );
        fixture.put_lamports(marker, MIN_RENT_EXEMPT_LAMPORTS);
        fixture.assert_refused(claim.clone(), EscrowError::NotFilled);

        fixture.send(PROGRAM.fill(&terms, FILLER, out.source(FILLER))).unwrap();
        fixture.set_time(terms.refund_at + 1);
        fixture.assert_refused(
            PROGRAM.refund(&terms, unsigned_caller(), coin.program()),
            EscrowError::AlreadyFilled,
        );
        let before = fixture.balance(coin, PAYEE);
        fixture.send(claim.clone()).unwrap();
        assert_eq!(fixture.balance(coin, PAYEE) - before, AMOUNT);
        assert_eq!(fixture.order(terms.id()).filled_at, NOW);
        fixture.assert_refused(claim, EscrowError::NotOpen);
    }
}

#[test]
fn a_claim_pays_nobody_else_and_from_no_other_vault() {
    for coin in Coin::ALL {
        let (terms, other) =
            (terms_to_other_chain(coin), IntentTerms { nonce: B256::ZERO, ..terms_to_other_chain(coin) });
        let mut fixture = ProgramFixture::with_open_order(coin, &terms);
        fixture.open(coin, &other).unwrap();
        let claim = claim_by(&fixture, coin, &terms, &[0, 1]);
        fixture.assert_refused(
            with_account(claim.clone(), 2, coin.account(STRANGER)),
            EscrowError::WrongAddress,
        );
        // The attestation of one order does not pay another.
        assert!(fixture.send(with_account(claim.clone(), 0, PROGRAM.order(other.id()))).is_err());
        fixture.assert_refused(with_account(claim.clone(), 0, STRANGER), EscrowError::WrongOwner);
        fixture.assert_refused(with_account(claim.clone(), 0, PROGRAM.epoch(1)), EscrowError::WrongKind);
        fixture.assert_refused(with_account(claim.clone(), 1, STRANGER), EscrowError::WrongOwner);
        fixture.assert_refused(
            with_account(claim.clone(), 1, PROGRAM.attester_config()),
            EscrowError::WrongKind,
        );
        if coin != Coin::Sol {
            fixture.assert_refused(
                with_account(claim.clone(), 4, PROGRAM.vault(other.id())),
                EscrowError::WrongAddress,
            );
            fixture.assert_refused(
                with_account(claim.clone(), 4, coin.account(STRANGER)),
                EscrowError::WrongAddress,
            );
            let wrong = if coin == Coin::Spl { MINT_22 } else { MINT };
            fixture.assert_refused(with_account(claim.clone(), 5, wrong), EscrowError::WrongMint);
        }
        fixture.send(claim).unwrap();
        assert_eq!(fixture.escrowed(coin, other.id()), AMOUNT);
    }
}
