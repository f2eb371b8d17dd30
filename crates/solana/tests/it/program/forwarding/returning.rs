use std::sync::Arc;

use alloy_primitives::B256;
use causeway_domain::ports::ForwardingSigner as _;
use causeway_domain::{Address, ForwardingOrder, SOLANA_CHAIN_ID, SolanaDeployment};
use causeway_solana::orders::SolanaForwardingSigner;
use causeway_solana::program::EscrowError;
use causeway_testing::FakeKey;
use futures::executor::block_on;
use k256::ecdsa::SigningKey;

use super::super::fixture::*;
use super::*;

#[test]
fn rule_21_before_expiry_only_the_maker_returns_the_balance() {
    for coin in Coin::ALL {
        let (jump, terms) = order_and_terms(coin);
        let mut fixture = fixture_with_payment(coin, &jump, AMOUNT);
        fixture.set_time(jump.expiry);
        fixture.assert_refused(give_back(coin, &jump, true, None), EscrowError::StillAwaited);
        let stranger = SigningKey::from_slice(&[0x4e; 32]).unwrap();
        let other = ForwardingOrder { nonce: word(USER), ..jump };
        for signature in [
            sign_release(&stranger, &jump),
            sign_release(&maker(), &other),
            sign_open(&maker(), &jump, &terms),
        ] {
            fixture.assert_refused(give_back(coin, &jump, true, Some(&signature)), EscrowError::NotTheMaker);
        }
        let good = sign_release(&maker(), &jump);
        fixture.assert_refused(
            give_back(coin, &jump, true, Some(&with_high_s(&good))),
            EscrowError::BadSignature,
        );
        let before = fixture.balance(coin, REFUND);
        fixture.send(give_back(coin, &jump, true, Some(&good))).unwrap();
        assert_eq!(fixture.balance(coin, REFUND) - before, AMOUNT);
        assert_eq!(fixture.lamports(coin.account(PROGRAM.jump_address(&jump))), 0);
    }
}

#[test]
fn rule_21_after_expiry_anyone_returns_the_balance() {
    for coin in Coin::ALL {
        let (jump, _) = order_and_terms(coin);
        let mut fixture = fixture_with_payment(coin, &jump, 3 * AMOUNT);
        fixture.set_time(jump.expiry + 1);
        let before = fixture.balance(coin, REFUND);
        fixture.send(give_back(coin, &jump, false, None)).unwrap();
        assert_eq!(fixture.balance(coin, REFUND) - before, 3 * AMOUNT);
    }
}

#[test]
fn rule_21_other_currencies_are_returned_at_once() {
    for coin in Coin::ALL {
        let (jump, terms) = order_and_terms(coin);
        let mut fixture = fixture_with_payment(coin, &jump, AMOUNT);
        for other in Coin::ALL.into_iter().filter(|other| *other != coin) {
            pay_in(&mut fixture, other, &jump, AMOUNT);
            let before = fixture.balance(other, REFUND);
            fixture.send(give_back(other, &jump, false, None)).unwrap();
            assert_eq!(fixture.balance(other, REFUND) - before, AMOUNT);
        }
        fixture.send(open(coin, &jump, &terms)).unwrap();
    }
}

