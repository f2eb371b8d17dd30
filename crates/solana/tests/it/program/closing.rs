use causeway_domain::Terms;
use causeway_solana::program::Refusal;

use super::bench::*;
use super::tokens::token_data;

/// An order that was paid by a stranger for its user, and has been claimed.
fn claimed(coin: Coin, terms: &Terms) -> Bench {
    let mut bench = Bench::new();
    bench.send(PROGRAM.open(terms, STRANGER, coin.source(USER))).unwrap();
    bench.send(claim_by(&bench, coin, terms, &[0, 1])).unwrap();
    bench
}

#[test]
fn rule_18_an_orders_rent_returns_to_its_payer_past_the_open_deadline() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut bench = claimed(coin, &terms);
        let close = PROGRAM.close_order(&terms, STRANGER, coin.program());
        bench.set_time(terms.open_deadline);
        bench.refuse(close.clone(), Refusal::TooEarly);
        bench.set_time(terms.open_deadline + 1);
        bench.refuse(with_account(close.clone(), 1, USER), Refusal::WrongAddress);
        let rent = bench.lamports(PROGRAM.order(terms.id())) + bench.lamports(PROGRAM.vault(terms.id()));
        let before = bench.lamports(STRANGER);
        bench.send(close.clone()).unwrap();
        assert_eq!(bench.lamports(STRANGER) - before, rent, "{coin:?}");
        assert!(
            bench.svm.get_account(&PROGRAM.order(terms.id())).is_none_or(|account| account.lamports == 0)
        );
        bench.refuse(close, Refusal::WrongOwner);
        bench.refuse(PROGRAM.open(&terms, USER, coin.source(USER)), Refusal::OpenDeadlinePassed);
        bench.refuse(claim_by(&bench, coin, &terms, &[0, 1]), Refusal::WrongOwner);
    }
}

#[test]
fn an_order_that_has_not_ended_is_kept_for_ever() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut bench = Bench::opened(coin, &terms);
        bench.set_time(terms.refund_at + 4_000 * 86_400);
        bench.refuse(PROGRAM.close_order(&terms, USER, coin.program()), Refusal::NotEnded);
    }
}

#[test]
fn what_strangers_added_to_a_deposit_goes_to_the_refund_address() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut bench = Bench::new();
        bench.send(PROGRAM.open(&terms, STRANGER, coin.source(USER))).unwrap();
        if let Some(program) = coin.program() {
            let vault = PROGRAM.vault(terms.id());
            bench.put_data(vault, program, token_data(coin.mint(), vault, AMOUNT + 777, &[]));
        } else {
            let mut account = bench.svm.get_account(&PROGRAM.order(terms.id())).unwrap();
            account.lamports += 777;
            bench.svm.set_account(PROGRAM.order(terms.id()), account).unwrap();
        }
        let paid = bench.holds(coin, PAYEE);
        bench.send(claim_by(&bench, coin, &terms, &[0, 1])).unwrap();
        assert_eq!(bench.holds(coin, PAYEE) - paid, AMOUNT);
        bench.set_time(terms.open_deadline + 1);
        let close = PROGRAM.close_order(&terms, STRANGER, coin.program());
        bench.refuse(with_account(close.clone(), 2, coin.account(STRANGER)), Refusal::WrongAddress);
        let before = bench.holds(coin, REFUND);
        bench.send(close).unwrap();
        assert_eq!(bench.holds(coin, REFUND) - before, 777, "{coin:?}");
    }
}

#[test]
fn a_surplus_that_the_refund_address_cannot_hold_goes_with_the_rent() {
    let terms = Terms { refund_to: word(who(110)), ..away(Coin::Sol) };
    let mut bench = claimed(Coin::Sol, &terms);
    let mut account = bench.svm.get_account(&PROGRAM.order(terms.id())).unwrap();
    account.lamports += 5;
    let all = account.lamports;
    bench.svm.set_account(PROGRAM.order(terms.id()), account).unwrap();
    bench.set_time(terms.open_deadline + 1);
    let before = bench.lamports(STRANGER);
    bench.send(PROGRAM.close_order(&terms, STRANGER, None)).unwrap();
    assert_eq!(bench.lamports(STRANGER) - before, all);
}

#[test]
fn a_vault_of_another_order_is_not_closed() {
    let (terms, other) = (away(Coin::Spl), Terms { nonce: word(USER), ..away(Coin::Spl) });
    let mut bench = claimed(Coin::Spl, &terms);
    bench.open(Coin::Spl, &other).unwrap();
    bench.set_time(terms.open_deadline + 1);
    let close = PROGRAM.close_order(&terms, STRANGER, Coin::Spl.program());
    bench.refuse(with_account(close, 3, PROGRAM.vault(other.id())), Refusal::WrongAddress);
}

#[test]
fn rule_18_a_record_of_a_fill_is_kept_past_the_refund_time() {
    let terms = here(Coin::Sol);
    let mut bench = Bench::new();
    bench.send(PROGRAM.fill(&terms, STRANGER, None)).unwrap();
    let marker = PROGRAM.fill_marker(terms.id());
    let close = PROGRAM.close_fill(terms.id(), STRANGER);
    bench.set_time(terms.refund_at);
    bench.refuse(close.clone(), Refusal::TooEarly);
    bench.set_time(terms.refund_at + 1);
    bench.refuse(PROGRAM.close_fill(terms.id(), FILLER), Refusal::WrongAddress);
    let (before, rent) = (bench.lamports(STRANGER), bench.lamports(marker));
    bench.send(close.clone()).unwrap();
    assert_eq!(bench.lamports(STRANGER) - before, rent);
    bench.refuse(close, Refusal::WrongOwner);
    bench.refuse(PROGRAM.fill(&terms, STRANGER, None), Refusal::FillDeadlinePassed);
}

#[test]
fn within_solana_a_record_outlives_its_unclaimed_order() {
    let terms = within(Coin::Spl, Coin::Sol);
    let mut bench = Bench::opened(Coin::Spl, &terms);
    bench.send(PROGRAM.fill(&terms, FILLER, None)).unwrap();
    bench.set_time(terms.refund_at + 999);
    let close = PROGRAM.close_fill(terms.id(), FILLER);
    bench.refuse(close.clone(), Refusal::NotEnded);
    bench.refuse(with_account(close.clone(), 2, PROGRAM.order(word(USER))), Refusal::WrongAddress);
    bench.send(PROGRAM.claim_recorded(&terms, Coin::Spl.program())).unwrap();
    bench.send(close).unwrap();
    bench.send(PROGRAM.close_order(&terms, USER, Coin::Spl.program())).unwrap();
}

#[test]
fn rule_18_a_closed_order_is_not_opened_again_by_the_same_deposit() {
    let terms = within(Coin::Sol, Coin::Sol);
    let mut bench = Bench::opened(Coin::Sol, &terms);
    bench.send(PROGRAM.fill(&terms, FILLER, None)).unwrap();
    bench.send(PROGRAM.claim_recorded(&terms, None)).unwrap();
    bench.set_time(terms.open_deadline);
    bench.refuse(PROGRAM.close_order(&terms, USER, None), Refusal::TooEarly);
    bench.refuse(PROGRAM.open(&terms, USER, None), Refusal::AlreadyOpened);
    bench.set_time(terms.open_deadline + 1);
    bench.send(PROGRAM.close_order(&terms, USER, None)).unwrap();
    bench.put_lamports(PROGRAM.deposit(terms.id()), AMOUNT);
    bench.refuse(PROGRAM.sweep(&terms, STRANGER, None), Refusal::OpenDeadlinePassed);
}
