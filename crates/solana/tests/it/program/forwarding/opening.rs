use alloy_primitives::{B256, U256};
use causeway_domain::{ForwardingOrder, IntentTerms, SignatureBytes};
use causeway_solana::program::{EscrowError, EscrowProgram, OrderStatus};
use k256::ecdsa::SigningKey;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::super::fixture::*;
use super::*;

const WEEK: u64 = 7 * 86_400;

#[test]
fn rule_21_the_paid_amount_opens_an_order_with_the_makers_signature() {
    for coin in Coin::ALL {
        let jump = forwarding_order_for(&terms_to_other_chain(coin));
        let terms = IntentTerms {
            amount_in: U256::from(AMOUNT + 7),
            amount_out: terms_to_other_chain(coin).amount_out * U256::from(2),
            ..terms_of(&jump, &terms_to_other_chain(coin))
        };
        let mut fixture = fixture_with_payment(coin, &jump, AMOUNT + 7);
        fixture.send(open(coin, &jump, &terms)).unwrap();
        assert_eq!(fixture.escrowed(coin, terms.id()), AMOUNT + 7);
        assert_eq!(fixture.balance(coin, PROGRAM.jump_address(&jump)), 0);
        let order = fixture.order(terms.id());
        assert_eq!((order.status, order.swept, order.payer), (OrderStatus::Open, true, STRANGER));
        assert_eq!(order.terms, terms);
        let before = fixture.balance(coin, PAYEE);
        fixture.send(claim_by(&fixture, coin, &terms, &[0, 1])).unwrap();
        assert_eq!(fixture.balance(coin, PAYEE) - before, AMOUNT + 7);
    }
}

#[test]
fn rule_21_forwarding_within_solana_is_filled_and_claimed_like_any_order() {
    for (coin, out) in [(Coin::Spl, Coin::Sol), (Coin::Sol, Coin::Spl22), (Coin::Spl22, Coin::Spl)] {
        let jump = forwarding_order_for(&terms_within_solana(coin, out));
        let terms = terms_of(&jump, &terms_within_solana(coin, out));
        let mut fixture = fixture_with_payment(coin, &jump, AMOUNT);
        fixture.send(open(coin, &jump, &terms)).unwrap();
        fixture.send(PROGRAM.fill(&terms, FILLER, out.source(FILLER))).unwrap();
        fixture.send(PROGRAM.claim_recorded(&terms, coin.program())).unwrap();
    }
}

#[test]
fn rule_19_added_dust_cannot_block_forwarding_and_goes_to_the_refund_address() {
    for coin in Coin::ALL {
        for dust in [1, 12_345, 3 * AMOUNT] {
            let (jump, terms) = order_and_terms(coin);
            let mut fixture = fixture_with_payment(coin, &jump, AMOUNT + dust);
            let before = fixture.balance(coin, REFUND);
            fixture.send(open(coin, &jump, &terms)).unwrap();
            assert_eq!(fixture.escrowed(coin, terms.id()), AMOUNT);
            if coin != Coin::Sol {
                assert_eq!(fixture.balance(coin, PROGRAM.jump_address(&jump)), dust);
                fixture.assert_refused(give_back(coin, &jump, true, None), EscrowError::StillAwaited);
                let signature = sign_release(&maker(), &jump);
                fixture.send(give_back(coin, &jump, true, Some(&signature))).unwrap();
            }
            assert_eq!(fixture.balance(coin, REFUND) - before, dust);
            assert_eq!(fixture.lamports(coin.account(PROGRAM.jump_address(&jump))), 0);
        }
    }
}

#[test]
fn surplus_below_rent_exemption_cannot_block_forwarding() {
    let terms = IntentTerms { refund_to: word(address_number(100)), ..terms_to_other_chain(Coin::Sol) };
    let jump = forwarding_order_for(&terms);
    let terms = terms_of(&jump, &terms);
    let mut fixture = fixture_with_payment(Coin::Sol, &jump, AMOUNT + 1);
    fixture.send(open(Coin::Sol, &jump, &terms)).unwrap();
    assert_eq!(fixture.escrowed(Coin::Sol, terms.id()), AMOUNT + 1);
}

#[test]
fn rule_21_less_than_the_maker_signed_opens_nothing() {
    for coin in Coin::ALL {
        let (jump, terms) = order_and_terms(coin);
        let mut fixture = fixture_with_payment(coin, &jump, AMOUNT - 1);
        fixture.assert_refused(open(coin, &jump, &terms), EscrowError::TooLittle);
        pay_in(&mut fixture, coin, &jump, 1);
        fixture.send(open(coin, &jump, &terms)).unwrap();
    }
}

