use alloy_primitives::{B256, b256, keccak256};
use alloy_sol_types::{SolCall, SolValue};
use k256::ecdsa::SigningKey;

use super::machine::Token;
use super::*;

/// Signs a permit with the first wallet's key.
fn permit(domain: B256, owner: Address, spender: Address, value: U256) -> Token::permitCall {
    let kind =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    let terms = keccak256((kind, owner, spender, value, U256::ZERO, U256::MAX).abi_encode());
    let digest = keccak256([&b"\x19\x01"[..], &domain[..], &terms[..]].concat());
    let key = GENESIS.wallets()[0].key;
    let signer = SigningKey::from_slice(key.as_slice()).unwrap();
    let (signature, parity) = signer.sign_prehash_recoverable(digest.as_slice()).unwrap();
    let (r, s) = signature.split_bytes();
    Token::permitCall {
        owner,
        spender,
        value,
        deadline: U256::MAX,
        v: 27 + parity.to_byte(),
        r: B256::from_slice(&r),
        s: B256::from_slice(&s),
    }
}

#[test]
fn the_domain_of_usdc_on_ethereum_is_the_real_one() {
    let (mut machine, alice, _) = start(1);
    assert_eq!(machine.call(alice, USDC, &Token::versionCall {}), "2");
    let domain = machine.call(alice, USDC, &Token::DOMAIN_SEPARATORCall {});
    assert_eq!(domain, b256!("06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335"));
}

#[test]
fn a_permit_signed_by_a_wallet_is_accepted_once() {
    let (mut machine, alice, bob) = start(8453);
    let domain = machine.call(alice, USDC, &Token::DOMAIN_SEPARATORCall {});
    let permit = permit(domain, alice, bob, U256::from(5));
    machine.call(bob, USDC, &permit);
    assert_eq!(machine.call(bob, USDC, &Token::allowanceCall { owner: alice, spender: bob }), U256::from(5));
    assert_eq!(machine.call(bob, USDC, &Token::noncesCall { owner: alice }), U256::ONE);
    assert!(machine.send(bob, USDC, U256::ZERO, permit.abi_encode()).is_err());
}

#[test]
fn a_permit_for_another_chain_is_refused() {
    let (mut elsewhere, alice, bob) = start(1);
    let domain = elsewhere.call(alice, USDC, &Token::DOMAIN_SEPARATORCall {});
    let (mut machine, ..) = start(8453);
    let permit = permit(domain, alice, bob, U256::from(5));
    assert!(machine.send(bob, USDC, U256::ZERO, permit.abi_encode()).is_err());
}
