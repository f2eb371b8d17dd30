use alloy_primitives::U256;
use causeway_domain::IntentTerms;
use causeway_solana::TOKEN_PROGRAM;
use causeway_solana::program::{EscrowError, FillMarker, TokenSource};
use solana_address::Address;

use super::fixture::*;
use super::tokens::token_data;

#[test]
fn rule_5_anyone_fills_and_the_recipient_gains_exactly_the_amount() {
    for coin in Coin::ALL {
        for terms in [terms_from_other_chain(coin), terms_within_solana(Coin::Sol, coin)] {
            let mut fixture = ProgramFixture::new();
            let before = (fixture.balance(coin, RECIPIENT), fixture.balance(coin, STRANGER));
            let marker = PROGRAM.fill_marker(terms.id());
            fixture.send(PROGRAM.fill(&terms, STRANGER, coin.source(STRANGER))).unwrap();
            assert_eq!(fixture.balance(coin, RECIPIENT) - before.0, OUT);
            let rent = if coin == Coin::Sol { fixture.lamports(marker) } else { 0 };
            assert_eq!(before.1 - fixture.balance(coin, STRANGER), OUT + rent);
            let record = FillMarker::parse(&fixture.data(marker)).unwrap();
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
        let mut fixture = ProgramFixture::new();
        let terms = terms_from_other_chain(coin);
        fixture.send(PROGRAM.fill(&terms, STRANGER, coin.source(STRANGER))).unwrap();
        let delivered = fixture.balance(coin, RECIPIENT);
        fixture.assert_refused(
            PROGRAM.fill(&terms, STRANGER, coin.source(STRANGER)),
            EscrowError::AlreadyFilled,
        );
        fixture.assert_refused(PROGRAM.fill(&terms, FILLER, coin.source(FILLER)), EscrowError::AlreadyFilled);
        assert_eq!(fixture.balance(coin, RECIPIENT), delivered);
        // Not under another order's marker either: its address is derived from the id.
        let other = IntentTerms { nonce: word(USER), ..terms };
        let fill = PROGRAM.fill(&terms, FILLER, coin.source(FILLER));
        fixture.assert_refused(
            with_account(fill, 1, PROGRAM.fill_marker(other.id())),
            EscrowError::WrongAddress,
        );
    }
}

#[test]
fn rule_3_a_fill_is_in_time_or_refused() {
    let mut fixture = ProgramFixture::new();
    let terms = terms_from_other_chain(Coin::Sol);
    fixture.set_time(terms.fill_deadline + 1);
    fixture.assert_refused(PROGRAM.fill(&terms, STRANGER, None), EscrowError::FillDeadlinePassed);
    fixture.set_time(terms.fill_deadline);
    fixture.send(PROGRAM.fill(&terms, STRANGER, None)).unwrap();
}

#[test]
fn rule_5_foreign_orders_and_invalid_recipients_are_refused() {
    let mut fixture = ProgramFixture::new();
    let good = terms_from_other_chain(Coin::Spl);
    let table = [
        (IntentTerms { destination_chain_id: 1, ..good }, EscrowError::WrongChain),
        (IntentTerms { settler: word(STRANGER), ..good }, EscrowError::WrongSettler),
        (IntentTerms { recipient: word(Address::default()), ..good }, EscrowError::BadRecipient),
        (IntentTerms { recipient: word(PROGRAM.id), ..good }, EscrowError::BadRecipient),
        (IntentTerms { recipient: good.output_token, ..good }, EscrowError::BadRecipient),
        (IntentTerms { recipient: good.escrow, ..good }, EscrowError::BadRecipient),
        (IntentTerms { amount_out: U256::ZERO, ..good }, EscrowError::ZeroAmount),
        (IntentTerms { amount_out: U256::from(1) << 64, ..good }, EscrowError::NumberTooLarge),
    ];
    for (terms, why) in table {
        fixture.assert_refused(PROGRAM.fill(&terms, STRANGER, Coin::Spl.source(STRANGER)), why);
    }
    let programs = IntentTerms { recipient: word(TOKEN_PROGRAM), ..terms_from_other_chain(Coin::Sol) };
    fixture.assert_refused(PROGRAM.fill(&programs, STRANGER, None), EscrowError::BadRecipient);
}

#[test]
fn the_delivery_goes_to_the_recipient_and_nobody_else() {
    let mut fixture = ProgramFixture::new();
    let sol = PROGRAM.fill(&terms_from_other_chain(Coin::Sol), STRANGER, None);
    fixture.assert_refused(with_account(sol.clone(), 3, STRANGER), EscrowError::BadRecipient);
    let token = PROGRAM.fill(&terms_from_other_chain(Coin::Spl), STRANGER, Coin::Spl.source(STRANGER));
    fixture
        .assert_refused(with_account(token.clone(), 3, Coin::Spl.account(FILLER)), EscrowError::WrongAddress);
    // Not even to another account of the recipient: wallets show only the associated one.
    fixture.put_data(address_number(70), TOKEN_PROGRAM, token_data(MINT, RECIPIENT, 0, &[]));
    fixture.assert_refused(with_account(token.clone(), 3, address_number(70)), EscrowError::WrongAddress);
    fixture.assert_refused(with_account(token.clone(), 5, MINT_22), EscrowError::WrongMint);
    let mut unsigned = token.clone();
    unsigned.accounts[0].is_signer = false;
    fixture.assert_refused(unsigned, EscrowError::NotSigner);
    // Tokens of an owner who did not sign: the token program refuses.
    assert!(fixture.send(with_account(token, 4, Coin::Spl.account(FILLER))).is_err());
}

#[test]
fn fill_to_the_source_account_is_refused() {
    for coin in Coin::ALL {
        let mut fixture = ProgramFixture::new();
        let source = coin
            .program()
            .map(|token_program| TokenSource { account: coin.account(RECIPIENT), token_program });
        fixture.assert_refused(
            PROGRAM.fill(&terms_from_other_chain(coin), RECIPIENT, source),
            EscrowError::WrongDelta,
        );
    }
}

#[test]
fn rule_19_a_delivery_leaves_the_recipient_rent_exempt() {
    let mut fixture = ProgramFixture::new();
    let fresh = address_number(71);
    let small = IntentTerms {
        recipient: word(fresh),
        amount_out: U256::from(MIN_RENT_EXEMPT_LAMPORTS - 1),
        ..terms_from_other_chain(Coin::Sol)
    };
    fixture.assert_refused(PROGRAM.fill(&small, STRANGER, None), EscrowError::NotRentExempt);
    let enough = IntentTerms { amount_out: U256::from(MIN_RENT_EXEMPT_LAMPORTS), ..small };
    fixture.send(PROGRAM.fill(&enough, STRANGER, None)).unwrap();
    assert_eq!(fixture.lamports(fresh), MIN_RENT_EXEMPT_LAMPORTS);
    // A fill needs the token account: the transaction creates it, not the program.
    let fresh = IntentTerms { recipient: word(fresh), ..terms_from_other_chain(Coin::Spl) };
    fixture.assert_refused(
        PROGRAM.fill(&fresh, STRANGER, Coin::Spl.source(STRANGER)),
        EscrowError::BadTokenAccount,
    );
}

#[test]
fn rule_17_a_prefunded_record_does_not_stop_a_fill() {
    let mut fixture = ProgramFixture::new();
    let terms = terms_from_other_chain(Coin::Sol);
    fixture.put_lamports(PROGRAM.fill_marker(terms.id()), 2 * SOL);
    fixture.send(PROGRAM.fill(&terms, STRANGER, None)).unwrap();
    assert_eq!(fixture.lamports(PROGRAM.fill_marker(terms.id())), 2 * SOL);
}
