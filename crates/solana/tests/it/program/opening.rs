use alloy_primitives::{B256, U256};
use causeway_domain::Terms;
use causeway_solana::program::{OrderStatus, Refusal};
use solana_address::Address;

use super::bench::*;

#[test]
fn rule_4_opening_moves_exactly_the_amount_and_records_every_term() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut bench = Bench::new();
        let before = (bench.holds(coin, USER), bench.lamports(STRANGER));
        bench.send(PROGRAM.open(&terms, STRANGER, coin.source(USER))).unwrap();
        assert_eq!(before.0 - bench.holds(coin, USER), AMOUNT, "{coin:?}");
        assert_eq!(bench.escrowed(coin, terms.id()), AMOUNT);
        let order = bench.order(terms.id());
        assert_eq!((order.status, order.swept, order.opened_at), (OrderStatus::Open, false, NOW));
        assert_eq!((order.terms, order.payer), (terms, STRANGER));
        let vault_rent = bench.lamports(PROGRAM.vault(terms.id()));
        assert_eq!(before.1 - bench.lamports(STRANGER), order.rent + vault_rent, "the payer pays the rent");
    }
}

#[test]
fn rule_1_the_program_hashes_the_same_bytes_as_every_chain() {
    // The order's address is derived from the id that the program computes; another id would be refused.
    let terms = Terms { amount_out: U256::MAX, nonce: B256::repeat_byte(0xff), ..away(Coin::Sol) };
    let mut bench = Bench::opened(Coin::Sol, &terms);
    let other = Terms { amount_out: U256::from(1), ..terms };
    let open = PROGRAM.open(&other, USER, None);
    bench.refuse(with_account(open, 2, PROGRAM.order(B256::repeat_byte(1))), Refusal::WrongAddress);
}

#[test]
fn rules_3_and_4_terms_that_cannot_be_kept_are_refused() {
    let mut bench = Bench::new();
    let good = away(Coin::Sol);
    let own = word(PROGRAM.id);
    let table: Vec<(Terms, Refusal)> = vec![
        (Terms { origin_chain_id: 1, ..good }, Refusal::WrongChain),
        (Terms { escrow: word(STRANGER), ..good }, Refusal::WrongEscrow),
        (Terms { filler: B256::ZERO, ..good }, Refusal::ZeroAddress),
        (Terms { refund_to: B256::ZERO, ..good }, Refusal::ZeroAddress),
        (Terms { payee: B256::ZERO, ..good }, Refusal::ZeroAddress),
        (Terms { refund_to: own, ..good }, Refusal::EscrowAsParty),
        (Terms { payee: own, ..good }, Refusal::EscrowAsParty),
        (Terms { referrer: own, ..good }, Refusal::EscrowAsParty),
        (Terms { destination_chain_id: good.origin_chain_id, ..good }, Refusal::WrongSettler),
        (Terms { amount_in: U256::ZERO, ..good }, Refusal::ZeroAmount),
        (Terms { amount_out: U256::ZERO, ..good }, Refusal::ZeroAmount),
        (Terms { amount_in: U256::from(1) << 64, ..good }, Refusal::NumberTooLarge),
        (Terms { amount_in: U256::MAX, ..good }, Refusal::NumberTooLarge),
        (Terms { referrer_fee: U256::from(1), ..good }, Refusal::ZeroAddress),
        (
            Terms { referrer: word(REFERRER), referrer_fee: U256::from(AMOUNT + 1), ..good },
            Refusal::FeeAboveAmount,
        ),
        (Terms { open_deadline: good.fill_deadline, ..good }, Refusal::BadDeadlines),
        (Terms { refund_at: good.fill_deadline + MIN_GRACE - 1, ..good }, Refusal::BadDeadlines),
        (Terms { refund_at: good.fill_deadline + 7 * 86_400 + 1, ..good }, Refusal::BadDeadlines),
        (Terms { refund_at: good.fill_deadline - 1, ..good }, Refusal::BadDeadlines),
        (
            Terms { fill_deadline: u64::from(u32::MAX), refund_at: u64::from(u32::MAX) + 100, ..good },
            Refusal::BadDeadlines,
        ),
        (Terms { open_deadline: NOW - 1, ..good }, Refusal::OpenDeadlinePassed),
        (Terms { epoch: 0, ..good }, Refusal::WrongEpoch),
        (Terms { epoch: 2, ..good }, Refusal::WrongEpoch),
    ];
    for (terms, why) in table {
        bench.refuse(PROGRAM.open(&terms, USER, None), why);
    }
    let mut version = PROGRAM.open(&good, USER, None);
    assert_eq!(version.data[1..3], [1, 1], "one byte of version");
    version.data[2] = 2;
    bench.refuse(version, Refusal::WrongVersion);
    for terms in [
        Terms { refund_at: good.fill_deadline + MIN_GRACE, open_deadline: NOW, ..good },
        Terms { refund_at: good.fill_deadline + 7 * 86_400, ..good },
        Terms { referrer: word(REFERRER), referrer_fee: good.amount_in, ..good },
    ] {
        bench.open(Coin::Sol, &terms).unwrap();
    }
}

