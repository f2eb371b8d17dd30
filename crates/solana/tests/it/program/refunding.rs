use alloy_primitives::B256;
use causeway_domain::{Attestation, Terms};
use causeway_solana::TOKEN_PROGRAM;
use causeway_solana::program::{OrderStatus, RefundCause, Refusal};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use super::bench::*;
use super::tokens::token_data;

const THIRTY_DAYS: u64 = 30 * 86_400;

fn waive(coin: Coin, terms: &Terms) -> Instruction {
    PROGRAM.refund(terms, AccountMeta::new_readonly(FILLER, true), coin.program())
}

fn expired(coin: Coin, terms: &Terms) -> Instruction {
    PROGRAM.refund(terms, nobody(), coin.program())
}

#[track_caller]
fn assert_refunded(bench: &mut Bench, coin: Coin, terms: &Terms, refund: Instruction, cause: RefundCause) {
    let before = bench.holds(coin, REFUND);
    bench.send(refund.clone()).unwrap();
    assert_eq!(bench.holds(coin, REFUND) - before, AMOUNT);
    assert_eq!(bench.escrowed(coin, terms.id()), 0);
    let order = bench.order(terms.id());
    assert_eq!((order.status, order.paid_to), (OrderStatus::Refunded(cause), REFUND));
    bench.refuse(refund, Refusal::NotOpen);
}

#[test]
fn rule_7a_only_the_filler_waives_early() {
    for coin in Coin::ALL {
        for terms in [away(coin), within(coin, Coin::Spl)] {
            let mut bench = Bench::opened(coin, &terms);
            bench.refuse(expired(coin, &terms), Refusal::NotRefundable);
            let others = PROGRAM.refund(&terms, AccountMeta::new_readonly(USER, true), coin.program());
            bench.refuse(others, Refusal::NotRefundable);
            let mut unsigned = waive(coin, &terms);
            unsigned.accounts[3].is_signer = false;
            bench.refuse(unsigned, Refusal::NotRefundable);
            assert_refunded(&mut bench, coin, &terms, waive(coin, &terms), RefundCause::Waived);
        }
    }
}

#[test]
fn rule_7b_a_threshold_says_that_there_was_no_fill() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut bench = Bench::opened(coin, &terms);
        let refund = |bench: &Bench, time, which: &[usize]| {
            let attestation = Attestation::Unfilled { order: terms.id(), destination_time: time };
            let signatures = bench.attest(&attestation, which);
            PROGRAM.refund_unfilled(&terms, coin.program(), time, &signatures)
        };
        let (deadline, after) = (terms.fill_deadline, terms.fill_deadline + 1);
        bench.refuse(refund(&bench, deadline, &[0, 1]), Refusal::NotUnfilled);
        bench.refuse(refund(&bench, after, &[0]), Refusal::TooFewSignatures);
        bench.refuse(refund(&bench, after, &[0, 9]), Refusal::NotAnAttester);
        let good = refund(&bench, after, &[1, 2]);
        bench.refuse(with_account(good.clone(), 2, coin.account(STRANGER)), Refusal::WrongAddress);
        assert_refunded(&mut bench, coin, &terms, good, RefundCause::Unfilled);
    }
}

#[test]
fn rule_7c_anyone_gives_an_expired_deposit_back_and_rule_8_sooner_within_solana() {
    for coin in Coin::ALL {
        for (terms, until) in
            [(away(coin), away(coin).refund_at), (within(coin, Coin::Sol), away(coin).fill_deadline)]
        {
            let mut bench = Bench::opened(coin, &terms);
            bench.set_time(until);
            bench.refuse(expired(coin, &terms), Refusal::NotRefundable);
            bench.set_time(until + 1);
            let refund = expired(coin, &terms);
            bench.refuse(with_account(refund.clone(), 2, coin.account(STRANGER)), Refusal::WrongAddress);
            assert_refunded(&mut bench, coin, &terms, refund, RefundCause::Expired);
        }
    }
}

#[test]
fn rule_8_within_solana_a_delivered_order_is_refunded_to_nobody() {
    let terms = within(Coin::Spl, Coin::Sol);
    let mut bench = Bench::opened(Coin::Spl, &terms);
    bench.send(PROGRAM.fill(&terms, FILLER, None)).unwrap();
    bench.set_time(terms.refund_at + 1);
    bench.refuse(expired(Coin::Spl, &terms), Refusal::AlreadyFilled);
    bench.refuse(waive(Coin::Spl, &terms), Refusal::AlreadyFilled);
    // Another account in the record's place, as if there were no record.
    bench.refuse(with_account(expired(Coin::Spl, &terms), 1, STRANGER), Refusal::WrongAddress);
    bench
        .refuse(PROGRAM.refund_unfilled(&terms, Coin::Spl.program(), NOW, &[]), Refusal::AttestationsRefused);
    let redirect = PROGRAM.refund_to(&terms, REFUND, Coin::Spl.account(STRANGER), Coin::Spl.program());
    bench.refuse(redirect, Refusal::AlreadyFilled);
}

