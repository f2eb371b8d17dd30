//! Forwarding orders: opening an order from their address, and returning its balance.

mod opening;
mod returning;

use alloy_primitives::{B256, U256, uint};
use causeway_domain::{ForwardingOrder, IntentTerms, SignatureBytes};
use causeway_solana::program::Holding;
use k256::ecdsa::SigningKey;
use solana_instruction::Instruction;

use super::fixture::*;

const ORDER_OF_THE_CURVE: U256 =
    uint!(0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141_U256);

pub(super) fn maker() -> SigningKey {
    SigningKey::from_slice(&[0x4d; 32]).unwrap()
}

/// A forwarding order for these terms, at their rate or better, for an hour.
pub(super) fn forwarding_order_for(terms: &IntentTerms) -> ForwardingOrder {
    ForwardingOrder {
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

/// The same terms as an order of this forwarding order.
pub(super) fn terms_of(jump: &ForwardingOrder, terms: &IntentTerms) -> IntentTerms {
    IntentTerms { user: word(PROGRAM.jump_address(jump)), ..*terms }
}

pub(super) fn sign_open(key: &SigningKey, jump: &ForwardingOrder, terms: &IntentTerms) -> SignatureBytes {
    sign(key, PROGRAM.open_jump_digest(jump.id(), terms.id()))
}

pub(super) fn sign_release(key: &SigningKey, jump: &ForwardingOrder) -> SignatureBytes {
    sign(key, PROGRAM.release_jump_digest(jump.id()))
}

fn order_and_terms(coin: Coin) -> (ForwardingOrder, IntentTerms) {
    let terms = terms_to_other_chain(coin);
    let jump = forwarding_order_for(&terms);
    (jump, terms_of(&jump, &terms))
}

/// A payout to the forwarding address.
fn pay_in(fixture: &mut ProgramFixture, coin: Coin, jump: &ForwardingOrder, amount: u64) {
    let address = PROGRAM.jump_address(jump);
    let held = fixture.balance(coin, address);
    fixture.put(coin, address, held + amount);
}

fn fixture_with_payment(coin: Coin, jump: &ForwardingOrder, amount: u64) -> ProgramFixture {
    let mut fixture = ProgramFixture::new();
    pay_in(&mut fixture, coin, jump, amount);
    fixture
}

fn open_signed(
    coin: Coin,
    jump: &ForwardingOrder,
    terms: &IntentTerms,
    signature: &SignatureBytes,
) -> Instruction {
    PROGRAM.jump(jump, terms, STRANGER, coin.source(PROGRAM.jump_address(jump)), signature)
}

fn open(coin: Coin, jump: &ForwardingOrder, terms: &IntentTerms) -> Instruction {
    open_signed(coin, jump, terms, &sign_open(&maker(), jump, terms))
}

pub(super) fn give_back(
    coin: Coin,
    jump: &ForwardingOrder,
    close: bool,
    signature: Option<&SignatureBytes>,
) -> Instruction {
    let address = PROGRAM.jump_address(jump);
    let holding = coin.program().map(|token_program| Holding {
        account: coin.account(address),
        mint: coin.mint(),
        token_program,
        close,
    });
    PROGRAM.give_back_jump(jump, holding, signature)
}

/// The same signature with the other of its two values of s.
fn with_high_s(low: &SignatureBytes) -> SignatureBytes {
    let mut with_high_s = *low;
    let s = ORDER_OF_THE_CURVE - U256::from_be_slice(&low[32..64]);
    with_high_s[32..64].copy_from_slice(&s.to_be_bytes::<32>());
    with_high_s[64] = 55 - low[64];
    with_high_s
}
