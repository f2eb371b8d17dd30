use causeway_domain::IntentTerms;
use causeway_solana::program::EscrowError;

use super::fixture::*;
use super::tokens::token_data;

/// A claimed order whose rent a stranger paid.
fn claimed(coin: Coin, terms: &IntentTerms) -> ProgramFixture {
    let mut fixture = ProgramFixture::new();
    fixture.send(PROGRAM.open(terms, STRANGER, coin.source(USER))).unwrap();
    fixture.send(claim_by(&fixture, coin, terms, &[0, 1])).unwrap();
    fixture
}

#[test]
fn rule_18_an_orders_rent_returns_to_its_payer_past_the_open_deadline() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = claimed(coin, &terms);
        let close = PROGRAM.close_order(&terms, STRANGER, coin.program());
        fixture.set_time(terms.open_deadline);
        fixture.assert_refused(close.clone(), EscrowError::TooEarly);
        fixture.set_time(terms.open_deadline + 1);
        fixture.assert_refused(with_account(close.clone(), 1, USER), EscrowError::WrongAddress);
        let rent = fixture.lamports(PROGRAM.order(terms.id())) + fixture.lamports(PROGRAM.vault(terms.id()));
        let before = fixture.lamports(STRANGER);
        fixture.send(close.clone()).unwrap();
        assert_eq!(fixture.lamports(STRANGER) - before, rent, "{coin:?}");
        assert!(
            fixture.svm.get_account(&PROGRAM.order(terms.id())).is_none_or(|account| account.lamports == 0)
        );
        fixture.assert_refused(close, EscrowError::WrongOwner);
        fixture
            .assert_refused(PROGRAM.open(&terms, USER, coin.source(USER)), EscrowError::OpenDeadlinePassed);
        fixture.assert_refused(claim_by(&fixture, coin, &terms, &[0, 1]), EscrowError::WrongOwner);
    }
}

#[test]
fn order_that_has_not_ended_cannot_be_closed() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::with_open_order(coin, &terms);
        fixture.set_time(terms.refund_at + 4_000 * 86_400);
        fixture.assert_refused(PROGRAM.close_order(&terms, USER, coin.program()), EscrowError::NotEnded);
    }
}

#[test]
fn amounts_added_to_a_deposit_go_to_the_refund_address() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::new();
        fixture.send(PROGRAM.open(&terms, STRANGER, coin.source(USER))).unwrap();
        if let Some(program) = coin.program() {
            let vault = PROGRAM.vault(terms.id());
            fixture.put_data(vault, program, token_data(coin.mint(), vault, AMOUNT + 777, &[]));
        } else {
            let mut account = fixture.svm.get_account(&PROGRAM.order(terms.id())).unwrap();
            account.lamports += 777;
            fixture.svm.set_account(PROGRAM.order(terms.id()), account).unwrap();
        }
        let paid = fixture.balance(coin, PAYEE);
        fixture.send(claim_by(&fixture, coin, &terms, &[0, 1])).unwrap();
        assert_eq!(fixture.balance(coin, PAYEE) - paid, AMOUNT);
        fixture.set_time(terms.open_deadline + 1);
        let close = PROGRAM.close_order(&terms, STRANGER, coin.program());
        fixture.assert_refused(
            with_account(close.clone(), 2, coin.account(STRANGER)),
            EscrowError::WrongAddress,
        );
        let before = fixture.balance(coin, REFUND);
        fixture.send(close).unwrap();
        assert_eq!(fixture.balance(coin, REFUND) - before, 777, "{coin:?}");
    }
}

/// A stray token must not lock the rent of an order whose refund address has no account for it.
#[test]
fn dust_in_a_vault_does_not_lock_its_rent() {
    for coin in [Coin::Spl, Coin::Spl22] {
        let terms = IntentTerms { refund_to: word(address_number(110)), ..terms_to_other_chain(coin) };
        let mut fixture = claimed(coin, &terms);
        let (program, vault) = (coin.program().unwrap(), PROGRAM.vault(terms.id()));
        fixture.put_data(vault, program, token_data(coin.mint(), vault, 3, &[]));
        fixture.set_time(terms.open_deadline + 1);
        let close = PROGRAM.close_order(&terms, STRANGER, Some(program));
        let thief = with_account(close.clone(), 6, coin.account(USER));
        fixture.assert_refused(thief, EscrowError::WrongAddress);
        let rent = fixture.lamports(PROGRAM.order(terms.id())) + fixture.lamports(vault);
        let before = (fixture.lamports(STRANGER), fixture.balance(coin, STRANGER));
        fixture.send(close).unwrap();
        assert_eq!(fixture.lamports(STRANGER) - before.0, rent, "{coin:?}");
        assert_eq!(fixture.balance(coin, STRANGER) - before.1, 3);

        // Where the refund address can take it, nobody else gets it.
        let mut fixture = claimed(coin, &terms);
        fixture.put_data(vault, program, token_data(coin.mint(), vault, 3, &[]));
        fixture.put_tokens(coin, address_number(110), 0);
        fixture.set_time(terms.open_deadline + 1);
        let before = fixture.balance(coin, STRANGER);
        fixture.send(PROGRAM.close_order(&terms, STRANGER, Some(program))).unwrap();
        assert_eq!(fixture.balance(coin, address_number(110)), 3);
        assert_eq!(fixture.balance(coin, STRANGER), before);
    }
}

