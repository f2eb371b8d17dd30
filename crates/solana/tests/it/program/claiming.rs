use alloy_primitives::{B256, U256};
use causeway_domain::{Attestation, SignatureBytes, Terms};
use causeway_solana::TOKEN_PROGRAM;
use causeway_solana::program::{OrderStatus, Refusal};

use super::bench::*;
use super::tokens::token_data;

const FEE: u64 = 1_000_000;

fn referred(coin: Coin) -> Terms {
    Terms { referrer: word(REFERRER), referrer_fee: U256::from(FEE), ..away(coin) }
}

#[test]
fn rule_6_a_threshold_of_attestations_pays_the_payee() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut bench = Bench::opened(coin, &terms);
        let before = bench.holds(coin, PAYEE);
        bench.send(claim_by(&bench, coin, &terms, &[0, 2])).unwrap();
        assert_eq!(bench.holds(coin, PAYEE) - before, AMOUNT);
        assert_eq!(bench.escrowed(coin, terms.id()), 0);
        let order = bench.order(terms.id());
        assert_eq!((order.status, order.paid_to), (OrderStatus::Claimed, PAYEE));
        assert_eq!((order.filled_at, order.fill_ref), (NOW + 700, B256::repeat_byte(0xcd)));
        bench.refuse(claim_by(&bench, coin, &terms, &[0, 2]), Refusal::NotOpen);
        bench.set_time(terms.refund_at + 1);
        bench.refuse(PROGRAM.refund(&terms, nobody(), coin.program()), Refusal::NotOpen);
    }
}

#[test]
fn rule_6_a_claim_never_expires_until_the_refund_comes_first() {
    let terms = away(Coin::Sol);
    let mut bench = Bench::opened(Coin::Sol, &terms);
    bench.set_time(terms.refund_at + 400 * 86_400);
    bench.send(claim_by(&bench, Coin::Sol, &terms, &[0, 1])).unwrap();

    let mut bench = Bench::opened(Coin::Sol, &terms);
    bench.set_time(terms.refund_at + 1);
    bench.send(PROGRAM.refund(&terms, nobody(), None)).unwrap();
    bench.refuse(claim_by(&bench, Coin::Sol, &terms, &[0, 1]), Refusal::NotOpen);
}

#[test]
fn rule_6_the_referrer_gets_its_fee_and_the_payee_the_rest() {
    for coin in Coin::ALL {
        let terms = referred(coin);
        let mut bench = Bench::opened(coin, &terms);
        let before = (bench.holds(coin, PAYEE), bench.holds(coin, REFERRER));
        bench.send(claim_by(&bench, coin, &terms, &[0, 1])).unwrap();
        assert_eq!(bench.holds(coin, PAYEE) - before.0, AMOUNT - FEE);
        assert_eq!(bench.holds(coin, REFERRER) - before.1, FEE);
        assert!(bench.order(terms.id()).referrer_paid);
    }
}

#[test]
fn rule_6_a_fee_that_the_referrer_cannot_take_goes_to_the_payee() {
    let mut frozen = token_data(MINT, REFERRER, 1, &[]);
    frozen[108] = 2;
    let not_its_own = token_data(MINT, STRANGER, 1, &[]);
    for data in [Some(frozen), Some(not_its_own), None] {
        let terms = referred(Coin::Spl);
        let mut bench = Bench::opened(Coin::Spl, &terms);
        match data {
            Some(data) => bench.put_data(Coin::Spl.account(REFERRER), TOKEN_PROGRAM, data),
            None => bench.put_lamports(Coin::Spl.account(REFERRER), LEAST),
        }
        let before = bench.holds(Coin::Spl, PAYEE);
        bench.send(claim_by(&bench, Coin::Spl, &terms, &[0, 1])).unwrap();
        assert_eq!(bench.holds(Coin::Spl, PAYEE) - before, AMOUNT);
        assert!(!bench.order(terms.id()).referrer_paid);
    }
    // SOL that would leave the referrer's account below what the chain keeps.
    let terms = Terms { referrer: word(who(80)), referrer_fee: U256::from(LEAST - 1), ..away(Coin::Sol) };
    let mut bench = Bench::opened(Coin::Sol, &terms);
    let before = bench.holds(Coin::Sol, PAYEE);
    bench.send(claim_by(&bench, Coin::Sol, &terms, &[0, 1])).unwrap();
    assert_eq!(bench.holds(Coin::Sol, PAYEE) - before, AMOUNT);
}

