//! Claims of many orders with one signature of each attester.

use alloy_primitives::{B256, U256};
use causeway_domain::IntentTerms;
use causeway_solana::program::{BatchFill, EscrowError, MAX_INSTRUCTION_COMPUTE_UNITS, OrderStatus};
use solana_instruction::Instruction;

use super::fixture::*;
use super::tokens::token_data;

const FEE: u64 = 1_000;
const FILLED_AT: u64 = NOW + 700;
const FILL_REF: B256 = B256::repeat_byte(0xcd);

fn order(coin: Coin, number: u8) -> IntentTerms {
    IntentTerms { nonce: B256::repeat_byte(number), ..terms_to_other_chain(coin) }
}

fn referred(coin: Coin, number: u8) -> IntentTerms {
    IntentTerms { referrer: word(REFERRER), referrer_fee: U256::from(FEE), ..order(coin, number) }
}

fn open_all(coin: Coin, orders: &[IntentTerms]) -> ProgramFixture {
    let mut fixture = ProgramFixture::new();
    for terms in orders {
        fixture.open(coin, terms).unwrap();
    }
    fixture
}

fn fills<'a>(orders: &'a [IntentTerms], closed: &[usize]) -> Vec<BatchFill<'a>> {
    let fill = |(place, terms)| BatchFill {
        terms,
        filled_at: FILLED_AT,
        fill_ref: FILL_REF,
        is_closed: closed.contains(&place),
    };
    orders.iter().enumerate().map(fill).collect()
}

fn signed_ids(
    fixture: &ProgramFixture,
    ids: &[B256],
    which: &[usize],
) -> Vec<causeway_domain::SignatureBytes> {
    let list: Vec<_> = ids.iter().map(|id| (*id, FILLED_AT, FILL_REF)).collect();
    fixture.sign(PROGRAM.batch_digest(&list), which)
}

/// The claim of these orders, signed by these attesters.
fn batch_by(fixture: &ProgramFixture, coin: Coin, orders: &[IntentTerms], which: &[usize]) -> Instruction {
    let ids: Vec<_> = orders.iter().map(IntentTerms::id).collect();
    let signatures = signed_ids(fixture, &ids, which);
    PROGRAM.claim_batch(&fills(orders, &[]), coin.program(), &signatures).unwrap()
}

#[test]
fn rule_31_one_signature_of_each_attester_claims_every_order_of_the_list() {
    for coin in Coin::ALL {
        let orders = [order(coin, 1), referred(coin, 2), order(coin, 3), referred(coin, 4)];
        let mut fixture = open_all(coin, &orders);
        let before = (fixture.balance(coin, PAYEE), fixture.balance(coin, REFERRER));
        let batch = batch_by(&fixture, coin, &orders, &[0, 2]);
        fixture.send(batch.clone()).unwrap();
        assert_eq!(fixture.balance(coin, PAYEE) - before.0, 4 * AMOUNT - 2 * FEE, "{coin:?}");
        assert_eq!(fixture.balance(coin, REFERRER) - before.1, 2 * FEE);
        for terms in &orders {
            let order = fixture.order(terms.id());
            assert_eq!((order.status, order.paid_to), (OrderStatus::Claimed, PAYEE));
            assert_eq!((order.filled_at, order.fill_ref), (FILLED_AT, FILL_REF));
            assert_eq!(order.referrer_paid, !terms.referrer_fee.is_zero());
            assert_eq!(fixture.escrowed(coin, terms.id()), 0);
        }
        // Nothing is paid twice: every order is skipped now.
        let before = fixture.balance(coin, PAYEE);
        fixture.set_time(NOW + 800);
        fixture.send(batch).unwrap();
        assert_eq!(fixture.balance(coin, PAYEE), before);
        assert!(orders.iter().all(|terms| fixture.order(terms.id()).ended_at == NOW));
    }
}

