use alloy_primitives::{B256, U256, uint};
use causeway_domain::ports::JumpDesk as _;
use causeway_domain::{Address, Jump, SOLANA_CHAIN_ID, SignatureBytes, SolanaDeployment, Terms};
use causeway_solana::orders::SolanaJumpDesk;
use causeway_solana::program::{EscrowProgram, Holding, OrderStatus, Refusal};
use k256::ecdsa::SigningKey;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use solana_instruction::Instruction;

use super::bench::*;

const WEEK: u64 = 7 * 86_400;
const ORDER_OF_THE_CURVE: U256 =
    uint!(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141_U256);

pub(super) fn maker() -> SigningKey {
    SigningKey::from_slice(&[0x4d; 32]).unwrap()
}

/// A jump to where these terms go, at their rate or better, for an hour.
pub(super) fn jump_of(terms: &Terms) -> Jump {
    Jump {
        origin_chain_id: terms.origin_chain_id,
        escrow: terms.escrow,
        nonce: B256::repeat_byte(0x31),
        maker: attester(&maker()).into_word(),
        input_token: terms.input_token,
        refund_to: terms.refund_to,
        destination_chain_id: terms.destination_chain_id,
        output_token: terms.output_token,
        recipient: terms.recipient,
        rate_in: terms.amount_in,
        rate_out: terms.amount_out,
        expiry: NOW + 3_600,
    }
}

/// The same terms as an order of the jump.
pub(super) fn order_of(jump: &Jump, terms: &Terms) -> Terms {
    Terms { user: word(PROGRAM.jump_address(jump)), ..*terms }
}

pub(super) fn open_word(key: &SigningKey, jump: &Jump, terms: &Terms) -> SignatureBytes {
    sign(key, PROGRAM.open_jump_digest(jump.id(), terms.id()))
}

pub(super) fn release_word(key: &SigningKey, jump: &Jump) -> SignatureBytes {
    sign(key, PROGRAM.release_jump_digest(jump.id()))
}

fn pair(coin: Coin) -> (Jump, Terms) {
    let terms = away(coin);
    let jump = jump_of(&terms);
    (jump, order_of(&jump, &terms))
}

/// A payout to the jump's address.
fn arrive(bench: &mut Bench, coin: Coin, jump: &Jump, amount: u64) {
    let address = PROGRAM.jump_address(jump);
    let held = bench.holds(coin, address);
    bench.put(coin, address, held + amount);
}

fn paid(coin: Coin, jump: &Jump, amount: u64) -> Bench {
    let mut bench = Bench::new();
    arrive(&mut bench, coin, jump, amount);
    bench
}

fn signed(coin: Coin, jump: &Jump, terms: &Terms, word: &SignatureBytes) -> Instruction {
    PROGRAM.jump(jump, terms, STRANGER, coin.source(PROGRAM.jump_address(jump)), word)
}

fn opening(coin: Coin, jump: &Jump, terms: &Terms) -> Instruction {
    signed(coin, jump, terms, &open_word(&maker(), jump, terms))
}

pub(super) fn back(coin: Coin, jump: &Jump, close: bool, word: Option<&SignatureBytes>) -> Instruction {
    let address = PROGRAM.jump_address(jump);
    let holding = coin.program().map(|token_program| Holding {
        account: coin.account(address),
        mint: coin.mint(),
        token_program,
        close,
    });
    PROGRAM.give_back_jump(jump, holding, word)
}

#[test]
fn rule_21_what_was_really_paid_opens_an_order_by_the_makers_word() {
    for coin in Coin::ALL {
        let jump = jump_of(&away(coin));
        let terms = Terms {
            amount_in: U256::from(AMOUNT + 7),
            amount_out: away(coin).amount_out * U256::from(2),
            ..order_of(&jump, &away(coin))
        };
        let mut bench = paid(coin, &jump, AMOUNT + 7);
        bench.send(opening(coin, &jump, &terms)).unwrap();
        assert_eq!(bench.escrowed(coin, terms.id()), AMOUNT + 7);
        assert_eq!(bench.holds(coin, PROGRAM.jump_address(&jump)), 0);
        let order = bench.order(terms.id());
        assert_eq!((order.status, order.swept, order.payer), (OrderStatus::Open, true, STRANGER));
        assert_eq!(order.terms, terms);
        let before = bench.holds(coin, PAYEE);
        bench.send(claim_by(&bench, coin, &terms, &[0, 1])).unwrap();
        assert_eq!(bench.holds(coin, PAYEE) - before, AMOUNT + 7);
    }
}

