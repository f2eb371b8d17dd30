use alloy_primitives::B256;
use causeway_domain::{Attestation, IntentTerms};
use causeway_solana::TOKEN_PROGRAM;
use causeway_solana::program::{EscrowError, OrderStatus, RefundCause};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use super::fixture::*;
use super::tokens::token_data;

const THIRTY_DAYS: u64 = 30 * 86_400;

fn waive(coin: Coin, terms: &IntentTerms) -> Instruction {
    PROGRAM.refund(terms, AccountMeta::new_readonly(FILLER, true), coin.program())
}

fn expired(coin: Coin, terms: &IntentTerms) -> Instruction {
    PROGRAM.refund(terms, unsigned_caller(), coin.program())
}

#[track_caller]
fn assert_refunded(
    fixture: &mut ProgramFixture,
    coin: Coin,
    terms: &IntentTerms,
    refund: Instruction,
    cause: RefundCause,
) {
    let before = fixture.balance(coin, REFUND);
    fixture.send(refund.clone()).unwrap();
    assert_eq!(fixture.balance(coin, REFUND) - before, AMOUNT);
    assert_eq!(fixture.escrowed(coin, terms.id()), 0);
    let order = fixture.order(terms.id());
    assert_eq!((order.status, order.paid_to), (OrderStatus::Refunded(cause), REFUND));
    fixture.assert_refused(refund, EscrowError::NotOpen);
}

#[test]
fn rule_7a_only_the_filler_waives_early() {
    for coin in Coin::ALL {
        for terms in [terms_to_other_chain(coin), terms_within_solana(coin, Coin::Spl)] {
            let mut fixture = ProgramFixture::with_open_order(coin, &terms);
            fixture.assert_refused(expired(coin, &terms), EscrowError::NotRefundable);
            let others = PROGRAM.refund(&terms, AccountMeta::new_readonly(USER, true), coin.program());
            fixture.assert_refused(others, EscrowError::NotRefundable);
            let mut unsigned = waive(coin, &terms);
            unsigned.accounts[3].is_signer = false;
            fixture.assert_refused(unsigned, EscrowError::NotRefundable);
            assert_refunded(&mut fixture, coin, &terms, waive(coin, &terms), RefundCause::Waived);
        }
    }
}

#[test]
fn rule_7b_a_threshold_attests_that_there_was_no_fill() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::with_open_order(coin, &terms);
        let refund = |fixture: &ProgramFixture, time, which: &[usize]| {
            let attestation = Attestation::Unfilled { order: terms.id(), destination_time: time };
            let signatures = fixture.attest(&attestation, which);
            PROGRAM.refund_unfilled(&terms, coin.program(), time, &signatures)
        };
        let (deadline, after) = (terms.fill_deadline, terms.fill_deadline + 1);
        fixture.assert_refused(refund(&fixture, deadline, &[0, 1]), EscrowError::NotUnfilled);
        fixture.assert_refused(refund(&fixture, after, &[0]), EscrowError::TooFewSignatures);
        fixture.assert_refused(refund(&fixture, after, &[0, 9]), EscrowError::NotAnAttester);
        let good = refund(&fixture, after, &[1, 2]);
        fixture
            .assert_refused(with_account(good.clone(), 2, coin.account(STRANGER)), EscrowError::WrongAddress);
        assert_refunded(&mut fixture, coin, &terms, good, RefundCause::Unfilled);
    }
}

#[test]
fn rule_7c_anyone_refunds_an_expired_deposit_and_rule_8_sooner_within_solana() {
    for coin in Coin::ALL {
        for (terms, until) in [
            (terms_to_other_chain(coin), terms_to_other_chain(coin).refund_at),
            (terms_within_solana(coin, Coin::Sol), terms_to_other_chain(coin).fill_deadline),
        ] {
            let mut fixture = ProgramFixture::with_open_order(coin, &terms);
            fixture.set_time(until);
            fixture.assert_refused(expired(coin, &terms), EscrowError::NotRefundable);
            fixture.set_time(until + 1);
            let refund = expired(coin, &terms);
            fixture.assert_refused(
                with_account(refund.clone(), 2, coin.account(STRANGER)),
                EscrowError::WrongAddress,
            );
            assert_refunded(&mut fixture, coin, &terms, refund, RefundCause::Expired);
        }
    }
}

#[test]
fn rule_8_within_solana_a_filled_order_is_never_refunded() {
    let terms = terms_within_solana(Coin::Spl, Coin::Sol);
    let mut fixture = ProgramFixture::with_open_order(Coin::Spl, &terms);
    fixture.send(PROGRAM.fill(&terms, FILLER, None)).unwrap();
    fixture.set_time(terms.refund_at + 1);
    fixture.assert_refused(expired(Coin::Spl, &terms), EscrowError::AlreadyFilled);
    fixture.assert_refused(waive(Coin::Spl, &terms), EscrowError::AlreadyFilled);
    // Another account instead of the marker, as if there were none.
    fixture.assert_refused(with_account(expired(Coin::Spl, &terms), 1, STRANGER), EscrowError::WrongAddress);
    fixture.assert_refused(
        PROGRAM.refund_unfilled(&terms, Coin::Spl.program(), NOW, &[]),
        EscrowError::AttestationsRefused,
    );
    let redirect = PROGRAM.refund_to(&terms, REFUND, Coin::Spl.account(STRANGER), Coin::Spl.program());
    fixture.assert_refused(redirect, EscrowError::AlreadyFilled);
}