#[test]
fn a_referrer_that_becomes_a_program_cannot_stop_the_claim() {
    let terms = referred(Coin::Sol);
    let mut bench = Bench::opened(Coin::Sol, &terms);
    let program = bench.svm.get_account(&PROGRAM.id).unwrap();
    bench.svm.set_account(REFERRER, program).unwrap();
    let before = bench.holds(Coin::Sol, PAYEE);
    bench.send(claim_by(&bench, Coin::Sol, &terms, &[0, 1])).unwrap();
    assert_eq!(bench.holds(Coin::Sol, PAYEE) - before, AMOUNT);
}

#[test]
fn nobody_keeps_the_fee_from_the_referrer_by_naming_another_account() {
    for coin in Coin::ALL {
        let terms = referred(coin);
        let mut bench = Bench::opened(coin, &terms);
        let claim = claim_by(&bench, coin, &terms, &[0, 1]);
        bench.refuse(with_account(claim.clone(), 3, coin.account(PAYEE)), Refusal::WrongAddress);
        let mut fixed = claim;
        fixed.accounts[3].is_writable = false;
        bench.refuse(fixed, Refusal::NotWritable);
    }
}

#[test]
fn rule_10_signatures_are_enough_ascending_low_and_of_this_order() {
    let terms = away(Coin::Sol);
    let mut bench = Bench::opened(Coin::Sol, &terms);
    let good = bench.attest(&filled(&terms), &[0, 1]);
    let mut claim = |signatures: &[SignatureBytes], why| {
        let fill = (NOW + 700, B256::repeat_byte(0xcd));
        bench.refuse(PROGRAM.claim(&terms, None, fill, signatures), why);
    };
    claim(&[], Refusal::TooFewSignatures);
    claim(&good[..1], Refusal::TooFewSignatures);
    claim(&[good[0], good[0]], Refusal::SignersNotAscending);
    claim(&[good[1], good[0]], Refusal::SignersNotAscending);
    let high = [good[0], high_twin(good[1])];
    claim(&high, Refusal::BadSignature);
    for v in [0, 1, 26, 29, 31, 255] {
        let mut odd = good[1];
        odd[64] = v;
        claim(&[good[0], odd], Refusal::BadSignature);
    }
    claim(&[good[0], SignatureBytes::ZERO], Refusal::BadSignature);

    let bench = &mut bench;
    bench.refuse(claim_by(bench, Coin::Sol, &terms, &[0, 5]), Refusal::NotAnAttester);
    bench.refuse(claim_by(bench, Coin::Sol, &terms, &[5, 6]), Refusal::NotAnAttester);
    // More than enough, all good.
    let all = claim_by(bench, Coin::Sol, &terms, &[0, 1, 2]);
    let mut short = all.clone();
    short.data.pop();
    bench.refuse(short, Refusal::BadSignature);
    // Signed for another order, time, reference, program or statement: no attester is recovered, or none in order.
    let id = terms.id();
    let other =
        Attestation::Filled { order: B256::ZERO, filled_at: NOW + 700, fill_ref: B256::repeat_byte(0xcd) };
    let unfilled = Attestation::Unfilled { order: id, destination_time: NOW + 700 };
    for signatures in [bench.attest(&other, &[0, 1]), bench.attest(&unfilled, &[0, 1])] {
        let claim = PROGRAM.claim(&terms, None, (NOW + 700, B256::repeat_byte(0xcd)), &signatures);
        assert!(bench.send(claim).is_err());
    }
    for fill in [(NOW + 701, B256::repeat_byte(0xcd)), (NOW + 700, B256::ZERO)] {
        assert!(bench.send(PROGRAM.claim(&terms, None, fill, &good)).is_err());
    }
    bench.send(all).unwrap();
}