#[test]
fn rule_21_a_jump_within_solana_is_filled_and_claimed_like_any_order() {
    for (coin, out) in [(Coin::Spl, Coin::Sol), (Coin::Sol, Coin::Spl22), (Coin::Spl22, Coin::Spl)] {
        let jump = jump_of(&within(coin, out));
        let terms = order_of(&jump, &within(coin, out));
        let mut bench = paid(coin, &jump, AMOUNT);
        bench.send(opening(coin, &jump, &terms)).unwrap();
        bench.send(PROGRAM.fill(&terms, FILLER, out.source(FILLER))).unwrap();
        bench.send(PROGRAM.claim_recorded(&terms, coin.program())).unwrap();
    }
}

#[test]
fn rule_19_what_somebody_adds_cannot_stop_a_jump_and_goes_to_the_refund_address() {
    for coin in Coin::ALL {
        for dust in [1, 12_345, 3 * AMOUNT] {
            let (jump, terms) = pair(coin);
            let mut bench = paid(coin, &jump, AMOUNT + dust);
            let before = bench.holds(coin, REFUND);
            bench.send(opening(coin, &jump, &terms)).unwrap();
            assert_eq!(bench.escrowed(coin, terms.id()), AMOUNT);
            if coin != Coin::Sol {
                assert_eq!(bench.holds(coin, PROGRAM.jump_address(&jump)), dust);
                bench.refuse(back(coin, &jump, true, None), Refusal::StillAwaited);
                let word = release_word(&maker(), &jump);
                bench.send(back(coin, &jump, true, Some(&word))).unwrap();
            }
            assert_eq!(bench.holds(coin, REFUND) - before, dust);
            assert_eq!(bench.lamports(coin.account(PROGRAM.jump_address(&jump))), 0);
        }
    }
}

#[test]
fn a_rest_too_small_for_the_refund_address_cannot_stop_a_jump() {
    let terms = Terms { refund_to: word(who(100)), ..away(Coin::Sol) };
    let jump = jump_of(&terms);
    let terms = order_of(&jump, &terms);
    let mut bench = paid(Coin::Sol, &jump, AMOUNT + 1);
    bench.send(opening(Coin::Sol, &jump, &terms)).unwrap();
    assert_eq!(bench.escrowed(Coin::Sol, terms.id()), AMOUNT + 1);
}

#[test]
fn rule_21_less_than_the_maker_signed_opens_nothing() {
    for coin in Coin::ALL {
        let (jump, terms) = pair(coin);
        let mut bench = paid(coin, &jump, AMOUNT - 1);
        bench.refuse(opening(coin, &jump, &terms), Refusal::TooLittle);
        arrive(&mut bench, coin, &jump, 1);
        bench.send(opening(coin, &jump, &terms)).unwrap();
    }
}

/// The same signature with the other of its two values of s.
fn high(low: &SignatureBytes) -> SignatureBytes {
    let mut high = *low;
    let s = ORDER_OF_THE_CURVE - U256::from_be_slice(&low[32..64]);
    high[32..64].copy_from_slice(&s.to_be_bytes::<32>());
    high[64] = 55 - low[64];
    high
}

