use alloy_primitives::Bytes;
use alloy_sol_types::{Revert, SolCall, SolError};
use proptest::prelude::*;

use super::machine::Token;
use super::*;
use crate::genesis::TAXED_TOKEN;

#[test]
fn tokens_answer_with_their_identity_and_supply() {
    let (mut machine, alice, _) = start(1);
    for token in tokens() {
        let at = token.address;
        assert_eq!(machine.call(alice, at, &Token::nameCall {}), token.name);
        assert_eq!(machine.call(alice, at, &Token::symbolCall {}), token.symbol);
        assert_eq!(machine.call(alice, at, &Token::decimalsCall {}), token.decimals);
        let held = machine.call(alice, at, &Token::balanceOfCall { owner: alice });
        assert!(machine.call(alice, at, &Token::totalSupplyCall {}) > held * U256::from(10));
        assert_eq!(machine.account(at).nonce, 1);
    }
}

#[test]
fn only_the_faucet_mints() {
    let (mut machine, alice, bob) = start(1);
    for at in [USDC, USDT, TAXED_TOKEN] {
        assert_eq!(machine.call(alice, at, &Token::faucetCall {}), FAUCET);
        let before = machine.call(alice, at, &Token::balanceOfCall { owner: bob });
        let mint = Token::mintCall { to: bob, amount: U256::from(7) };
        assert!(machine.send(alice, at, U256::ZERO, mint.abi_encode()).is_err());
        machine.call(FAUCET, at, &mint);
        let after = machine.call(alice, at, &Token::balanceOfCall { owner: bob });
        assert_eq!(after, before + U256::from(7));
    }
}

#[test]
fn usdt_on_ethereum_returns_nothing_and_requires_a_zero_allowance_first() {
    let (mut machine, alice, bob) = start(1);
    let mut approve = |amount: u64| {
        let call = Token::approveCall { spender: bob, amount: U256::from(amount) };
        machine.send(alice, USDT, U256::ZERO, call.abi_encode()).map(|(output, _)| output)
    };
    assert_eq!(approve(5), Ok(Bytes::new()));
    assert_eq!(approve(6), Err(Bytes::new()));
    assert_eq!(approve(0), Ok(Bytes::new()));
    assert_eq!(approve(6), Ok(Bytes::new()));
    let transfer = Token::transferCall { to: bob, amount: U256::ONE };
    let (output, logs) = machine.send(alice, USDT, U256::ZERO, transfer.abi_encode()).unwrap();
    assert_eq!((output.len(), logs.len()), (0, 1));
}

#[test]
fn usdt_elsewhere_is_a_standard_token() {
    let (mut machine, alice, bob) = start(8453);
    for amount in [5, 6] {
        let approve = Token::approveCall { spender: bob, amount: U256::from(amount) };
        assert!(machine.call(alice, USDT, &approve));
    }
}

#[test]
fn a_transfer_over_the_balance_has_a_revert_reason() {
    let (mut machine, alice, bob) = start(1);
    let transfer = Token::transferCall { to: bob, amount: U256::MAX };
    let refused = machine.send(alice, USDC, U256::ZERO, transfer.abi_encode()).unwrap_err();
    let reason = Revert::abi_decode(&refused).unwrap().reason;
    assert_eq!(reason, "ERC20: transfer amount exceeds balance");
}

#[test]
fn wrapped_coins_are_backed_and_can_be_deposited_and_withdrawn() {
    let (mut machine, alice, _) = start(1);
    let supply = machine.call(alice, WETH, &Token::totalSupplyCall {});
    assert_eq!(machine.account(WETH).balance, supply);
    machine.send(alice, WETH, whole(5, 18), Token::depositCall {}.abi_encode()).unwrap();
    machine.send(alice, WETH, whole(1, 18), Bytes::new()).unwrap();
    machine.call(alice, WETH, &Token::withdrawCall { amount: whole(106, 18) });
    assert_eq!(machine.call(alice, WETH, &Token::balanceOfCall { owner: alice }), U256::ZERO);
    assert_eq!(machine.account(alice).balance, whole(10_100, 18));
    assert_eq!(machine.call(alice, WETH, &Token::totalSupplyCall {}), supply - whole(100, 18));
}

#[test]
fn the_taxed_token_burns_one_percent_on_every_chain() {
    for id in CHAINS {
        let (mut machine, alice, _) = start(id);
        let nobody = Address::repeat_byte(9);
        assert_eq!(machine.call(alice, TAXED_TOKEN, &Token::taxBasisPointsCall {}), U256::from(100));
        machine.call(alice, TAXED_TOKEN, &Token::transferCall { to: nobody, amount: U256::from(1_000) });
        let got = machine.call(alice, TAXED_TOKEN, &Token::balanceOfCall { owner: nobody });
        assert_eq!(got, U256::from(990));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn names_of_any_length_and_script_round_trip(name in "\\PC{0,80}", symbol in "\\PC{0,40}") {
        let token = token(WETH, &symbol, &name, 18, None);
        let accounts = GENESIS.accounts(chain(1), &[token], FAUCET).unwrap();
        let mut machine = Machine::new(1, accounts);
        prop_assert_eq!(machine.call(FAUCET, WETH, &Token::nameCall {}), name);
        prop_assert_eq!(machine.call(FAUCET, WETH, &Token::symbolCall {}), symbol);
    }
}
