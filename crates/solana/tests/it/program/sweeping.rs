use alloy_primitives::U256;
use causeway_domain::IntentTerms;
use causeway_solana::TOKEN_PROGRAM;
use causeway_solana::program::{EscrowError, Holding, OrderStatus};
use solana_instruction::Instruction;

use super::fixture::*;
use super::tokens::token_data;

/// Transfers to the order's deposit address, as any wallet would.
fn pay_in(fixture: &mut ProgramFixture, coin: Coin, terms: &IntentTerms, amount: u64) {
    let deposit = PROGRAM.deposit(terms.id());
    let held = fixture.balance(coin, deposit);
    fixture.put(coin, deposit, held + amount);
}

fn sweep(coin: Coin, terms: &IntentTerms) -> Instruction {
    PROGRAM.sweep(terms, STRANGER, coin.source(PROGRAM.deposit(terms.id())))
}

fn give_back(coin: Coin, terms: &IntentTerms, close: bool) -> Instruction {
    let deposit = PROGRAM.deposit(terms.id());
    let holding = coin.program().map(|token_program| Holding {
        account: coin.account(deposit),
        mint: coin.mint(),
        token_program,
        close,
    });
    PROGRAM.give_back(terms, holding)
}

#[test]
fn rule_15_anyone_sweeps_exactly_the_amount_into_the_order() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::new();
        pay_in(&mut fixture, coin, &terms, AMOUNT);
        let before = fixture.balance(coin, USER);
        fixture.send(sweep(coin, &terms)).unwrap();
        assert_eq!(fixture.escrowed(coin, terms.id()), AMOUNT);
        assert_eq!(fixture.balance(coin, PROGRAM.deposit(terms.id())), 0);
        let order = fixture.order(terms.id());
        assert_eq!((order.status, order.swept, order.payer), (OrderStatus::Open, true, STRANGER));
        assert_eq!(fixture.balance(coin, USER), before, "nobody signed for the user");
        fixture.send(claim_by(&fixture, coin, &terms, &[0, 1])).unwrap();
    }
}

#[test]
fn rule_15_insufficient_deposit_opens_nothing_and_waits() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::new();
        pay_in(&mut fixture, coin, &terms, AMOUNT - 1);
        fixture.assert_refused(sweep(coin, &terms), EscrowError::TooLittle);
        fixture.assert_refused(give_back(coin, &terms, false), EscrowError::StillAwaited);
        pay_in(&mut fixture, coin, &terms, 1);
        fixture.send(sweep(coin, &terms)).unwrap();
    }
}

#[test]
fn rule_19_surplus_goes_to_the_refund_address() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::new();
        pay_in(&mut fixture, coin, &terms, AMOUNT + 12_345);
        let before = fixture.balance(coin, REFUND);
        fixture.send(sweep(coin, &terms)).unwrap();
        if coin != Coin::Sol {
            fixture.send(give_back(coin, &terms, true)).unwrap();
        }
        assert_eq!(fixture.balance(coin, REFUND) - before, 12_345);
        assert_eq!(fixture.escrowed(coin, terms.id()), AMOUNT);
        assert_eq!(fixture.lamports(coin.account(PROGRAM.deposit(terms.id()))), 0);
    }
}

#[test]
fn surplus_below_rent_exemption_cannot_block_a_sweep() {
    let terms = IntentTerms { refund_to: word(address_number(100)), ..terms_to_other_chain(Coin::Sol) };
    let mut fixture = ProgramFixture::new();
    pay_in(&mut fixture, Coin::Sol, &terms, AMOUNT + 1);
    fixture.send(sweep(Coin::Sol, &terms)).unwrap();
    assert_eq!(fixture.escrowed(Coin::Sol, terms.id()), AMOUNT + 1);
    let before = fixture.balance(Coin::Sol, PAYEE);
    fixture.send(claim_by(&fixture, Coin::Sol, &terms, &[0, 1])).unwrap();
    assert_eq!(fixture.balance(Coin::Sol, PAYEE) - before, AMOUNT, "the payee gets the deposit and no more");
}

