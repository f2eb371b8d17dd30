use alloy_primitives::U256;
use causeway_domain::Terms;
use causeway_solana::TOKEN_PROGRAM;
use causeway_solana::program::{FillMarker, Refusal, TokenSource};
use solana_address::Address;

use super::bench::*;
use super::tokens::token_data;

#[test]
fn rule_5_anyone_fills_and_the_recipient_gains_exactly_the_amount() {
    for coin in Coin::ALL {
        for terms in [here(coin), within(Coin::Sol, coin)] {
            let mut bench = Bench::new();
            let before = (bench.holds(coin, RECIPIENT), bench.holds(coin, STRANGER));
            let marker = PROGRAM.fill_marker(terms.id());
            bench.send(PROGRAM.fill(&terms, STRANGER, coin.source(STRANGER))).unwrap();
            assert_eq!(bench.holds(coin, RECIPIENT) - before.0, OUT);
            let rent = if coin == Coin::Sol { bench.lamports(marker) } else { 0 };
            assert_eq!(before.1 - bench.holds(coin, STRANGER), OUT + rent);
            let record = FillMarker::parse(&bench.data(marker)).unwrap();
            let wanted = FillMarker {
                order: terms.id(),
                filled_at: NOW,
                kept_until: terms.refund_at,
                payer: STRANGER,
            };
            assert_eq!(record, wanted);
        }
    }
}

#[test]
fn rule_5_an_order_is_filled_once() {
    for coin in Coin::ALL {
        let mut bench = Bench::new();
        let terms = here(coin);
        bench.send(PROGRAM.fill(&terms, STRANGER, coin.source(STRANGER))).unwrap();
        let delivered = bench.holds(coin, RECIPIENT);
        bench.refuse(PROGRAM.fill(&terms, STRANGER, coin.source(STRANGER)), Refusal::AlreadyFilled);
        bench.refuse(PROGRAM.fill(&terms, FILLER, coin.source(FILLER)), Refusal::AlreadyFilled);
        assert_eq!(bench.holds(coin, RECIPIENT), delivered);
        // Under another order's record neither: the record's address is derived from the id.
        let other = Terms { nonce: word(USER), ..terms };
        let fill = PROGRAM.fill(&terms, FILLER, coin.source(FILLER));
        bench.refuse(with_account(fill, 1, PROGRAM.fill_marker(other.id())), Refusal::WrongAddress);
    }
}

#[test]
fn rule_3_a_fill_is_in_time_or_refused() {
    let mut bench = Bench::new();
    let terms = here(Coin::Sol);
    bench.set_time(terms.fill_deadline + 1);
    bench.refuse(PROGRAM.fill(&terms, STRANGER, None), Refusal::FillDeadlinePassed);
    bench.set_time(terms.fill_deadline);
    bench.send(PROGRAM.fill(&terms, STRANGER, None)).unwrap();
}

#[test]
fn rule_5_orders_for_elsewhere_and_recipients_that_are_nobody_are_refused() {
    let mut bench = Bench::new();
    let good = here(Coin::Spl);
    let table = [
        (Terms { destination_chain_id: 1, ..good }, Refusal::WrongChain),
        (Terms { settler: word(STRANGER), ..good }, Refusal::WrongSettler),
        (Terms { recipient: word(Address::default()), ..good }, Refusal::BadRecipient),
        (Terms { recipient: word(PROGRAM.id), ..good }, Refusal::BadRecipient),
        (Terms { recipient: good.output_token, ..good }, Refusal::BadRecipient),
        (Terms { recipient: good.escrow, ..good }, Refusal::BadRecipient),
        (Terms { amount_out: U256::ZERO, ..good }, Refusal::ZeroAmount),
        (Terms { amount_out: U256::from(1) << 64, ..good }, Refusal::NumberTooLarge),
    ];
    for (terms, why) in table {
        bench.refuse(PROGRAM.fill(&terms, STRANGER, Coin::Spl.source(STRANGER)), why);
    }
    let programs = Terms { recipient: word(TOKEN_PROGRAM), ..here(Coin::Sol) };
    bench.refuse(PROGRAM.fill(&programs, STRANGER, None), Refusal::BadRecipient);
}

#[test]
fn the_delivery_goes_to_the_recipient_and_nobody_else() {
    let mut bench = Bench::new();
    let sol = PROGRAM.fill(&here(Coin::Sol), STRANGER, None);
    bench.refuse(with_account(sol.clone(), 3, STRANGER), Refusal::BadRecipient);
    let token = PROGRAM.fill(&here(Coin::Spl), STRANGER, Coin::Spl.source(STRANGER));
    bench.refuse(with_account(token.clone(), 3, Coin::Spl.account(FILLER)), Refusal::WrongAddress);
    // Not even to another account of the recipient: wallets look at one.
    bench.put_data(who(70), TOKEN_PROGRAM, token_data(MINT, RECIPIENT, 0, &[]));
    bench.refuse(with_account(token.clone(), 3, who(70)), Refusal::WrongAddress);
    bench.refuse(with_account(token.clone(), 5, MINT_22), Refusal::WrongMint);
    let mut unsigned = token.clone();
    unsigned.accounts[0].is_signer = false;
    bench.refuse(unsigned, Refusal::NotSigner);
    // Tokens of somebody who did not sign: the token program's own refusal.
    assert!(bench.send(with_account(token, 4, Coin::Spl.account(FILLER))).is_err());
}

#[test]
fn a_delivery_to_oneself_is_none() {
    for coin in Coin::ALL {
        let mut bench = Bench::new();
        let source = coin
            .program()
            .map(|token_program| TokenSource { account: coin.account(RECIPIENT), token_program });
        bench.refuse(PROGRAM.fill(&here(coin), RECIPIENT, source), Refusal::WrongDelta);
    }
}

#[test]
fn rule_19_a_delivery_leaves_the_recipient_rent_exempt() {
    let mut bench = Bench::new();
    let fresh = who(71);
    let small = Terms { recipient: word(fresh), amount_out: U256::from(LEAST - 1), ..here(Coin::Sol) };
    bench.refuse(PROGRAM.fill(&small, STRANGER, None), Refusal::NotRentExempt);
    let enough = Terms { amount_out: U256::from(LEAST), ..small };
    bench.send(PROGRAM.fill(&enough, STRANGER, None)).unwrap();
    assert_eq!(bench.lamports(fresh), LEAST);
    // No token account, no delivery: making one is part of the transaction, not of the program.
    let fresh = Terms { recipient: word(fresh), ..here(Coin::Spl) };
    bench.refuse(PROGRAM.fill(&fresh, STRANGER, Coin::Spl.source(STRANGER)), Refusal::BadTokenAccount);
}

#[test]
fn rule_17_a_prefunded_record_does_not_stop_a_fill() {
    let mut bench = Bench::new();
    let terms = here(Coin::Sol);
    bench.put_lamports(PROGRAM.fill_marker(terms.id()), 2 * SOL);
    bench.send(PROGRAM.fill(&terms, STRANGER, None)).unwrap();
    assert_eq!(bench.lamports(PROGRAM.fill_marker(terms.id())), 2 * SOL);
}