#[test]
fn surplus_below_rent_exemption_goes_to_the_rent_payer() {
    let terms = IntentTerms { refund_to: word(address_number(110)), ..terms_to_other_chain(Coin::Sol) };
    let mut fixture = claimed(Coin::Sol, &terms);
    let mut account = fixture.svm.get_account(&PROGRAM.order(terms.id())).unwrap();
    account.lamports += 5;
    let all = account.lamports;
    fixture.svm.set_account(PROGRAM.order(terms.id()), account).unwrap();
    fixture.set_time(terms.open_deadline + 1);
    let before = fixture.lamports(STRANGER);
    fixture.send(PROGRAM.close_order(&terms, STRANGER, None)).unwrap();
    assert_eq!(fixture.lamports(STRANGER) - before, all);
}

#[test]
fn a_vault_of_another_order_is_not_closed() {
    let (terms, other) = (
        terms_to_other_chain(Coin::Spl),
        IntentTerms { nonce: word(USER), ..terms_to_other_chain(Coin::Spl) },
    );
    let mut fixture = claimed(Coin::Spl, &terms);
    fixture.open(Coin::Spl, &other).unwrap();
    fixture.set_time(terms.open_deadline + 1);
    let close = PROGRAM.close_order(&terms, STRANGER, Coin::Spl.program());
    fixture.assert_refused(with_account(close, 3, PROGRAM.vault(other.id())), EscrowError::WrongAddress);
}

#[test]
fn rule_18_a_record_of_a_fill_is_kept_past_the_refund_time() {
    let terms = terms_from_other_chain(Coin::Sol);
    let mut fixture = ProgramFixture::new();
    fixture.send(PROGRAM.fill(&terms, STRANGER, None)).unwrap();
    let marker = PROGRAM.fill_marker(terms.id());
    let close = PROGRAM.close_fill(terms.id(), STRANGER);
    fixture.set_time(terms.refund_at);
    fixture.assert_refused(close.clone(), EscrowError::TooEarly);
    fixture.set_time(terms.refund_at + 1);
    fixture.assert_refused(PROGRAM.close_fill(terms.id(), FILLER), EscrowError::WrongAddress);
    let (before, rent) = (fixture.lamports(STRANGER), fixture.lamports(marker));
    fixture.send(close.clone()).unwrap();
    assert_eq!(fixture.lamports(STRANGER) - before, rent);
    fixture.assert_refused(close, EscrowError::WrongOwner);
    fixture.assert_refused(PROGRAM.fill(&terms, STRANGER, None), EscrowError::FillDeadlinePassed);
}

#[test]
fn within_solana_a_record_outlives_its_unclaimed_order() {
    let terms = terms_within_solana(Coin::Spl, Coin::Sol);
    let mut fixture = ProgramFixture::with_open_order(Coin::Spl, &terms);
    fixture.send(PROGRAM.fill(&terms, FILLER, None)).unwrap();
    fixture.set_time(terms.refund_at + 999);
    let close = PROGRAM.close_fill(terms.id(), FILLER);
    fixture.assert_refused(close.clone(), EscrowError::NotEnded);
    fixture
        .assert_refused(with_account(close.clone(), 2, PROGRAM.order(word(USER))), EscrowError::WrongAddress);
    fixture.send(PROGRAM.claim_recorded(&terms, Coin::Spl.program())).unwrap();
    fixture.send(close).unwrap();
    fixture.send(PROGRAM.close_order(&terms, USER, Coin::Spl.program())).unwrap();
}

#[test]
fn rule_18_a_closed_order_is_not_opened_again_by_the_same_deposit() {
    let terms = terms_within_solana(Coin::Sol, Coin::Sol);
    let mut fixture = ProgramFixture::with_open_order(Coin::Sol, &terms);
    fixture.send(PROGRAM.fill(&terms, FILLER, None)).unwrap();
    fixture.send(PROGRAM.claim_recorded(&terms, None)).unwrap();
    fixture.set_time(terms.open_deadline);
    fixture.assert_refused(PROGRAM.close_order(&terms, USER, None), EscrowError::TooEarly);
    fixture.assert_refused(PROGRAM.open(&terms, USER, None), EscrowError::AlreadyOpened);
    fixture.set_time(terms.open_deadline + 1);
    fixture.send(PROGRAM.close_order(&terms, USER, None)).unwrap();
    fixture.put_lamports(PROGRAM.deposit(terms.id()), AMOUNT);
    fixture.assert_refused(PROGRAM.sweep(&terms, STRANGER, None), EscrowError::OpenDeadlinePassed);
}