#[test]
fn rule_7_a_refund_address_that_cannot_receive_names_another() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let redirect = |caller| PROGRAM.refund_to(&terms, caller, coin.account(STRANGER), coin.program());
        let mut fixture = ProgramFixture::with_open_order(coin, &terms);
        fixture.set_time(terms.refund_at);
        fixture.assert_refused(redirect(REFUND), EscrowError::NotRefundable);
        fixture.set_time(terms.refund_at + 1);
        fixture.assert_refused(redirect(STRANGER), EscrowError::NotTheRefundAddress);
        fixture.assert_refused(redirect(FILLER), EscrowError::NotTheRefundAddress);
        let mut unsigned = redirect(REFUND);
        unsigned.accounts[3].is_signer = false;
        fixture.assert_refused(unsigned, EscrowError::NotSigner);
        fixture.set_time(terms.refund_at + THIRTY_DAYS - 1);
        fixture.assert_refused(redirect(USER), EscrowError::NotTheRefundAddress);

        let before = fixture.balance(coin, STRANGER);
        fixture.send(redirect(REFUND)).unwrap();
        assert_eq!(fixture.balance(coin, STRANGER) - before, AMOUNT);
        assert_eq!(fixture.order(terms.id()).paid_to, STRANGER);

        let mut fixture = ProgramFixture::with_open_order(coin, &terms);
        fixture.set_time(terms.refund_at + THIRTY_DAYS);
        fixture.send(redirect(USER)).unwrap();
        fixture.assert_refused(redirect(REFUND), EscrowError::NotOpen);
    }
}

#[test]
fn a_refund_is_never_redirected_into_the_program_or_to_nobody() {
    let terms = terms_to_other_chain(Coin::Sol);
    let mut fixture = ProgramFixture::with_open_order(Coin::Sol, &terms);
    fixture.set_time(terms.refund_at + 1);
    let to = |to| PROGRAM.refund_to(&terms, REFUND, to, None);
    fixture.assert_refused(to(PROGRAM.order(terms.id())), EscrowError::EscrowAsParty);
    fixture.assert_refused(to(PROGRAM.attester_config()), EscrowError::EscrowAsParty);
    assert!(fixture.send(to(PROGRAM.id)).is_err());
    assert!(fixture.send(to(Address::default())).is_err());
    let tokens = terms_to_other_chain(Coin::Spl);
    let mut fixture = ProgramFixture::with_open_order(Coin::Spl, &tokens);
    fixture.set_time(tokens.refund_at + 1);
    let wrong_mint = PROGRAM.refund_to(&tokens, REFUND, Coin::Spl22.account(STRANGER), Coin::Spl.program());
    fixture.assert_refused(wrong_mint, EscrowError::BadTokenAccount);
    fixture.put_data(address_number(90), TOKEN_PROGRAM, token_data(MINT, PROGRAM.id, 0, &[]));
    fixture.assert_refused(
        PROGRAM.refund_to(&tokens, REFUND, address_number(90), Coin::Spl.program()),
        EscrowError::EscrowAsParty,
    );
}

#[test]
fn a_refund_that_cannot_be_paid_fails_whole_and_can_be_tried_again() {
    let terms = terms_to_other_chain(Coin::Spl);
    let mut fixture = ProgramFixture::with_open_order(Coin::Spl, &terms);
    fixture.set_time(terms.refund_at + 1);
    let mut frozen = token_data(MINT, REFUND, 0, &[]);
    frozen[108] = 2;
    fixture.put_data(Coin::Spl.account(REFUND), TOKEN_PROGRAM, frozen);
    fixture.assert_refused(expired(Coin::Spl, &terms), EscrowError::FrozenAccount);
    assert_eq!(fixture.order(terms.id()).status, OrderStatus::Open);
    fixture.put_tokens(Coin::Spl, REFUND, 0);
    fixture.send(expired(Coin::Spl, &terms)).unwrap();

    // An empty wallet that would stay below the rent-exempt minimum.
    let terms = IntentTerms {
        refund_to: word(address_number(91)),
        amount_in: alloy_primitives::U256::from(MIN_RENT_EXEMPT_LAMPORTS - 1),
        nonce: B256::ZERO,
        ..terms_to_other_chain(Coin::Sol)
    };
    let mut fixture = ProgramFixture::with_open_order(Coin::Sol, &terms);
    fixture.assert_refused(waive(Coin::Sol, &terms), EscrowError::NotRentExempt);
    fixture.put_lamports(address_number(91), MIN_RENT_EXEMPT_LAMPORTS);
    fixture.send(waive(Coin::Sol, &terms)).unwrap();
}
