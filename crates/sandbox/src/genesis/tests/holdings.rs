use super::machine::Token;
use super::*;
use crate::genesis::artifact::{self, Artifact};
use crate::genesis::storage::slot;
use crate::genesis::{GenesisError, TAXED_TOKEN, permit2_address};

/// What the first wallet and a filler hold of a token, after checking that the supply is what all of them hold.
fn holdings(token: &WellKnownToken) -> (U256, U256) {
    let accounts = GENESIS.accounts(chain(10), std::slice::from_ref(token), FAUCET).unwrap();
    let mut machine = Machine::new(10, accounts);
    let supply = machine.call(FAUCET, token.address, &Token::totalSupplyCall {});
    let fillers = GENESIS.roles().fillers.iter().map(|filler| filler.hot.address);
    let owners = fillers.chain(GENESIS.wallets().iter().map(|wallet| wallet.address));
    let owners = owners.chain([GENESIS.roles().ramps.address]);
    let held: Vec<U256> =
        owners.map(|owner| machine.call(FAUCET, token.address, &Token::balanceOfCall { owner })).collect();
    assert_eq!(held.iter().sum::<U256>(), supply);
    (held[2], held[0])
}

fn held(token: &WellKnownToken) -> U256 {
    holdings(token).0
}

#[test]
fn a_filler_holds_enough_of_every_token_for_many_orders() {
    let of_filler = |token: &WellKnownToken| holdings(token).1;
    assert_eq!(of_filler(&token(USDC, "USDC", "USD Coin", 6, Some("1"))), whole(5_000_000, 6));
    assert_eq!(of_filler(&token(WETH, "WBTC", "Wrapped BTC", 8, Some("100000"))), whole(1_000, 8));
    assert_eq!(of_filler(&token(WETH, "ODD", "Odd", 0, None)), U256::from(1_000));
}

#[test]
fn a_wallet_holds_a_million_dollars_worth_of_each_stablecoin() {
    assert_eq!(held(&token(USDC, "USDC", "USD Coin", 6, Some("1"))), whole(1_000_000, 6));
    assert_eq!(held(&token(USDC, "USDC", "USD Coin", 18, Some("1"))), whole(1_000_000, 18));
    assert_eq!(held(&token(USDC, "DAI", "Dai", 18, Some("0.99"))), whole(1_000_000, 20) / U256::from(99));
    assert_eq!(held(&token(USDC, "EURC", "Euro Coin", 6, Some("1.25"))), whole(800_000, 6));
}

#[test]
fn a_wallet_holds_a_hundred_of_any_other_token_or_a_thousand_dollars_worth() {
    assert_eq!(held(&token(WETH, "WBTC", "Wrapped BTC", 8, Some("100000"))), whole(100, 8));
    assert_eq!(held(&token(WETH, "PEPE", "Pepe", 18, Some("0.00001"))), whole(100_000_000, 18));
    assert_eq!(held(&token(WETH, "ODD", "Odd", 0, None)), U256::from(100));
    assert_eq!(
        held(&WellKnownToken { is_wrapped_native: true, ..token(WETH, "WETH", "W", 18, None) }),
        whole(100, 18)
    );
}

#[test]
fn a_token_without_a_valid_amount_is_rejected() {
    for token in [token(WETH, "X", "X", 255, None), token(WETH, "X", "X", 18, Some("0"))] {
        let refused = GENESIS.accounts(chain(1), &[token], FAUCET).unwrap_err();
        assert!(matches!(refused, GenesisError::Amount { .. }), "{refused}");
    }
}

#[test]
fn two_contracts_at_one_address_are_rejected() {
    let twice = [tokens(), tokens()].concat();
    let over = [token(permit2_address(chain(1)), "X", "X", 18, None)];
    let taxed = [token(TAXED_TOKEN, "X", "X", 18, None)];
    for tokens in [&twice[..], &over, &taxed] {
        let refused = GENESIS.accounts(chain(1), tokens, FAUCET).unwrap_err();
        assert!(matches!(refused, GenesisError::SharedAddress(_)), "{refused}");
    }
}

#[test]
fn slots_match_the_compiled_layout() {
    let slots_of = |source| Artifact::read(source).unwrap().file.storage_slots;
    let play = slots_of(artifact::PLAY_TOKEN);
    let quirky = slots_of(artifact::QUIRKY_TOKEN);
    let taxed = slots_of(artifact::TAXED_TOKEN);
    let wrapped = slots_of(artifact::WRAPPED_NATIVE);
    for slots in [&play, &quirky, &taxed, &wrapped] {
        assert_eq!((slots["name"], slots["symbol"]), (slot::NAME, slot::SYMBOL));
        assert_eq!((slots["decimals"], slots["balanceOf"]), (slot::DECIMALS, slot::BALANCE_OF));
    }
    for slots in [&play, &quirky, &taxed] {
        assert_eq!((slots["totalSupply"], slots["faucet"]), (slot::TOTAL_SUPPLY, slot::FAUCET));
    }
    assert_eq!((play["version"], taxed["taxBasisPoints"]), (slot::VERSION, slot::TAX_BASIS_POINTS));
}