#[test]
fn rule_21_nobody_but_the_maker_opens() {
    for coin in Coin::ALL {
        let (jump, terms) = pair(coin);
        let mut bench = paid(coin, &jump, AMOUNT);
        let stranger = SigningKey::from_slice(&[0x4e; 32]).unwrap();
        let other_jump = Jump { nonce: word(USER), ..jump };
        let other_order = Terms { nonce: word(USER), ..terms };
        let elsewhere = EscrowProgram::new(STRANGER);
        for word in [
            open_word(&stranger, &jump, &terms),
            open_word(&maker(), &other_jump, &terms),
            open_word(&maker(), &jump, &other_order),
            release_word(&maker(), &jump),
            sign(&maker(), elsewhere.open_jump_digest(jump.id(), terms.id())),
        ] {
            bench.refuse(signed(coin, &jump, &terms, &word), Refusal::NotTheMaker);
        }
        let good = open_word(&maker(), &jump, &terms);
        let mut zero_based = good;
        zero_based[64] -= 27;
        for word in [high(&good), zero_based, SignatureBytes::ZERO] {
            bench.refuse(signed(coin, &jump, &terms, &word), Refusal::BadSignature);
        }
        bench.send(signed(coin, &jump, &terms, &good)).unwrap();
    }
}

#[test]
fn a_maker_with_anything_before_its_address_is_nobody() {
    let (jump, terms) = pair(Coin::Sol);
    let mut dirty = jump.maker;
    dirty[0] = 1;
    let jump = Jump { maker: dirty, ..jump };
    let terms = order_of(&jump, &terms);
    let mut bench = paid(Coin::Sol, &jump, AMOUNT);
    bench.refuse(opening(Coin::Sol, &jump, &terms), Refusal::NotTheMaker);
}

#[test]
fn rule_21_not_even_the_maker_sends_the_money_elsewhere() {
    for coin in Coin::ALL {
        let (jump, terms) = pair(coin);
        let mut bench = paid(coin, &jump, AMOUNT);
        for other in [
            Terms { recipient: word(STRANGER), ..terms },
            Terms { refund_to: word(STRANGER), ..terms },
            Terms { output_token: word(STRANGER), ..terms },
            Terms { destination_chain_id: 10, ..terms },
            Terms { user: word(STRANGER), ..terms },
            Terms { input_token: word(STRANGER), ..terms },
        ] {
            // Signed over the other terms, the word fits no order that the program makes of the jump.
            bench.refuse(opening(coin, &jump, &other), Refusal::NotTheMaker);
            // Signed over the right ones, the order's account is another's.
            let mut crossed = opening(coin, &jump, &terms);
            crossed.accounts[2].pubkey = PROGRAM.order(other.id());
            bench.refuse(crossed, Refusal::WrongAddress);
        }
        let jump_elsewhere = Jump { origin_chain_id: 8_453, ..jump };
        let there = Terms { origin_chain_id: 8_453, ..order_of(&jump_elsewhere, &terms) };
        bench.refuse(opening(coin, &jump_elsewhere, &there), Refusal::WrongChain);
        let jump_elsewhere = Jump { escrow: word(STRANGER), ..jump };
        let there = Terms { escrow: word(STRANGER), ..order_of(&jump_elsewhere, &terms) };
        bench.refuse(opening(coin, &jump_elsewhere, &there), Refusal::WrongEscrow);
        assert_eq!(bench.holds(coin, PROGRAM.jump_address(&jump)), AMOUNT);
    }
}

#[test]
fn rule_21_nothing_opens_past_the_expiry() {
    for coin in Coin::ALL {
        let jump = Jump { expiry: NOW + 30, ..jump_of(&away(coin)) };
        let terms = order_of(&jump, &away(coin));
        let mut bench = paid(coin, &jump, AMOUNT);
        bench.set_time(NOW + 31);
        bench.refuse(opening(coin, &jump, &terms), Refusal::Expired);
        bench.set_time(NOW + 30);
        bench.send(opening(coin, &jump, &terms)).unwrap();
    }
}

#[test]
fn rule_21_the_least_rate_is_kept_to_the_unit() {
    let (jump, terms) = pair(Coin::Spl);
    let mut bench = paid(Coin::Spl, &jump, AMOUNT);
    let less = Terms { amount_out: terms.amount_out - U256::ONE, ..terms };
    bench.refuse(opening(Coin::Spl, &jump, &less), Refusal::RateTooLow);
    let nameless = Jump { rate_in: U256::ZERO, rate_out: U256::ZERO, ..jump };
    let order = order_of(&nameless, &terms);
    bench.refuse(opening(Coin::Spl, &nameless, &order), Refusal::RateTooLow);
    bench.send(opening(Coin::Spl, &jump, &terms)).unwrap();
}