#[test]
fn rule_7_a_refund_address_that_cannot_receive_names_another() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let redirect = |caller| PROGRAM.refund_to(&terms, caller, coin.account(STRANGER), coin.program());
        let mut bench = Bench::opened(coin, &terms);
        bench.set_time(terms.refund_at);
        bench.refuse(redirect(REFUND), Refusal::NotRefundable);
        bench.set_time(terms.refund_at + 1);
        bench.refuse(redirect(STRANGER), Refusal::NotTheRefundAddress);
        bench.refuse(redirect(FILLER), Refusal::NotTheRefundAddress);
        let mut unsigned = redirect(REFUND);
        unsigned.accounts[3].is_signer = false;
        bench.refuse(unsigned, Refusal::NotSigner);
        bench.set_time(terms.refund_at + THIRTY_DAYS - 1);
        bench.refuse(redirect(USER), Refusal::NotTheRefundAddress);

        let before = bench.holds(coin, STRANGER);
        bench.send(redirect(REFUND)).unwrap();
        assert_eq!(bench.holds(coin, STRANGER) - before, AMOUNT);
        assert_eq!(bench.order(terms.id()).paid_to, STRANGER);

        let mut bench = Bench::opened(coin, &terms);
        bench.set_time(terms.refund_at + THIRTY_DAYS);
        bench.send(redirect(USER)).unwrap();
        bench.refuse(redirect(REFUND), Refusal::NotOpen);
    }
}

#[test]
fn a_refund_is_never_redirected_into_the_program_or_to_nobody() {
    let terms = away(Coin::Sol);
    let mut bench = Bench::opened(Coin::Sol, &terms);
    bench.set_time(terms.refund_at + 1);
    let to = |to| PROGRAM.refund_to(&terms, REFUND, to, None);
    bench.refuse(to(PROGRAM.order(terms.id())), Refusal::EscrowAsParty);
    bench.refuse(to(PROGRAM.office()), Refusal::EscrowAsParty);
    assert!(bench.send(to(PROGRAM.id)).is_err());
    assert!(bench.send(to(Address::default())).is_err());
    let tokens = away(Coin::Spl);
    let mut bench = Bench::opened(Coin::Spl, &tokens);
    bench.set_time(tokens.refund_at + 1);
    let wrong_mint = PROGRAM.refund_to(&tokens, REFUND, Coin::Spl22.account(STRANGER), Coin::Spl.program());
    bench.refuse(wrong_mint, Refusal::BadTokenAccount);
    bench.put_data(who(90), TOKEN_PROGRAM, token_data(MINT, PROGRAM.id, 0, &[]));
    bench.refuse(PROGRAM.refund_to(&tokens, REFUND, who(90), Coin::Spl.program()), Refusal::EscrowAsParty);
}

#[test]
fn a_refund_that_cannot_be_paid_fails_whole_and_can_be_tried_again() {
    let terms = away(Coin::Spl);
    let mut bench = Bench::opened(Coin::Spl, &terms);
    bench.set_time(terms.refund_at + 1);
    let mut frozen = token_data(MINT, REFUND, 0, &[]);
    frozen[108] = 2;
    bench.put_data(Coin::Spl.account(REFUND), TOKEN_PROGRAM, frozen);
    bench.refuse(expired(Coin::Spl, &terms), Refusal::FrozenAccount);
    assert_eq!(bench.order(terms.id()).status, OrderStatus::Open);
    bench.put_tokens(Coin::Spl, REFUND, 0);
    bench.send(expired(Coin::Spl, &terms)).unwrap();

    // A wallet that has nothing and would get too little to exist.
    let terms = Terms {
        refund_to: word(who(91)),
        amount_in: alloy_primitives::U256::from(LEAST - 1),
        nonce: B256::ZERO,
        ..away(Coin::Sol)
    };
    let mut bench = Bench::opened(Coin::Sol, &terms);
    bench.refuse(waive(Coin::Sol, &terms), Refusal::NotRentExempt);
    bench.put_lamports(who(91), LEAST);
    bench.send(waive(Coin::Sol, &terms)).unwrap();
}