#[test]
fn rule_21_nobody_but_the_maker_opens() {
    for coin in Coin::ALL {
        let (jump, terms) = order_and_terms(coin);
        let mut fixture = fixture_with_payment(coin, &jump, AMOUNT);
        let stranger = SigningKey::from_slice(&[0x4e; 32]).unwrap();
        let other_jump = ForwardingOrder { nonce: word(USER), ..jump };
        let other_order = IntentTerms { nonce: word(USER), ..terms };
        let elsewhere = EscrowProgram::new(STRANGER);
        for signature in [
            sign_open(&stranger, &jump, &terms),
            sign_open(&maker(), &other_jump, &terms),
            sign_open(&maker(), &jump, &other_order),
            sign_release(&maker(), &jump),
            sign(&maker(), elsewhere.open_jump_digest(jump.id(), terms.id())),
        ] {
            fixture.assert_refused(open_signed(coin, &jump, &terms, &signature), EscrowError::NotTheMaker);
        }
        let good = sign_open(&maker(), &jump, &terms);
        let mut zero_based = good;
        zero_based[64] -= 27;
        for signature in [with_high_s(&good), zero_based, SignatureBytes::ZERO] {
            fixture.assert_refused(open_signed(coin, &jump, &terms, &signature), EscrowError::BadSignature);
        }
        fixture.send(open_signed(coin, &jump, &terms, &good)).unwrap();
    }
}

#[test]
fn maker_word_with_nonzero_padding_is_refused() {
    let (jump, terms) = order_and_terms(Coin::Sol);
    let mut dirty = jump.maker;
    dirty[0] = 1;
    let jump = ForwardingOrder { maker: dirty, ..jump };
    let terms = terms_of(&jump, &terms);
    let mut fixture = fixture_with_payment(Coin::Sol, &jump, AMOUNT);
    fixture.assert_refused(open(Coin::Sol, &jump, &terms), EscrowError::NotTheMaker);
}

#[test]
fn rule_21_the_maker_cannot_redirect_the_money() {
    for coin in Coin::ALL {
        let (jump, terms) = order_and_terms(coin);
        let mut fixture = fixture_with_payment(coin, &jump, AMOUNT);
        for other in [
            IntentTerms { recipient: word(STRANGER), ..terms },
            IntentTerms { refund_to: word(STRANGER), ..terms },
            IntentTerms { output_token: word(STRANGER), ..terms },
            IntentTerms { destination_chain_id: 10, ..terms },
            IntentTerms { user: word(STRANGER), ..terms },
            IntentTerms { input_token: word(STRANGER), ..terms },
        ] {
            // A signature over the other terms fits no order that the program derives from the forwarding order.
            fixture.assert_refused(open(coin, &jump, &other), EscrowError::NotTheMaker);
            // With a signature over the right terms, the order account is the wrong one.
            let mut crossed = open(coin, &jump, &terms);
            crossed.accounts[2].pubkey = PROGRAM.order(other.id());
            fixture.assert_refused(crossed, EscrowError::WrongAddress);
        }
        let jump_elsewhere = ForwardingOrder { origin_chain_id: 8_453, ..jump };
        let there = IntentTerms { origin_chain_id: 8_453, ..terms_of(&jump_elsewhere, &terms) };
        fixture.assert_refused(open(coin, &jump_elsewhere, &there), EscrowError::WrongChain);
        let jump_elsewhere = ForwardingOrder { escrow: word(STRANGER), ..jump };
        let there = IntentTerms { escrow: word(STRANGER), ..terms_of(&jump_elsewhere, &terms) };
        fixture.assert_refused(open(coin, &jump_elsewhere, &there), EscrowError::WrongEscrow);
        assert_eq!(fixture.balance(coin, PROGRAM.jump_address(&jump)), AMOUNT);
    }
}

#[test]
fn rule_21_nothing_opens_after_expiry() {
    for coin in Coin::ALL {
        let jump = ForwardingOrder { expiry: NOW + 30, ..forwarding_order_for(&terms_to_other_chain(coin)) };
        let terms = terms_of(&jump, &terms_to_other_chain(coin));
        let mut fixture = fixture_with_payment(coin, &jump, AMOUNT);
        fixture.set_time(NOW + 31);
        fixture.assert_refused(open(coin, &jump, &terms), EscrowError::Expired);
        fixture.set_time(NOW + 30);
        fixture.send(open(coin, &jump, &terms)).unwrap();
    }
}

#[test]
fn rule_21_the_minimum_rate_is_exact() {
    let (jump, terms) = order_and_terms(Coin::Spl);
    let mut fixture = fixture_with_payment(Coin::Spl, &jump, AMOUNT);
    let less = IntentTerms { amount_out: terms.amount_out - U256::ONE, ..terms };
    fixture.assert_refused(open(Coin::Spl, &jump, &less), EscrowError::RateTooLow);
    let nameless = ForwardingOrder { rate_in: U256::ZERO, rate_out: U256::ZERO, ..jump };
    let order = terms_of(&nameless, &terms);
    fixture.assert_refused(open(Coin::Spl, &nameless, &order), EscrowError::RateTooLow);
    fixture.send(open(Coin::Spl, &jump, &terms)).unwrap();
}