#[test]
fn forwarding_balance_moves_only_through_its_own_accounts() {
    for coin in Coin::ALL {
        let (jump, terms) = order_and_terms(coin);
        let other = ForwardingOrder { nonce: word(USER), ..jump };
        let mut fixture = fixture_with_payment(coin, &jump, AMOUNT);
        pay_in(&mut fixture, coin, &other, AMOUNT);
        let theirs = PROGRAM.jump_address(&other);
        let good = open(coin, &jump, &terms);
        let wrong = EscrowError::WrongAddress;
        fixture.assert_refused(with_account(good.clone(), 1, theirs), wrong);
        fixture.assert_refused(with_account(good.clone(), 1, USER), wrong);
        fixture.assert_refused(with_account(good.clone(), 2, PROGRAM.order(jump.id())), wrong);
        fixture.assert_refused(with_account(good.clone(), 3, PROGRAM.epoch(1)), EscrowError::WrongKind);
        fixture.assert_refused(with_account(good.clone(), 5, STRANGER), wrong);
        let mut unsigned = good.clone();
        unsigned.accounts[0].is_signer = false;
        fixture.assert_refused(unsigned, EscrowError::NotSigner);
        if coin != Coin::Sol {
            let mint = if coin == Coin::Spl { MINT_22 } else { MINT };
            fixture.assert_refused(with_account(good.clone(), 6, PROGRAM.vault(jump.id())), wrong);
            fixture.assert_refused(
                with_account(good.clone(), 7, coin.account(theirs)),
                EscrowError::BadTokenAccount,
            );
            fixture.assert_refused(
                with_account(good.clone(), 7, coin.account(USER)),
                EscrowError::BadTokenAccount,
            );
            fixture.assert_refused(with_account(good.clone(), 8, mint), EscrowError::WrongMint);
            fixture.assert_refused(with_account(good.clone(), 9, STRANGER), EscrowError::WrongTokenProgram);
        }
        let signature = sign_release(&maker(), &jump);
        let release = give_back(coin, &jump, false, Some(&signature));
        fixture.assert_refused(with_account(release.clone(), 0, theirs), wrong);
        fixture.assert_refused(with_account(release.clone(), 1, STRANGER), wrong);
        if coin != Coin::Sol {
            fixture.assert_refused(
                with_account(release.clone(), 3, coin.account(theirs)),
                EscrowError::BadTokenAccount,
            );
            fixture.assert_refused(with_account(release.clone(), 4, coin.account(STRANGER)), wrong);
        }
        // An order's own instructions cannot move money at a forwarding address.
        let sweep = PROGRAM.sweep(&terms, STRANGER, coin.source(PROGRAM.jump_address(&jump)));
        fixture.assert_refused(with_account(sweep, 1, PROGRAM.jump_address(&jump)), wrong);
        fixture.send(good).unwrap();
        assert_eq!(fixture.balance(coin, theirs), AMOUNT);
    }
}

#[test]
fn foreign_or_invalid_forwarding_orders_do_not_move() {
    let (jump, _) = order_and_terms(Coin::Sol);
    let mut fixture = ProgramFixture::new();
    for (jump, why) in [
        (ForwardingOrder { origin_chain_id: 8_453, ..jump }, EscrowError::WrongChain),
        (ForwardingOrder { escrow: word(STRANGER), ..jump }, EscrowError::WrongEscrow),
        // The zero address is the system program's, into which the runtime lets nobody write.
        (ForwardingOrder { refund_to: B256::ZERO, ..jump }, EscrowError::NotWritable),
    ] {
        pay_in(&mut fixture, Coin::Sol, &jump, AMOUNT);
        fixture.assert_refused(give_back(Coin::Sol, &jump, false, Some(&sign_release(&maker(), &jump))), why);
    }
}

#[test]
fn forwarding_instruction_with_missing_or_extra_bytes_is_refused() {
    let (jump, terms) = order_and_terms(Coin::Sol);
    let mut fixture = fixture_with_payment(Coin::Sol, &jump, AMOUNT);
    let signature = sign_release(&maker(), &jump);
    for good in [open(Coin::Sol, &jump, &terms), give_back(Coin::Sol, &jump, false, Some(&signature))] {
        for length in 1..good.data.len() {
            let mut cut = good.clone();
            cut.data.truncate(length);
            fixture.assert_refused(cut, EscrowError::BadData);
        }
        let mut long = good.clone();
        long.data.push(0);
        fixture.assert_refused(long, EscrowError::BadData);
    }
    let mut odd = give_back(Coin::Sol, &jump, false, Some(&signature));
    odd.data[2] = 64;
    fixture.assert_refused(odd, EscrowError::BadSignature);
}

#[test]
fn rule_21_the_program_accepts_the_signers_signature_and_address() {
    let deployment = SolanaDeployment {
        chain: SOLANA_CHAIN_ID,
        program: word(PROGRAM.id),
        min_grace: MIN_GRACE,
        from_slot: 0,
    };
    let signer = SolanaForwardingSigner::new(&deployment, Arc::new(FakeKey::new([0x77; 32]))).unwrap();
    for coin in Coin::ALL {
        let jump =
            ForwardingOrder { maker: signer.maker(), ..forwarding_order_for(&terms_to_other_chain(coin)) };
        let terms = terms_of(&jump, &terms_to_other_chain(coin));
        let Address::Solana(address) = signer.address_for(jump.id()) else { panic!("another family") };
        let mut fixture = ProgramFixture::new();
        fixture.put(coin, address.into(), AMOUNT);
        let signature = block_on(signer.sign_open(jump.id(), terms.id())).unwrap();
        fixture.send(open_signed(coin, &jump, &terms, &signature)).unwrap();
        fixture.put(coin, address.into(), 2 * AMOUNT);
        let before = fixture.balance(coin, REFUND);
        let release = block_on(signer.sign_release(jump.id())).unwrap();
        fixture.send(give_back(coin, &jump, true, Some(&release))).unwrap();
        assert_eq!(fixture.balance(coin, REFUND) - before, 2 * AMOUNT);
    }
}
