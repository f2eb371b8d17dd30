use alloy_primitives::{B256, U256};
use causeway_domain::IntentTerms;
use causeway_solana::program::{EscrowError, OrderStatus};
use solana_address::Address;

use super::fixture::*;

#[test]
fn rule_4_opening_moves_exactly_the_amount_and_records_every_term() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::new();
        let before = (fixture.balance(coin, USER), fixture.lamports(STRANGER));
        fixture.send(PROGRAM.open(&terms, STRANGER, coin.source(USER))).unwrap();
        assert_eq!(before.0 - fixture.balance(coin, USER), AMOUNT, "{coin:?}");
        assert_eq!(fixture.escrowed(coin, terms.id()), AMOUNT);
        let order = fixture.order(terms.id());
        assert_eq!((order.status, order.swept, order.opened_at), (OrderStatus::Open, false, NOW));
        assert_eq!((order.terms, order.payer), (terms, STRANGER));
        let vault_rent = fixture.lamports(PROGRAM.vault(terms.id()));
        assert_eq!(before.1 - fixture.lamports(STRANGER), order.rent + vault_rent, "the payer pays the rent");
    }
}

#[test]
fn rule_1_the_program_hashes_the_same_bytes_as_every_chain() {
    // The order's address is derived from the id that the program computes; another id would be refused.
    let terms = IntentTerms {
        amount_out: U256::MAX,
        nonce: B256::repeat_byte(0xff),
        ..terms_to_other_chain(Coin::Sol)
    };
    let mut fixture = ProgramFixture::with_open_order(Coin::Sol, &terms);
    let other = IntentTerms { amount_out: U256::from(1), ..terms };
    let open = PROGRAM.open(&other, USER, None);
    fixture.assert_refused(
        with_account(open, 2, PROGRAM.order(B256::repeat_byte(1))),
        EscrowError::WrongAddress,
    );
}

#[test]
fn rules_3_and_4_invalid_terms_are_refused() {
    let mut fixture = ProgramFixture::new();
    let good = terms_to_other_chain(Coin::Sol);
    let own = word(PROGRAM.id);
    let until = |fill_deadline| IntentTerms { fill_deadline, refund_at: fill_deadline + 3_600, ..good };
    let table: Vec<(IntentTerms, EscrowError)> = vec![
        (IntentTerms { origin_chain_id: 1, ..good }, EscrowError::WrongChain),
        (IntentTerms { escrow: word(STRANGER), ..good }, EscrowError::WrongEscrow),
        (IntentTerms { filler: B256::ZERO, ..good }, EscrowError::ZeroAddress),
        (IntentTerms { refund_to: B256::ZERO, ..good }, EscrowError::ZeroAddress),
        (IntentTerms { payee: B256::ZERO, ..good }, EscrowError::ZeroAddress),
        (IntentTerms { refund_to: own, ..good }, EscrowError::EscrowAsParty),
        (IntentTerms { payee: own, ..good }, EscrowError::EscrowAsParty),
        (IntentTerms { referrer: own, ..good }, EscrowError::EscrowAsParty),
        (IntentTerms { destination_chain_id: good.origin_chain_id, ..good }, EscrowError::WrongSettler),
        (IntentTerms { amount_in: U256::ZERO, ..good }, EscrowError::ZeroAmount),
        (IntentTerms { amount_out: U256::ZERO, ..good }, EscrowError::ZeroAmount),
        (IntentTerms { amount_in: U256::from(1) << 64, ..good }, EscrowError::NumberTooLarge),
        (IntentTerms { amount_in: U256::MAX, ..good }, EscrowError::NumberTooLarge),
        (IntentTerms { referrer_fee: U256::from(1), ..good }, EscrowError::ZeroAddress),
        (
            IntentTerms { referrer: word(REFERRER), referrer_fee: U256::from(AMOUNT + 1), ..good },
            EscrowError::FeeAboveAmount,
        ),
        (IntentTerms { open_deadline: good.fill_deadline, ..good }, EscrowError::BadDeadlines),
        (IntentTerms { refund_at: good.fill_deadline + MIN_GRACE - 1, ..good }, EscrowError::BadDeadlines),
        (IntentTerms { refund_at: good.fill_deadline + 7 * 86_400 + 1, ..good }, EscrowError::BadDeadlines),
        (IntentTerms { refund_at: good.fill_deadline - 1, ..good }, EscrowError::BadDeadlines),
        (
            IntentTerms { fill_deadline: u64::from(u32::MAX), refund_at: u64::from(u32::MAX) + 100, ..good },
            EscrowError::BadDeadlines,
        ),
        (until(NOW + 7 * 86_400 + 1), EscrowError::FillDeadlineTooFar),
        (IntentTerms { open_deadline: NOW - 1, ..good }, EscrowError::OpenDeadlinePassed),
        (IntentTerms { epoch: 0, ..good }, EscrowError::WrongEpoch),
        (IntentTerms { epoch: 2, ..good }, EscrowError::WrongEpoch),
    ];
    for (terms, why) in table {
        fixture.assert_refused(PROGRAM.open(&terms, USER, None), why);
    }
    let mut version = PROGRAM.open(&good, USER, None);
    assert_eq!(version.data[1..3], [1, 2], "one byte of version");
    for other in [1, 3] {
        version.data[2] = other;
        fixture.assert_refused(version.clone(), EscrowError::WrongVersion);
    }
    for terms in [
        IntentTerms { refund_at: good.fill_deadline + MIN_GRACE, open_deadline: NOW, ..good },
        IntentTerms { refund_at: good.fill_deadline + 7 * 86_400, ..good },
        until(NOW + 7 * 86_400),
        IntentTerms { referrer: word(REFERRER), referrer_fee: good.amount_in, ..good },
    ] {
        fixture.open(Coin::Sol, &terms).unwrap();
    }
}