#[test]
fn rule_15_late_deposit_is_returned_and_opens_nothing() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::new();
        pay_in(&mut fixture, coin, &terms, AMOUNT);
        fixture.set_time(terms.open_deadline);
        fixture.assert_refused(give_back(coin, &terms, true), EscrowError::StillAwaited);
        fixture.set_time(terms.open_deadline + 1);
        fixture.assert_refused(sweep(coin, &terms), EscrowError::OpenDeadlinePassed);
        let before = fixture.balance(coin, REFUND);
        fixture.send(give_back(coin, &terms, true)).unwrap();
        assert_eq!(fixture.balance(coin, REFUND) - before, AMOUNT);
        assert_eq!(fixture.lamports(coin.account(PROGRAM.deposit(terms.id()))), 0);
    }
}

#[test]
fn rule_15_other_currencies_are_returned_at_once() {
    for (coin, others) in [
        (Coin::Sol, [Coin::Spl, Coin::Spl22]),
        (Coin::Spl, [Coin::Sol, Coin::Spl22]),
        (Coin::Spl22, [Coin::Sol, Coin::Spl]),
    ] {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::new();
        for other in others {
            pay_in(&mut fixture, other, &terms, AMOUNT);
            let before = fixture.balance(other, REFUND);
            fixture.send(give_back(other, &terms, false)).unwrap();
            assert_eq!(fixture.balance(other, REFUND) - before, AMOUNT);
        }
        pay_in(&mut fixture, coin, &terms, AMOUNT);
        fixture.send(sweep(coin, &terms)).unwrap();
        pay_in(&mut fixture, coin, &terms, 2 * AMOUNT);
        let before = fixture.balance(coin, REFUND);
        fixture.send(give_back(coin, &terms, false)).unwrap();
        assert_eq!(
            fixture.balance(coin, REFUND) - before,
            2 * AMOUNT,
            "the order is open: a second deposit is over"
        );
        assert_eq!(fixture.escrowed(coin, terms.id()), AMOUNT);
    }
}

#[test]
fn closing_an_emptied_account_returns_its_rent_to_the_refund_address() {
    let terms = terms_to_other_chain(Coin::Sol);
    let mut fixture = ProgramFixture::new();
    pay_in(&mut fixture, Coin::Spl, &terms, AMOUNT);
    let account = Coin::Spl.account(PROGRAM.deposit(terms.id()));
    let (before, rent) = (fixture.lamports(REFUND), fixture.lamports(account));
    fixture.send(give_back(Coin::Spl, &terms, true)).unwrap();
    assert_eq!(fixture.lamports(REFUND) - before, rent);
    assert!(fixture.data(account).is_empty());
}

#[test]
fn deposit_is_sent_only_where_its_terms_say() {
    for coin in Coin::ALL {
        let (terms, other) =
            (terms_to_other_chain(coin), IntentTerms { nonce: word(USER), ..terms_to_other_chain(coin) });
        let mut fixture = ProgramFixture::new();
        pay_in(&mut fixture, coin, &terms, AMOUNT);
        pay_in(&mut fixture, coin, &other, AMOUNT);
        let good = sweep(coin, &terms);
        fixture.assert_refused(with_account(good.clone(), 5, STRANGER), EscrowError::WrongAddress);
        fixture.assert_refused(
            with_account(good.clone(), 1, PROGRAM.deposit(other.id())),
            EscrowError::WrongAddress,
        );
        fixture.assert_refused(
            with_account(good.clone(), 2, PROGRAM.order(other.id())),
            EscrowError::WrongAddress,
        );
        let mut unsigned = good.clone();
        unsigned.accounts[0].is_signer = false;
        fixture.assert_refused(unsigned, EscrowError::NotSigner);
        if coin != Coin::Sol {
            fixture.assert_refused(
                with_account(good.clone(), 6, PROGRAM.vault(other.id())),
                EscrowError::WrongAddress,
            );
            fixture.assert_refused(
                with_account(good.clone(), 7, coin.account(USER)),
                EscrowError::BadTokenAccount,
            );
        }
        fixture.send(good.clone()).unwrap();
        pay_in(&mut fixture, coin, &terms, AMOUNT);
        fixture.assert_refused(good, EscrowError::AlreadyOpened);

        let back = give_back(coin, &terms, false);
        fixture.assert_refused(with_account(back.clone(), 2, STRANGER), EscrowError::WrongAddress);
        fixture.assert_refused(
            with_account(back.clone(), 0, PROGRAM.deposit(other.id())),
            EscrowError::WrongAddress,
        );
        fixture.assert_refused(
            with_account(back.clone(), 1, PROGRAM.order(other.id())),
            EscrowError::WrongAddress,
        );
        if coin != Coin::Sol {
            fixture.assert_refused(
                with_account(back.clone(), 5, coin.account(STRANGER)),
                EscrowError::WrongAddress,
            );
            fixture.assert_refused(
                with_account(back.clone(), 4, PROGRAM.vault(terms.id())),
                EscrowError::BadTokenAccount,
            );
        }
        fixture.send(back).unwrap();
    }
}