#[test]
fn rule_31_an_order_that_has_ended_is_skipped_and_the_others_are_paid() {
    for coin in Coin::ALL {
        let orders = [order(coin, 1), referred(coin, 2), order(coin, 3), order(coin, 4)];
        let mut fixture = open_all(coin, &orders);
        fixture.send(claim_by(&fixture, coin, &orders[0], &[0, 1])).unwrap();
        let waived = solana_instruction::AccountMeta::new_readonly(FILLER, true);
        fixture.send(PROGRAM.refund(&orders[1], waived, coin.program())).unwrap();
        let before = fixture.balance(coin, PAYEE);
        let done = fixture.send_logged(batch_by(&fixture, coin, &orders, &[0, 1])).unwrap();
        for (terms, skipped) in orders.iter().zip([true, true, false, false]) {
            let line = format!("Program log: {}", PROGRAM.order(terms.id()));
            assert_eq!(done.contains(&line), skipped, "{done:?}");
        }
        assert_eq!(fixture.balance(coin, PAYEE) - before, 2 * AMOUNT, "{coin:?}");
        let refunded = fixture.order(orders[1].id()).status;
        assert!(matches!(refunded, OrderStatus::Refunded(_)), "{refunded:?}");
    }
}

#[test]
fn rule_31_an_order_that_was_closed_is_named_by_its_id_and_skipped() {
    for coin in Coin::ALL {
        let orders = [order(coin, 1), order(coin, 2)];
        let mut fixture = open_all(coin, &orders);
        fixture.send(claim_by(&fixture, coin, &orders[0], &[0, 1])).unwrap();
        fixture.set_time(orders[0].open_deadline + 1);
        fixture.send(PROGRAM.close_order(&orders[0], USER, coin.program())).unwrap();
        let ids = [orders[0].id(), orders[1].id()];
        let signatures = signed_ids(&fixture, &ids, &[0, 1]);
        let unnamed = PROGRAM.claim_batch(&fills(&orders, &[]), coin.program(), &signatures).unwrap();
        fixture.assert_refused(unnamed, EscrowError::NotOpen);
        let named = PROGRAM.claim_batch(&fills(&orders, &[0]), coin.program(), &signatures).unwrap();
        // Another account does not pass for the closed one, whatever lies there.
        let place = if coin == Coin::Sol { 2 } else { 4 };
        fixture.assert_refused(with_account(named.clone(), place, STRANGER), EscrowError::WrongAddress);
        let other = with_account(named.clone(), place, PROGRAM.order(orders[1].id()));
        fixture.assert_refused(other, EscrowError::WrongAddress);
        fixture.put_lamports(PROGRAM.order(ids[0]), MIN_RENT_EXEMPT_LAMPORTS);
        let before = fixture.balance(coin, PAYEE);
        fixture.send(named).unwrap();
        assert_eq!(fixture.balance(coin, PAYEE) - before, AMOUNT, "{coin:?}");
    }
}

#[test]
fn rule_31_a_frozen_deposit_is_skipped_and_stays_open() {
    let orders = [order(Coin::Spl, 1), order(Coin::Spl, 2)];
    let mut fixture = open_all(Coin::Spl, &orders);
    let vault = PROGRAM.vault(orders[0].id());
    let mut frozen = token_data(MINT, vault, AMOUNT, &[]);
    frozen[108] = 2;
    fixture.put_data(vault, Coin::Spl.program().unwrap(), frozen);
    let before = fixture.balance(Coin::Spl, PAYEE);
    fixture.send(batch_by(&fixture, Coin::Spl, &orders, &[0, 1])).unwrap();
    assert_eq!(fixture.balance(Coin::Spl, PAYEE) - before, AMOUNT);
    assert_eq!(fixture.order(orders[0].id()).status, OrderStatus::Open);
}

#[test]
fn rule_31_an_order_named_twice_is_paid_once() {
    let orders = [order(Coin::Sol, 1), order(Coin::Sol, 1)];
    let mut fixture = open_all(Coin::Sol, &orders[..1]);
    let before = fixture.balance(Coin::Sol, PAYEE);
    fixture.send(batch_by(&fixture, Coin::Sol, &orders, &[0, 1])).unwrap();
    assert_eq!(fixture.balance(Coin::Sol, PAYEE) - before, AMOUNT);
}