/// Numbers of every width, often those at which carries happen.
fn wide() -> impl Strategy<Value = U256> {
    let limb = prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(u64::from(u32::MAX)), any::<u64>()];
    prop::array::uniform4(limb).prop_map(U256::from_limbs)
}

#[test]
fn rule_21_the_program_compares_rates_as_the_domain_does() {
    let fixture = std::cell::RefCell::new(ProgramFixture::new());
    let given = (wide(), wide(), 1u64.., wide(), any::<bool>());
    let mut runner = TestRunner::new(Config { cases: 256, failure_persistence: None, ..Config::default() });
    runner
        .run(&given, |(rate_in, rate_out, amount_in, amount_out, near)| {
            // Half of the time the amounts are within one unit of the rate, where a wrong digit shows.
            let (rate_in, amount_out) = if near {
                (U256::from(amount_in), rate_out + U256::from(amount_out.bit(0)))
            } else {
                (rate_in, amount_out)
            };
            prop_assume!(!amount_out.is_zero());
            let jump = ForwardingOrder {
                rate_in,
                rate_out,
                ..forwarding_order_for(&terms_to_other_chain(Coin::Sol))
            };
            let terms = IntentTerms {
                amount_in: U256::from(amount_in),
                amount_out,
                ..terms_of(&jump, &terms_to_other_chain(Coin::Sol))
            };
            let foreign_signature = sign_open(&SigningKey::from_slice(&[9; 32]).unwrap(), &jump, &terms);
            let holds = jump.rate_holds(terms.amount_in, amount_out);
            let why = if holds { EscrowError::NotTheMaker } else { EscrowError::RateTooLow };
            fixture
                .borrow_mut()
                .assert_refused(open_signed(Coin::Sol, &jump, &terms, &foreign_signature), why);
            Ok(())
        })
        .unwrap();
}

#[test]
fn maker_cannot_lock_money_for_longer_than_a_week() {
    let (jump, terms) = order_and_terms(Coin::Spl);
    let mut fixture = fixture_with_payment(Coin::Spl, &jump, AMOUNT);
    let until = |fill_deadline| IntentTerms { fill_deadline, refund_at: fill_deadline + 3_600, ..terms };
    fixture.assert_refused(open(Coin::Spl, &jump, &until(NOW + WEEK + 1)), EscrowError::FillDeadlineTooFar);
    fixture.send(open(Coin::Spl, &jump, &until(NOW + WEEK))).unwrap();
}

#[test]
fn forwarding_opens_only_orders_that_could_be_opened_directly() {
    let (jump, terms) = order_and_terms(Coin::Sol);
    let mut fixture = fixture_with_payment(Coin::Sol, &jump, AMOUNT);
    for (terms, why) in [
        (IntentTerms { open_deadline: NOW - 1, ..terms }, EscrowError::OpenDeadlinePassed),
        (IntentTerms { epoch: 2, ..terms }, EscrowError::WrongEpoch),
        (IntentTerms { payee: B256::ZERO, ..terms }, EscrowError::ZeroAddress),
        (IntentTerms { refund_at: terms.fill_deadline, ..terms }, EscrowError::BadDeadlines),
    ] {
        fixture.assert_refused(open(Coin::Sol, &jump, &terms), why);
    }
    let pause = PROGRAM.pause(1, NOW + 100, &fixture.sign(PROGRAM.pause_digest(1, NOW + 100), &[0])[0]);
    fixture.send(pause).unwrap();
    fixture.assert_refused(open(Coin::Sol, &jump, &terms), EscrowError::OpeningPaused);
}

#[test]
fn rule_18_the_makers_signature_works_once() {
    for coin in Coin::ALL {
        let (jump, terms) = order_and_terms(coin);
        let mut fixture = fixture_with_payment(coin, &jump, AMOUNT);
        let good = open(coin, &jump, &terms);
        fixture.send(good.clone()).unwrap();
        pay_in(&mut fixture, coin, &jump, AMOUNT);
        fixture.assert_refused(good.clone(), EscrowError::AlreadyOpened);
        fixture.send(claim_by(&fixture, coin, &terms, &[0, 1])).unwrap();
        fixture.assert_refused(good.clone(), EscrowError::AlreadyOpened);
        fixture.set_time(terms.open_deadline + 1);
        fixture.send(PROGRAM.close_order(&terms, STRANGER, coin.program())).unwrap();
        fixture.assert_refused(good, EscrowError::OpenDeadlinePassed);
        // The second payout opens another order if the maker signs it.
        let second = IntentTerms { nonce: word(USER), open_deadline: NOW + 900, ..terms };
        fixture.send(open(coin, &jump, &second)).unwrap();
        assert_eq!(fixture.escrowed(coin, second.id()), AMOUNT);
    }
}