/// The same signature with the other `s`, which recovers to the same key.
fn high_twin(signature: SignatureBytes) -> SignatureBytes {
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
    let terms = away(Coin::Sol);
    let mut bench = Bench::opened(Coin::Sol, &terms);
    for (filled_at, why) in [(terms.fill_deadline + 1, Refusal::FilledTooLate), (0, Refusal::NotFilled)] {
        let attestation = Attestation::Filled { order: terms.id(), filled_at, fill_ref: B256::ZERO };
        let signatures = bench.attest(&attestation, &[0, 1]);
        bench.refuse(PROGRAM.claim(&terms, None, (filled_at, B256::ZERO), &signatures), why);
    }
}

#[test]
fn rule_8_within_solana_the_record_of_the_fill_pays_and_attesters_do_not() {
    for (coin, out) in [(Coin::Sol, Coin::Spl), (Coin::Spl, Coin::Sol), (Coin::Spl22, Coin::Spl22)] {
        let terms = within(coin, out);
        let mut bench = Bench::opened(coin, &terms);
        bench.refuse(PROGRAM.claim_recorded(&terms, coin.program()), Refusal::NotFilled);
        let marker = PROGRAM.fill_marker(terms.id());
        bench.refuse(
            with_account(claim_by(&bench, coin, &terms, &[0, 1]), 1, marker),
            Refusal::AttestationsRefused,
        );
        // A record of another order, and lamports where the record would be, say nothing.
        let other = Terms { nonce: B256::ZERO, ..terms };
        bench.send(PROGRAM.fill(&other, FILLER, out.source(FILLER))).unwrap();
        let claim = PROGRAM.claim_recorded(&terms, coin.program());
        bench.refuse(with_account(claim.clone(), 1, PROGRAM.fill_marker(other.id())), Refusal::WrongAddress);
        bench.put_lamports(marker, LEAST);
        bench.refuse(claim.clone(), Refusal::NotFilled);

        bench.send(PROGRAM.fill(&terms, FILLER, out.source(FILLER))).unwrap();
        bench.set_time(terms.refund_at + 1);
        bench.refuse(PROGRAM.refund(&terms, nobody(), coin.program()), Refusal::AlreadyFilled);
        let before = bench.holds(coin, PAYEE);
        bench.send(claim.clone()).unwrap();
        assert_eq!(bench.holds(coin, PAYEE) - before, AMOUNT);
        assert_eq!(bench.order(terms.id()).filled_at, NOW);
        bench.refuse(claim, Refusal::NotOpen);
    }
}

#[test]
fn a_claim_pays_nobody_else_and_from_no_other_vault() {
    for coin in Coin::ALL {
        let (terms, other) = (away(coin), Terms { nonce: B256::ZERO, ..away(coin) });
        let mut bench = Bench::opened(coin, &terms);
        bench.open(coin, &other).unwrap();
        let claim = claim_by(&bench, coin, &terms, &[0, 1]);
        bench.refuse(with_account(claim.clone(), 2, coin.account(STRANGER)), Refusal::WrongAddress);
        // The attestation of one order does not pay another.
        assert!(bench.send(with_account(claim.clone(), 0, PROGRAM.order(other.id()))).is_err());
        bench.refuse(with_account(claim.clone(), 0, STRANGER), Refusal::WrongOwner);
        bench.refuse(with_account(claim.clone(), 0, PROGRAM.epoch(1)), Refusal::WrongKind);
        bench.refuse(with_account(claim.clone(), 1, STRANGER), Refusal::WrongOwner);
        bench.refuse(with_account(claim.clone(), 1, PROGRAM.office()), Refusal::WrongKind);
        if coin != Coin::Sol {
            bench.refuse(with_account(claim.clone(), 4, PROGRAM.vault(other.id())), Refusal::WrongAddress);
            bench.refuse(with_account(claim.clone(), 4, coin.account(STRANGER)), Refusal::WrongAddress);
            let wrong = if coin == Coin::Spl { MINT_22 } else { MINT };
            bench.refuse(with_account(claim.clone(), 5, wrong), Refusal::WrongMint);
        }
        bench.send(claim).unwrap();
        assert_eq!(bench.escrowed(coin, other.id()), AMOUNT);
    }
}