#[test]
fn rules_10_and_31_only_a_threshold_over_exactly_this_list_pays() {
    let orders = [order(Coin::Spl, 1), order(Coin::Spl, 2), order(Coin::Spl, 3)];
    let mut fixture = open_all(Coin::Spl, &orders);
    let ids = orders.map(|terms| terms.id());
    let mut refused = |signatures: &[causeway_domain::SignatureBytes], why| {
        let batch = PROGRAM.claim_batch(&fills(&orders, &[]), Coin::Spl.program(), signatures).unwrap();
        match why {
            Some(why) => fixture.assert_refused(batch, why),
            None => assert!(fixture.send(batch).is_err()),
        }
    };
    let own = ProgramFixture::new();
    let good = signed_ids(&own, &ids, &[0, 1]);
    refused(&[], Some(EscrowError::TooFewSignatures));
    refused(&good[..1], Some(EscrowError::TooFewSignatures));
    refused(&[good[1], good[0]], Some(EscrowError::SignersNotAscending));
    refused(&signed_ids(&own, &ids, &[0, 5]), Some(EscrowError::NotAnAttester));
    // A part of the list, another order of it, a list with one more, and statements about single orders.
    refused(&signed_ids(&own, &ids[..2], &[0, 1]), None);
    refused(&signed_ids(&own, &[ids[1], ids[0], ids[2]], &[0, 1]), None);
    refused(&signed_ids(&own, &[ids[0], ids[1], ids[2], B256::ZERO], &[0, 1]), None);
    refused(&own.attest(&filled(&orders[0]), &[0, 1]), None);
    let batch = batch_by(&fixture, Coin::Spl, &orders, &[0, 1]);
    for byte in [3, 4, 12, 44] {
        let mut changed = batch.clone();
        changed.data[byte] ^= 4;
        assert!(fixture.send(changed).is_err(), "byte {byte}");
    }
    fixture.send(batch).unwrap();
}

#[test]
fn rules_6_to_8_hold_for_every_order_of_a_batch() {
    let good = order(Coin::Sol, 1);
    let within = IntentTerms { nonce: B256::repeat_byte(2), ..terms_within_solana(Coin::Sol, Coin::Spl) };
    let late = IntentTerms { open_deadline: NOW + 1, fill_deadline: FILLED_AT - 1, ..order(Coin::Sol, 3) };
    for (other, why) in [(within, EscrowError::AttestationsRefused), (late, EscrowError::FilledTooLate)] {
        let orders = [good, other];
        let mut fixture = open_all(Coin::Sol, &orders);
        fixture.assert_refused(batch_by(&fixture, Coin::Sol, &orders, &[0, 1]), why);
        assert_eq!(fixture.order(good.id()).status, OrderStatus::Open);
    }
    // The time of no fill at all.
    let mut fixture = open_all(Coin::Sol, &[good]);
    let never = [BatchFill { terms: &good, filled_at: 0, fill_ref: FILL_REF, is_closed: false }];
    let signatures = fixture.sign(PROGRAM.batch_digest(&[(good.id(), 0, FILL_REF)]), &[0, 1]);
    fixture.assert_refused(PROGRAM.claim_batch(&never, None, &signatures).unwrap(), EscrowError::NotFilled);
}

#[test]
fn a_batch_pays_nobody_else_and_from_no_other_vault() {
    for coin in Coin::ALL {
        let orders = [order(coin, 1), referred(coin, 2)];
        let mut fixture = open_all(coin, &[orders[0], orders[1], order(coin, 3)]);
        let batch = batch_by(&fixture, coin, &orders, &[0, 1]);
        let mut refused = |at: usize, account, why| {
            fixture.assert_refused(with_account(batch.clone(), at, account), why);
        };
        refused(0, PROGRAM.attester_config(), EscrowError::WrongKind);
        refused(0, STRANGER, EscrowError::WrongOwner);
        refused(1, coin.account(STRANGER), EscrowError::WrongAddress);
        let last = batch.accounts.len() - 1;
        refused(last, coin.account(STRANGER), EscrowError::WrongAddress);
        if coin != Coin::Sol {
            refused(2, if coin == Coin::Spl { MINT_22 } else { MINT }, EscrowError::WrongTokenProgram);
            refused(5, PROGRAM.vault(order(coin, 3).id()), EscrowError::WrongAddress);
            refused(5, coin.account(STRANGER), EscrowError::BadTokenAccount);
        }
        let first = if coin == Coin::Sol { 2 } else { 4 };
        refused(first, STRANGER, EscrowError::NotOpen);
        refused(first, PROGRAM.epoch(1), EscrowError::WrongKind);

        // Every account is accounted for, and so is every byte.
        let mut more = batch.clone();
        more.accounts.push(batch.accounts[last].clone());
        fixture.assert_refused(more, EscrowError::BadData);
        let mut fewer = batch.clone();
        fewer.accounts.pop();
        fixture.assert_refused(fewer, EscrowError::MissingAccount);
        for (byte, value) in [(1, 2), (2, 0), (2, 17), (3, 4), (3, 255)] {
            let mut odd = batch.clone();
            odd.data[byte] = value;
            fixture.assert_refused(odd, EscrowError::BadData);
        }
        let mut long = batch.clone();
        long.data.push(0);
        fixture.assert_refused(long, EscrowError::BadSignature);
        let mut fixed = batch.clone();
        fixed.accounts[first].is_writable = false;
        fixture.assert_refused(fixed, EscrowError::NotWritable);
        // The referrer's fee cannot be withheld by leaving its account out.
        let mut withheld = batch.clone();
        withheld.accounts.pop();
        withheld.data[3 + 41] = 0;
        fixture.assert_refused(withheld, EscrowError::MissingAccount);
        fixture.send(batch.clone()).unwrap();
        assert_eq!(fixture.escrowed(coin, order(coin, 3).id()), AMOUNT);
    }
}

