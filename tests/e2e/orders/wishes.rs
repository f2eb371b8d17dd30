use alloy_primitives::U256;
use causeway_domain::Address;

use super::chains::{CHAINS, COIN, ETHEREUM, ETHEREUM_USDT, OPTIMISM, OPTIMISM_USDT, coin, usdc};
use super::dice::Dice;
use super::payer::{Fate, Way, Wish};
use super::solana::{SOL, SOLANA};

/// Every how many wishes one touches Solana.
const SOLANA_EVERY: usize = 3;

/// How somebody on Solana can deposit.
const SOLANA_WAYS: [Way; 5] = [Way::Late, Way::Call, Way::Silent, Way::Transfer, Way::Signed];

fn input(dice: &mut Dice, token: Address) -> U256 {
    match token {
        // A hundredth of a coin and more.
        COIN => U256::from(10_000_000_000_000_000 + dice.below(10_000_000_000_000_000)),
        // A fifth of a SOL and more.
        SOL => U256::from(200_000_000 + dice.below(500_000_000)),
        // Twenty dollars and more.
        _ => U256::from(20_000_000 + dice.below(200_000_000)),
    }
}

/// The wish of somebody who is one of many: every third touches Solana.
pub(super) fn wish(number: usize, dice: &mut Dice) -> Wish {
    if number.is_multiple_of(SOLANA_EVERY) {
        solana_wish(number / SOLANA_EVERY, dice)
    } else {
        any_wish(dice)
    }
}

fn evm_side(dice: &mut Dice) -> (u64, Address) {
    let chain = dice.pick(&CHAINS);
    match dice.below(5) {
        0 | 1 => (chain, COIN),
        2 if chain == ETHEREUM => (chain, ETHEREUM_USDT),
        _ => (chain, usdc(chain)),
    }
}

/// A swap between any two of the EVM chains, or on one of them.
fn any_wish(dice: &mut Dice) -> Wish {
    let from = evm_side(dice);
    let to = loop {
        let to = evm_side(dice);
        if to != from {
            break to;
        }
    };
    let way = evm_way(from.1, dice);
    Wish { from, to, amount: input(dice, from.1), way, fate: fate(way, dice) }
}

fn evm_way(token: Address, dice: &mut Dice) -> Way {
    let ways = [Way::Call, Way::Silent, Way::Signed, Way::Transfer, Way::Permit];
    dice.pick(if token == COIN { &ways[..4] } else { &ways })
}

fn fate(way: Way, dice: &mut Dice) -> Fate {
    // An address to send to is shown from the start.
    if dice.below(10) == 0 && way != Way::Transfer { Fate::Unseen } else { Fate::Filled }
}

/// From Solana, to Solana and within it by turns, with both tokens and all ways of depositing by turns too, so that a short run
/// has each.
fn solana_wish(number: usize, dice: &mut Dice) -> Wish {
    let (here, there) = if number.is_multiple_of(2) { (SOL, usdc(SOLANA)) } else { (usdc(SOLANA), SOL) };
    let way = SOLANA_WAYS[(number - number / 3) % SOLANA_WAYS.len()];
    let (from, to, way) = match number % 3 {
        0 => ((SOLANA, here), evm_side(dice), way),
        1 => ((SOLANA, here), (SOLANA, there), way),
        _ => {
            let from = evm_side(dice);
            (from, (SOLANA, here), evm_way(from.1, dice))
        }
    };
    Wish { from, to, amount: input(dice, from.1), way, fate: Fate::Filled }
}

/// A swap for something that the fillers will not have any more when the deposit comes.
pub(super) fn hopeless_wish(dice: &mut Dice) -> Wish {
    let chain = dice.pick(&CHAINS);
    let way = dice.pick(&[Way::Call, Way::Transfer, Way::Signed]);
    hopeless(chain, way, dice)
}

/// The same from Solana, where what was built must be sent within a minute.
pub(super) fn hopeless_solana_wish(dice: &mut Dice) -> Wish {
    let way = dice.pick(&[Way::Call, Way::Transfer, Way::Silent]);
    hopeless(SOLANA, way, dice)
}

fn hopeless(chain: u64, way: Way, dice: &mut Dice) -> Wish {
    let token = dice.pick(&[coin(chain), usdc(chain)]);
    let amount = input(dice, token);
    Wish { from: (chain, token), to: (OPTIMISM, OPTIMISM_USDT), amount, way, fate: Fate::Refunded }
}