#[test]
fn rule_4_only_the_user_opens() {
    let mut fixture = ProgramFixture::new();
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut unsigned = PROGRAM.open(&terms, STRANGER, coin.source(USER));
        unsigned.accounts[1].is_signer = false;
        fixture.assert_refused(unsigned, EscrowError::NotSigner);
        let mut unpaid = PROGRAM.open(&terms, STRANGER, coin.source(USER));
        unpaid.accounts[0].is_signer = false;
        fixture.assert_refused(unpaid, EscrowError::NotSigner);
        let open = PROGRAM.open(&terms, STRANGER, coin.source(USER));
        fixture.assert_refused(with_account(open, 1, FILLER), EscrowError::NotTheUser);
    }
    let others = PROGRAM.open(&terms_to_other_chain(Coin::Spl), USER, Coin::Spl.source(FILLER));
    fixture.assert_refused(others, EscrowError::BadTokenAccount);
}

#[test]
fn an_order_is_opened_once_even_after_its_end() {
    for coin in Coin::ALL {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::with_open_order(coin, &terms);
        let again = PROGRAM.open(&terms, USER, coin.source(USER));
        fixture.assert_refused(again.clone(), EscrowError::AlreadyOpened);
        fixture.send(claim_by(&fixture, coin, &terms, &[0, 1])).unwrap();
        fixture.assert_refused(again, EscrowError::AlreadyOpened);
        assert_eq!(fixture.order(terms.id()).status, OrderStatus::Claimed);
    }
}

#[test]
fn rule_17_prefunded_addresses_do_not_stop_an_order() {
    for (coin, lamports) in
        Coin::ALL.into_iter().flat_map(|coin| [(coin, MIN_RENT_EXEMPT_LAMPORTS), (coin, 3 * SOL)])
    {
        let terms = terms_to_other_chain(coin);
        let mut fixture = ProgramFixture::new();
        fixture.put_lamports(PROGRAM.order(terms.id()), lamports);
        fixture.put_lamports(PROGRAM.vault(terms.id()), lamports);
        fixture.open(coin, &terms).unwrap();
        assert!(fixture.escrowed(coin, terms.id()) >= AMOUNT);
        fixture.send(claim_by(&fixture, coin, &terms, &[0, 1])).unwrap();
    }
}

#[test]
fn wrong_order_vault_and_config_accounts_are_refused() {
    let mut fixture = ProgramFixture::new();
    let (terms, other) = (
        terms_to_other_chain(Coin::Spl),
        IntentTerms { nonce: B256::ZERO, ..terms_to_other_chain(Coin::Spl) },
    );
    let open = PROGRAM.open(&terms, USER, Coin::Spl.source(USER));
    fixture
        .assert_refused(with_account(open.clone(), 2, PROGRAM.order(other.id())), EscrowError::WrongAddress);
    fixture
        .assert_refused(with_account(open.clone(), 5, PROGRAM.vault(other.id())), EscrowError::WrongAddress);
    fixture.assert_refused(with_account(open.clone(), 5, address_number(60)), EscrowError::WrongAddress);
    fixture.assert_refused(with_account(open.clone(), 3, STRANGER), EscrowError::WrongOwner);
    fixture.assert_refused(with_account(open.clone(), 3, PROGRAM.epoch(1)), EscrowError::WrongKind);
    // Anyone can create an empty account that belongs to the program; it proves nothing.
    fixture.put_data(address_number(61), PROGRAM.id, vec![0; 48]);
    fixture.assert_refused(with_account(open.clone(), 3, address_number(61)), EscrowError::WrongKind);
    let mut fixed = open.clone();
    fixed.accounts[2].is_writable = false;
    fixture.assert_refused(fixed, EscrowError::NotWritable);
    let mut short = open;
    short.accounts.truncate(8);
    fixture.assert_refused(short, EscrowError::MissingAccount);
}

#[test]
fn insufficient_balance_opens_nothing() {
    let mut fixture = ProgramFixture::new();
    fixture.put_tokens(Coin::Spl, USER, AMOUNT - 1);
    fixture.assert_refused(
        PROGRAM.open(&terms_to_other_chain(Coin::Spl), USER, Coin::Spl.source(USER)),
        EscrowError::TooLittle,
    );
    fixture.put_lamports(USER, AMOUNT + MIN_RENT_EXEMPT_LAMPORTS);
    let terms = terms_to_other_chain(Coin::Sol);
    assert!(fixture.open(Coin::Sol, &terms).is_err(), "no rent is left over");
    assert_eq!(fixture.lamports(PROGRAM.order(terms.id())), 0);
}

#[test]
fn a_referrer_that_can_never_be_paid_opens_nothing() {
    let mut fixture = ProgramFixture::new();
    let clock = Address::from_str_const("SysvarC1ock11111111111111111111111111111111");
    let fee = U256::from(1_000);
    let terms = |referrer| IntentTerms {
        referrer: word(referrer),
        referrer_fee: fee,
        ..terms_to_other_chain(Coin::Sol)
    };
    fixture.assert_refused(PROGRAM.open(&terms(clock), USER, None), EscrowError::BadReferrer);
    let token_program = Coin::Spl.program().unwrap();
    fixture.assert_refused(PROGRAM.open(&terms(token_program), USER, None), EscrowError::BadReferrer);
    let mut absent = PROGRAM.open(&terms(REFERRER), USER, None);
    absent.accounts.pop();
    absent.data = PROGRAM.open(&terms(REFERRER), USER, None).data;
    assert!(fixture.send(absent).is_err());
    fixture.send(PROGRAM.open(&terms(REFERRER), USER, None)).unwrap();
}