#[test]
fn deposits_of_foreign_or_invalid_orders_do_not_move() {
    let mut fixture = ProgramFixture::new();
    let terms = terms_from_other_chain(Coin::Sol);
    fixture.assert_refused(give_back(Coin::Sol, &terms, false), EscrowError::WrongChain);
    let terms = IntentTerms { escrow: word(STRANGER), ..terms_to_other_chain(Coin::Sol) };
    fixture.assert_refused(give_back(Coin::Sol, &terms, false), EscrowError::WrongEscrow);
    fixture.assert_refused(
        give_back(Coin::Sol, &terms_to_other_chain(Coin::Spl), false),
        EscrowError::TooLittle,
    );
    let paused = terms_to_other_chain(Coin::Sol);
    pay_in(&mut fixture, Coin::Sol, &paused, AMOUNT);
    let until = NOW + 100;
    let pause = PROGRAM.pause(1, until, &fixture.sign(PROGRAM.pause_digest(1, until), &[0])[0]);
    fixture.send(pause).unwrap();
    fixture.assert_refused(sweep(Coin::Sol, &paused), EscrowError::OpeningPaused);
}

#[test]
fn tokens_in_any_account_of_the_deposit_address_can_be_swept() {
    let terms = terms_to_other_chain(Coin::Spl);
    let mut fixture = ProgramFixture::new();
    let deposit = PROGRAM.deposit(terms.id());
    fixture.put_data(address_number(101), TOKEN_PROGRAM, token_data(MINT, deposit, AMOUNT + 1, &[]));
    let source =
        causeway_solana::program::TokenSource { account: address_number(101), token_program: TOKEN_PROGRAM };
    fixture.send(PROGRAM.sweep(&terms, STRANGER, Some(source))).unwrap();
    assert_eq!(fixture.escrowed(Coin::Spl, terms.id()), AMOUNT);
}

#[test]
fn a_fee_in_sol_is_checked_at_a_sweep_too() {
    let clock = solana_address::Address::from_str_const("SysvarC1ock11111111111111111111111111111111");
    let terms =
        IntentTerms { referrer: word(clock), referrer_fee: U256::from(1), ..terms_to_other_chain(Coin::Sol) };
    let mut fixture = ProgramFixture::new();
    pay_in(&mut fixture, Coin::Sol, &terms, AMOUNT);
    fixture.assert_refused(sweep(Coin::Sol, &terms), EscrowError::BadReferrer);
    let terms = IntentTerms {
        referrer: word(REFERRER),
        referrer_fee: U256::from(9),
        ..terms_to_other_chain(Coin::Sol)
    };
    pay_in(&mut fixture, Coin::Sol, &terms, AMOUNT);
    fixture.send(sweep(Coin::Sol, &terms)).unwrap();
}