/// Numbers of every width, often those at which carries happen.
fn wide() -> impl Strategy<Value = U256> {
    let limb = prop_oneof![Just(0), Just(1), Just(u64::MAX), Just(u64::from(u32::MAX)), any::<u64>()];
    prop::array::uniform4(limb).prop_map(U256::from_limbs)
}

#[test]
fn rule_21_the_program_compares_rates_as_the_domain_does() {
    let bench = std::cell::RefCell::new(Bench::new());
    let given = (wide(), wide(), 1u64.., wide(), any::<bool>());
    let mut runner = TestRunner::new(Config { cases: 256, failure_persistence: None, ..Config::default() });
    runner
        .run(&given, |(rate_in, rate_out, amount_in, amount_out, near)| {
            // Half of the time the amounts are within a unit of the rate, where a wrong digit shows.
            let (rate_in, amount_out) = if near {
                (U256::from(amount_in), rate_out + U256::from(amount_out.bit(0)))
            } else {
                (rate_in, amount_out)
            };
            prop_assume!(!amount_out.is_zero());
            let jump = Jump { rate_in, rate_out, ..jump_of(&away(Coin::Sol)) };
            let terms =
                Terms { amount_in: U256::from(amount_in), amount_out, ..order_of(&jump, &away(Coin::Sol)) };
            let nobody = open_word(&SigningKey::from_slice(&[9; 32]).unwrap(), &jump, &terms);
            let holds = jump.rate_holds(terms.amount_in, amount_out);
            let why = if holds { Refusal::NotTheMaker } else { Refusal::RateTooLow };
            bench.borrow_mut().refuse(signed(Coin::Sol, &jump, &terms, &nobody), why);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_maker_binds_no_money_for_longer_than_a_week() {
    let (jump, terms) = pair(Coin::Spl);
    let mut bench = paid(Coin::Spl, &jump, AMOUNT);
    let until = |fill_deadline| Terms { fill_deadline, refund_at: fill_deadline + 3_600, ..terms };
    bench.refuse(opening(Coin::Spl, &jump, &until(NOW + WEEK + 1)), Refusal::FillDeadlineTooFar);
    bench.send(opening(Coin::Spl, &jump, &until(NOW + WEEK))).unwrap();
}

#[test]
fn a_jump_opens_only_what_could_be_opened_otherwise() {
    let (jump, terms) = pair(Coin::Sol);
    let mut bench = paid(Coin::Sol, &jump, AMOUNT);
    for (terms, why) in [
        (Terms { open_deadline: NOW - 1, ..terms }, Refusal::OpenDeadlinePassed),
        (Terms { epoch: 2, ..terms }, Refusal::WrongEpoch),
        (Terms { payee: B256::ZERO, ..terms }, Refusal::ZeroAddress),
        (Terms { refund_at: terms.fill_deadline, ..terms }, Refusal::BadDeadlines),
    ] {
        bench.refuse(opening(Coin::Sol, &jump, &terms), why);
    }
    let pause = PROGRAM.pause(1, NOW + 100, &bench.sign(PROGRAM.pause_digest(1, NOW + 100), &[0])[0]);
    bench.send(pause).unwrap();
    bench.refuse(opening(Coin::Sol, &jump, &terms), Refusal::OpeningPaused);
}

#[test]
fn rule_18_the_makers_word_works_once() {
    for coin in Coin::ALL {
        let (jump, terms) = pair(coin);
        let mut bench = paid(coin, &jump, AMOUNT);
        let good = opening(coin, &jump, &terms);
        bench.send(good.clone()).unwrap();
        arrive(&mut bench, coin, &jump, AMOUNT);
        bench.refuse(good.clone(), Refusal::AlreadyOpened);
        bench.send(claim_by(&bench, coin, &terms, &[0, 1])).unwrap();
        bench.refuse(good.clone(), Refusal::AlreadyOpened);
        bench.set_time(terms.open_deadline + 1);
        bench.send(PROGRAM.close_order(&terms, STRANGER, coin.program())).unwrap();
        bench.refuse(good, Refusal::OpenDeadlinePassed);
        // The second payout is another order, if the maker says so.
        let second = Terms { nonce: word(USER), open_deadline: NOW + 900, ..terms };
        bench.send(opening(coin, &jump, &second)).unwrap();
        assert_eq!(bench.escrowed(coin, second.id()), AMOUNT);
    }
}

#[test]
fn rule_21_before_the_expiry_only_the_maker_sends_it_back() {
    for coin in Coin::ALL {
        let (jump, terms) = pair(coin);
        let mut bench = paid(coin, &jump, AMOUNT);
        bench.set_time(jump.expiry);
        bench.refuse(back(coin, &jump, true, None), Refusal::StillAwaited);
        let stranger = SigningKey::from_slice(&[0x4e; 32]).unwrap();
        let other = Jump { nonce: word(USER), ..jump };
        for word in [
            release_word(&stranger, &jump),
            release_word(&maker(), &other),
            open_word(&maker(), &jump, &terms),
        ] {
            bench.refuse(back(coin, &jump, true, Some(&word)), Refusal::NotTheMaker);
        }
        let good = release_word(&maker(), &jump);
        bench.refuse(back(coin, &jump, true, Some(&high(&good))), Refusal::BadSignature);
        let before = bench.holds(coin, REFUND);
        bench.send(back(coin, &jump, true, Some(&good))).unwrap();
        assert_eq!(bench.holds(coin, REFUND) - before, AMOUNT);
        assert_eq!(bench.lamports(coin.account(PROGRAM.jump_address(&jump))), 0);
    }
}

#[test]
fn rule_21_past_the_expiry_anybody_sends_it_back() {
    for coin in Coin::ALL {
        let (jump, _) = pair(coin);
        let mut bench = paid(coin, &jump, 3 * AMOUNT);
        bench.set_time(jump.expiry + 1);
        let before = bench.holds(coin, REFUND);
        bench.send(back(coin, &jump, false, None)).unwrap();
        assert_eq!(bench.holds(coin, REFUND) - before, 3 * AMOUNT);
    }
}

#[test]
fn rule_21_other_money_goes_back_at_once() {
    for coin in Coin::ALL {
        let (jump, terms) = pair(coin);
        let mut bench = paid(coin, &jump, AMOUNT);
        for other in Coin::ALL.into_iter().filter(|other| *other != coin) {
            arrive(&mut bench, other, &jump, AMOUNT);
            let before = bench.holds(other, REFUND);
            bench.send(back(other, &jump, false, None)).unwrap();
            assert_eq!(bench.holds(other, REFUND) - before, AMOUNT);
        }
        bench.send(opening(coin, &jump, &terms)).unwrap();
    }
}

#[test]
fn a_jumps_money_moves_by_its_own_accounts_only() {
    for coin in Coin::ALL {
        let (jump, terms) = pair(coin);
        let other = Jump { nonce: word(USER), ..jump };
        let mut bench = paid(coin, &jump, AMOUNT);
        arrive(&mut bench, coin, &other, AMOUNT);
        let theirs = PROGRAM.jump_address(&other);
        let good = opening(coin, &jump, &terms);
        let wrong = Refusal::WrongAddress;
        bench.refuse(with_account(good.clone(), 1, theirs), wrong);
        bench.refuse(with_account(good.clone(), 1, USER), wrong);
        bench.refuse(with_account(good.clone(), 2, PROGRAM.order(jump.id())), wrong);
        bench.refuse(with_account(good.clone(), 3, PROGRAM.epoch(1)), Refusal::WrongKind);
        bench.refuse(with_account(good.clone(), 5, STRANGER), wrong);
        let mut unsigned = good.clone();
        unsigned.accounts[0].is_signer = false;
        bench.refuse(unsigned, Refusal::NotSigner);
        if coin != Coin::Sol {
            let mint = if coin == Coin::Spl { MINT_22 } else { MINT };
            bench.refuse(with_account(good.clone(), 6, PROGRAM.vault(jump.id())), wrong);
            bench.refuse(with_account(good.clone(), 7, coin.account(theirs)), Refusal::BadTokenAccount);
            bench.refuse(with_account(good.clone(), 7, coin.account(USER)), Refusal::BadTokenAccount);
            bench.refuse(with_account(good.clone(), 8, mint), Refusal::WrongMint);
            bench.refuse(with_account(good.clone(), 9, STRANGER), Refusal::WrongTokenProgram);
        }
        let word = release_word(&maker(), &jump);
        let release = back(coin, &jump, false, Some(&word));
        bench.refuse(with_account(release.clone(), 0, theirs), wrong);
        bench.refuse(with_account(release.clone(), 1, STRANGER), wrong);
        if coin != Coin::Sol {
            bench.refuse(with_account(release.clone(), 3, coin.account(theirs)), Refusal::BadTokenAccount);
            bench.refuse(with_account(release.clone(), 4, coin.account(STRANGER)), wrong);
        }
        // An order's own instructions do not know the address.
        let sweep = PROGRAM.sweep(&terms, STRANGER, coin.source(PROGRAM.jump_address(&jump)));
        bench.refuse(with_account(sweep, 1, PROGRAM.jump_address(&jump)), wrong);
        bench.send(good).unwrap();
        assert_eq!(bench.holds(coin, theirs), AMOUNT);
    }
}

#[test]
fn jumps_of_elsewhere_and_to_nobody_do_not_move() {
    let (jump, _) = pair(Coin::Sol);
    let mut bench = Bench::new();
    for (jump, why) in [
        (Jump { origin_chain_id: 8_453, ..jump }, Refusal::WrongChain),
        (Jump { escrow: word(STRANGER), ..jump }, Refusal::WrongEscrow),
        // The zero address is the system program's, into which the runtime lets nobody write.
        (Jump { refund_to: B256::ZERO, ..jump }, Refusal::NotWritable),
    ] {
        arrive(&mut bench, Coin::Sol, &jump, AMOUNT);
        bench.refuse(back(Coin::Sol, &jump, false, Some(&release_word(&maker(), &jump))), why);
    }
}

#[test]
fn a_jump_with_a_byte_missing_or_to_spare_is_refused() {
    let (jump, terms) = pair(Coin::Sol);
    let mut bench = paid(Coin::Sol, &jump, AMOUNT);
    let word = release_word(&maker(), &jump);
    for good in [opening(Coin::Sol, &jump, &terms), back(Coin::Sol, &jump, false, Some(&word))] {
        for length in 1..good.data.len() {
            let mut cut = good.clone();
            cut.data.truncate(length);
            bench.refuse(cut, Refusal::BadData);
        }
        let mut long = good.clone();
        long.data.push(0);
        bench.refuse(long, Refusal::BadData);
    }
    let mut odd = back(Coin::Sol, &jump, false, Some(&word));
    odd.data[2] = 64;
    bench.refuse(odd, Refusal::BadSignature);
}

#[test]
fn rule_21_the_program_takes_the_desks_word_at_the_desks_address() {
    let deployment = SolanaDeployment {
        chain: SOLANA_CHAIN_ID,
        program: word(PROGRAM.id),
        min_grace: MIN_GRACE,
        from_slot: 0,
    };
    let desk = SolanaJumpDesk::new(&deployment, &[0x77; 32]).unwrap();
    for coin in Coin::ALL {
        let jump = Jump { maker: desk.maker(), ..jump_of(&away(coin)) };
        let terms = order_of(&jump, &away(coin));
        let Address::Solana(address) = desk.address_for(jump.id()) else { panic!("another family") };
        let mut bench = Bench::new();
        bench.put(coin, address.into(), AMOUNT);
        bench.send(signed(coin, &jump, &terms, &desk.sign_open(jump.id(), terms.id()).unwrap())).unwrap();
        bench.put(coin, address.into(), 2 * AMOUNT);
        let before = bench.holds(coin, REFUND);
        bench.send(back(coin, &jump, true, Some(&desk.sign_release(jump.id()).unwrap()))).unwrap();
        assert_eq!(bench.holds(coin, REFUND) - before, 2 * AMOUNT);
    }
}
