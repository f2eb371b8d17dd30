use alloy_primitives::U256;
use causeway_domain::Terms;
use causeway_solana::TOKEN_PROGRAM;
use causeway_solana::program::{Holding, OrderStatus, Refusal};
use solana_instruction::Instruction;

use super::bench::*;
use super::tokens::token_data;

/// Sends money to the order's deposit address, as any wallet would.
fn arrive(bench: &mut Bench, coin: Coin, terms: &Terms, amount: u64) {
    let deposit = PROGRAM.deposit(terms.id());
    let held = bench.holds(coin, deposit);
    bench.put(coin, deposit, held + amount);
}

fn sweep(coin: Coin, terms: &Terms) -> Instruction {
    PROGRAM.sweep(terms, STRANGER, coin.source(PROGRAM.deposit(terms.id())))
}

fn give_back(coin: Coin, terms: &Terms, close: bool) -> Instruction {
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
        let terms = away(coin);
        let mut bench = Bench::new();
        arrive(&mut bench, coin, &terms, AMOUNT);
        let before = bench.holds(coin, USER);
        bench.send(sweep(coin, &terms)).unwrap();
        assert_eq!(bench.escrowed(coin, terms.id()), AMOUNT);
        assert_eq!(bench.holds(coin, PROGRAM.deposit(terms.id())), 0);
        let order = bench.order(terms.id());
        assert_eq!((order.status, order.swept, order.payer), (OrderStatus::Open, true, STRANGER));
        assert_eq!(bench.holds(coin, USER), before, "nobody signed for the user");
        bench.send(claim_by(&bench, coin, &terms, &[0, 1])).unwrap();
    }
}

#[test]
fn rule_15_too_little_opens_nothing_and_waits() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut bench = Bench::new();
        arrive(&mut bench, coin, &terms, AMOUNT - 1);
        bench.refuse(sweep(coin, &terms), Refusal::TooLittle);
        bench.refuse(give_back(coin, &terms, false), Refusal::StillAwaited);
        arrive(&mut bench, coin, &terms, 1);
        bench.send(sweep(coin, &terms)).unwrap();
    }
}

#[test]
fn rule_19_what_is_over_goes_to_the_refund_address() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut bench = Bench::new();
        arrive(&mut bench, coin, &terms, AMOUNT + 12_345);
        let before = bench.holds(coin, REFUND);
        bench.send(sweep(coin, &terms)).unwrap();
        if coin != Coin::Sol {
            bench.send(give_back(coin, &terms, true)).unwrap();
        }
        assert_eq!(bench.holds(coin, REFUND) - before, 12_345);
        assert_eq!(bench.escrowed(coin, terms.id()), AMOUNT);
        assert_eq!(bench.lamports(coin.account(PROGRAM.deposit(terms.id()))), 0);
    }
}

#[test]
fn a_rest_too_small_for_the_refund_address_cannot_stop_a_sweep() {
    let terms = Terms { refund_to: word(who(100)), ..away(Coin::Sol) };
    let mut bench = Bench::new();
    arrive(&mut bench, Coin::Sol, &terms, AMOUNT + 1);
    bench.send(sweep(Coin::Sol, &terms)).unwrap();
    assert_eq!(bench.escrowed(Coin::Sol, terms.id()), AMOUNT + 1);
    let before = bench.holds(Coin::Sol, PAYEE);
    bench.send(claim_by(&bench, Coin::Sol, &terms, &[0, 1])).unwrap();
    assert_eq!(bench.holds(Coin::Sol, PAYEE) - before, AMOUNT, "the payee gets the deposit and no more");
}

#[test]
fn rule_15_late_money_goes_back_and_opens_nothing() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut bench = Bench::new();
        arrive(&mut bench, coin, &terms, AMOUNT);
        bench.set_time(terms.open_deadline);
        bench.refuse(give_back(coin, &terms, true), Refusal::StillAwaited);
        bench.set_time(terms.open_deadline + 1);
        bench.refuse(sweep(coin, &terms), Refusal::OpenDeadlinePassed);
        let before = bench.holds(coin, REFUND);
        bench.send(give_back(coin, &terms, true)).unwrap();
        assert_eq!(bench.holds(coin, REFUND) - before, AMOUNT);
        assert_eq!(bench.lamports(coin.account(PROGRAM.deposit(terms.id()))), 0);
    }
}

#[test]
fn rule_15_other_money_goes_back_at_once() {
    for (coin, others) in [
        (Coin::Sol, [Coin::Spl, Coin::Spl22]),
        (Coin::Spl, [Coin::Sol, Coin::Spl22]),
        (Coin::Spl22, [Coin::Sol, Coin::Spl]),
    ] {
        let terms = away(coin);
        let mut bench = Bench::new();
        for other in others {
            arrive(&mut bench, other, &terms, AMOUNT);
            let before = bench.holds(other, REFUND);
            bench.send(give_back(other, &terms, false)).unwrap();
            assert_eq!(bench.holds(other, REFUND) - before, AMOUNT);
        }
        arrive(&mut bench, coin, &terms, AMOUNT);
        bench.send(sweep(coin, &terms)).unwrap();
        arrive(&mut bench, coin, &terms, 2 * AMOUNT);
        let before = bench.holds(coin, REFUND);
        bench.send(give_back(coin, &terms, false)).unwrap();
        assert_eq!(
            bench.holds(coin, REFUND) - before,
            2 * AMOUNT,
            "the order is open: a second deposit is over"
        );
        assert_eq!(bench.escrowed(coin, terms.id()), AMOUNT);
    }
}