#[test]
fn rule_4_only_the_user_opens() {
    let mut bench = Bench::new();
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut unsigned = PROGRAM.open(&terms, STRANGER, coin.source(USER));
        unsigned.accounts[1].is_signer = false;
        bench.refuse(unsigned, Refusal::NotSigner);
        let mut unpaid = PROGRAM.open(&terms, STRANGER, coin.source(USER));
        unpaid.accounts[0].is_signer = false;
        bench.refuse(unpaid, Refusal::NotSigner);
        let open = PROGRAM.open(&terms, STRANGER, coin.source(USER));
        bench.refuse(with_account(open, 1, FILLER), Refusal::NotTheUser);
    }
    let others = PROGRAM.open(&away(Coin::Spl), USER, Coin::Spl.source(FILLER));
    bench.refuse(others, Refusal::BadTokenAccount);
}

#[test]
fn an_order_is_opened_once_even_after_its_end() {
    for coin in Coin::ALL {
        let terms = away(coin);
        let mut bench = Bench::opened(coin, &terms);
        let again = PROGRAM.open(&terms, USER, coin.source(USER));
        bench.refuse(again.clone(), Refusal::AlreadyOpened);
        bench.send(claim_by(&bench, coin, &terms, &[0, 1])).unwrap();
        bench.refuse(again, Refusal::AlreadyOpened);
        assert_eq!(bench.order(terms.id()).status, OrderStatus::Claimed);
    }
}

#[test]
fn rule_17_prefunded_addresses_do_not_stop_an_order() {
    for (coin, lamports) in Coin::ALL.into_iter().flat_map(|coin| [(coin, LEAST), (coin, 3 * SOL)]) {
        let terms = away(coin);
        let mut bench = Bench::new();
        bench.put_lamports(PROGRAM.order(terms.id()), lamports);
        bench.put_lamports(PROGRAM.vault(terms.id()), lamports);
        bench.open(coin, &terms).unwrap();
        assert!(bench.escrowed(coin, terms.id()) >= AMOUNT);
        bench.send(claim_by(&bench, coin, &terms, &[0, 1])).unwrap();
    }
}

#[test]
fn wrong_order_vault_and_office_accounts_are_refused() {
    let mut bench = Bench::new();
    let (terms, other) = (away(Coin::Spl), Terms { nonce: B256::ZERO, ..away(Coin::Spl) });
    let open = PROGRAM.open(&terms, USER, Coin::Spl.source(USER));
    bench.refuse(with_account(open.clone(), 2, PROGRAM.order(other.id())), Refusal::WrongAddress);
    bench.refuse(with_account(open.clone(), 5, PROGRAM.vault(other.id())), Refusal::WrongAddress);
    bench.refuse(with_account(open.clone(), 5, who(60)), Refusal::WrongAddress);
    bench.refuse(with_account(open.clone(), 3, STRANGER), Refusal::WrongOwner);
    bench.refuse(with_account(open.clone(), 3, PROGRAM.epoch(1)), Refusal::WrongKind);
    // Anyone can make an empty account that belongs to the program: it says nothing.
    bench.put_data(who(61), PROGRAM.id, vec![0; 48]);
    bench.refuse(with_account(open.clone(), 3, who(61)), Refusal::WrongKind);
    let mut fixed = open.clone();
    fixed.accounts[2].is_writable = false;
    bench.refuse(fixed, Refusal::NotWritable);
    let mut short = open;
    short.accounts.truncate(8);
    bench.refuse(short, Refusal::MissingAccount);
}

#[test]
fn too_little_money_opens_nothing() {
    let mut bench = Bench::new();
    bench.put_tokens(Coin::Spl, USER, AMOUNT - 1);
    bench.refuse(PROGRAM.open(&away(Coin::Spl), USER, Coin::Spl.source(USER)), Refusal::TooLittle);
    bench.put_lamports(USER, AMOUNT + LEAST);
    let terms = away(Coin::Sol);
    assert!(bench.open(Coin::Sol, &terms).is_err(), "no rent is left over");
    assert_eq!(bench.lamports(PROGRAM.order(terms.id())), 0);
}

#[test]
fn a_referrer_that_can_never_be_paid_opens_nothing() {
    let mut bench = Bench::new();
    let clock = Address::from_str_const("SysvarC1ock11111111111111111111111111111111");
    let fee = U256::from(1_000);
    let terms = |referrer| Terms { referrer: word(referrer), referrer_fee: fee, ..away(Coin::Sol) };
    bench.refuse(PROGRAM.open(&terms(clock), USER, None), Refusal::BadReferrer);
    let token_program = Coin::Spl.program().unwrap();
    bench.refuse(PROGRAM.open(&terms(token_program), USER, None), Refusal::BadReferrer);
    let mut absent = PROGRAM.open(&terms(REFERRER), USER, None);
    absent.accounts.pop();
    absent.data = PROGRAM.open(&terms(REFERRER), USER, None).data;
    assert!(bench.send(absent).is_err());
    bench.send(PROGRAM.open(&terms(REFERRER), USER, None)).unwrap();
}