#[test]
fn a_batch_has_one_currency_and_one_epoch() {
    // An order in SOL does not pass for one in tokens, nor the other way round.
    let orders = [order(Coin::Sol, 1)];
    let mut fixture = open_all(Coin::Sol, &orders);
    let ids = [orders[0].id()];
    let signatures = signed_ids(&fixture, &ids, &[0, 1]);
    let mut as_tokens = PROGRAM.claim_batch(&fills(&orders, &[]), Coin::Spl.program(), &signatures).unwrap();
    as_tokens.accounts[2].pubkey = MINT;
    fixture.assert_refused(as_tokens, EscrowError::WrongMint);
    let orders = [order(Coin::Spl, 1)];
    let mut fixture = open_all(Coin::Spl, &orders);
    let signatures = signed_ids(&fixture, &[orders[0].id()], &[0, 1]);
    let as_sol = PROGRAM.claim_batch(&fills(&orders, &[]), None, &signatures).unwrap();
    fixture.assert_refused(as_sol, EscrowError::WrongMint);

    // The second epoch has other attesters; its signatures say nothing about orders of the first.
    let members = fixture.members(3..6);
    let handover = fixture.sign(PROGRAM.handover_digest(2, 0, 2, &members), &[0, 1]);
    fixture.send(PROGRAM.hand_over(STRANGER, 1, (2, &members), &handover)).unwrap();
    let batch = PROGRAM
        .claim_batch(
            &fills(&orders, &[]),
            Coin::Spl.program(),
            &signed_ids(&fixture, &[orders[0].id()], &[3, 4]),
        )
        .unwrap();
    fixture.assert_refused(batch.clone(), EscrowError::NotAnAttester);
    fixture.assert_refused(with_account(batch, 0, PROGRAM.epoch(2)), EscrowError::WrongEpoch);
}

/// As many as fit a transaction with a threshold of two, and what they take.
#[test]
fn rule_31_six_token_orders_or_ten_in_sol_fit_one_transaction() {
    for (coin, count) in [(Coin::Sol, 10), (Coin::Spl, 6), (Coin::Spl22, 6)] {
        let orders: Vec<_> = (1..=count).map(|number| order(coin, number)).collect();
        let mut fixture = open_all(coin, &orders);
        let batch = batch_by(&fixture, coin, &orders, &[0, 1]);
        let budget =
            |length| Instruction { program_id: address_number(120), accounts: vec![], data: vec![0; length] };
        let recent = causeway_solana::RecentBlockhash {
            blockhash: solana_hash::Hash::default(),
            last_valid_block_height: 0,
        };
        let all = [budget(5), budget(9), batch.clone()];
        let built = causeway_solana::UnsignedTransaction::build(&STRANGER, &all, &[], recent);
        assert!(built.is_ok(), "{coin:?}: {built:?}");
        let limit = Instruction {
            program_id: solana_address::Address::from_str_const(
                "ComputeBudget111111111111111111111111111111",
            ),
            accounts: vec![],
            data: [&[2][..], &MAX_INSTRUCTION_COMPUTE_UNITS.to_le_bytes()].concat(),
        };
        let units = fixture.send_all(&[limit, batch]).unwrap();
        assert!(units < u64::from(MAX_INSTRUCTION_COMPUTE_UNITS), "{coin:?}: {units}");
        println!("{coin:?}: {count} orders take {units} units");
    }
}