#[test]
fn closing_an_emptied_account_gives_its_rent_to_the_refund_address() {
    let terms = away(Coin::Sol);
    let mut bench = Bench::new();
    arrive(&mut bench, Coin::Spl, &terms, AMOUNT);
    let account = Coin::Spl.account(PROGRAM.deposit(terms.id()));
    let (before, rent) = (bench.lamports(REFUND), bench.lamports(account));
    bench.send(give_back(Coin::Spl, &terms, true)).unwrap();
    assert_eq!(bench.lamports(REFUND) - before, rent);
    assert!(bench.data(account).is_empty());
}

#[test]
fn a_deposit_goes_nowhere_but_where_its_terms_say() {
    for coin in Coin::ALL {
        let (terms, other) = (away(coin), Terms { nonce: word(USER), ..away(coin) });
        let mut bench = Bench::new();
        arrive(&mut bench, coin, &terms, AMOUNT);
        arrive(&mut bench, coin, &other, AMOUNT);
        let good = sweep(coin, &terms);
        bench.refuse(with_account(good.clone(), 5, STRANGER), Refusal::WrongAddress);
        bench.refuse(with_account(good.clone(), 1, PROGRAM.deposit(other.id())), Refusal::WrongAddress);
        bench.refuse(with_account(good.clone(), 2, PROGRAM.order(other.id())), Refusal::WrongAddress);
        let mut unsigned = good.clone();
        unsigned.accounts[0].is_signer = false;
        bench.refuse(unsigned, Refusal::NotSigner);
        if coin != Coin::Sol {
            bench.refuse(with_account(good.clone(), 6, PROGRAM.vault(other.id())), Refusal::WrongAddress);
            bench.refuse(with_account(good.clone(), 7, coin.account(USER)), Refusal::BadTokenAccount);
        }
        bench.send(good.clone()).unwrap();
        arrive(&mut bench, coin, &terms, AMOUNT);
        bench.refuse(good, Refusal::AlreadyOpened);

        let back = give_back(coin, &terms, false);
        bench.refuse(with_account(back.clone(), 2, STRANGER), Refusal::WrongAddress);
        bench.refuse(with_account(back.clone(), 0, PROGRAM.deposit(other.id())), Refusal::WrongAddress);
        bench.refuse(with_account(back.clone(), 1, PROGRAM.order(other.id())), Refusal::WrongAddress);
        if coin != Coin::Sol {
            bench.refuse(with_account(back.clone(), 5, coin.account(STRANGER)), Refusal::WrongAddress);
            bench.refuse(with_account(back.clone(), 4, PROGRAM.vault(terms.id())), Refusal::BadTokenAccount);
        }
        bench.send(back).unwrap();
    }
}

#[test]
fn deposits_of_orders_from_elsewhere_and_of_nobody_do_not_move() {
    let mut bench = Bench::new();
    let terms = here(Coin::Sol);
    bench.refuse(give_back(Coin::Sol, &terms, false), Refusal::WrongChain);
    let terms = Terms { escrow: word(STRANGER), ..away(Coin::Sol) };
    bench.refuse(give_back(Coin::Sol, &terms, false), Refusal::WrongEscrow);
    bench.refuse(give_back(Coin::Sol, &away(Coin::Spl), false), Refusal::TooLittle);
    let paused = away(Coin::Sol);
    arrive(&mut bench, Coin::Sol, &paused, AMOUNT);
    let until = NOW + 100;
    let pause = PROGRAM.pause(1, until, &bench.sign(PROGRAM.pause_digest(1, until), &[0])[0]);
    bench.send(pause).unwrap();
    bench.refuse(sweep(Coin::Sol, &paused), Refusal::OpeningPaused);
}

#[test]
fn money_in_any_account_of_the_deposit_address_is_found() {
    let terms = away(Coin::Spl);
    let mut bench = Bench::new();
    let deposit = PROGRAM.deposit(terms.id());
    bench.put_data(who(101), TOKEN_PROGRAM, token_data(MINT, deposit, AMOUNT + 1, &[]));
    let source = causeway_solana::program::TokenSource { account: who(101), token_program: TOKEN_PROGRAM };
    bench.send(PROGRAM.sweep(&terms, STRANGER, Some(source))).unwrap();
    assert_eq!(bench.escrowed(Coin::Spl, terms.id()), AMOUNT);
}

#[test]
fn a_fee_in_sol_is_checked_at_a_sweep_too() {
    let clock = solana_address::Address::from_str_const("SysvarC1ock11111111111111111111111111111111");
    let terms = Terms { referrer: word(clock), referrer_fee: U256::from(1), ..away(Coin::Sol) };
    let mut bench = Bench::new();
    arrive(&mut bench, Coin::Sol, &terms, AMOUNT);
    bench.refuse(sweep(Coin::Sol, &terms), Refusal::BadReferrer);
    let terms = Terms { referrer: word(REFERRER), referrer_fee: U256::from(9), ..away(Coin::Sol) };
    arrive(&mut bench, Coin::Sol, &terms, AMOUNT);
    bench.send(sweep(Coin::Sol, &terms)).unwrap();
}
