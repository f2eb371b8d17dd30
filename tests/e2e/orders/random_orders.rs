use alloy_primitives::U256;
use causeway_domain::Address;

use super::chains::{CHAINS, COIN, ETHEREUM, ETHEREUM_USDT, OPTIMISM, OPTIMISM_USDT, coin, usdc};
use super::payer::{DepositVia, Outcome, SwapPlan};
use super::seeded_rng::SeededRng;
use super::solana::{SOL, SOLANA};

/// Every how many swaps one touches Solana.
const SOLANA_EVERY: usize = 3;

/// The deposit flows on Solana.
const SOLANA_DEPOSIT_VIAS: [DepositVia; 5] =
    [DepositVia::Late, DepositVia::Call, DepositVia::Silent, DepositVia::Transfer, DepositVia::Signed];

fn input(rng: &mut SeededRng, token: Address) -> U256 {
    match token {
        // A hundredth of a coin and more.
        COIN => U256::from(10_000_000_000_000_000 + rng.below(10_000_000_000_000_000)),
        // A fifth of a SOL and more.
        SOL => U256::from(200_000_000 + rng.below(500_000_000)),
        // Twenty dollars and more.
        _ => U256::from(20_000_000 + rng.below(200_000_000)),
    }
}

/// A random swap; every third touches Solana.
pub(super) fn random_plan(number: usize, rng: &mut SeededRng) -> SwapPlan {
    if number.is_multiple_of(SOLANA_EVERY) {
        random_solana_plan(number / SOLANA_EVERY, rng)
    } else {
        random_evm_plan(rng)
    }
}

fn evm_side(rng: &mut SeededRng) -> (u64, Address) {
    let chain = rng.pick(&CHAINS);
    match rng.below(5) {
        0 | 1 => (chain, COIN),
        2 if chain == ETHEREUM => (chain, ETHEREUM_USDT),
        _ => (chain, usdc(chain)),
    }
}

/// A swap between any two of the EVM chains, or on one of them.
fn random_evm_plan(rng: &mut SeededRng) -> SwapPlan {
    let from = evm_side(rng);
    let to = loop {
        let to = evm_side(rng);
        if to != from {
            break to;
        }
    };
    let via = evm_deposit_via(from.1, rng);
    SwapPlan { from, to, amount: input(rng, from.1), via, outcome: outcome(via, rng) }
}

fn evm_deposit_via(token: Address, rng: &mut SeededRng) -> DepositVia {
    let vias =
        [DepositVia::Call, DepositVia::Silent, DepositVia::Signed, DepositVia::Transfer, DepositVia::Permit];
    rng.pick(if token == COIN { &vias[..4] } else { &vias })
}

fn outcome(via: DepositVia, rng: &mut SeededRng) -> Outcome {
    // An address to send to is shown from the start.
    if rng.below(10) == 0 && via != DepositVia::Transfer { Outcome::NeverDeposited } else { Outcome::Filled }
}

/// From Solana, to Solana and within it by turns, with both tokens and all ways of depositing by turns too, so that a short run
/// has each.
fn random_solana_plan(number: usize, rng: &mut SeededRng) -> SwapPlan {
    let (here, there) = if number.is_multiple_of(2) { (SOL, usdc(SOLANA)) } else { (usdc(SOLANA), SOL) };
    let via = SOLANA_DEPOSIT_VIAS[(number - number / 3) % SOLANA_DEPOSIT_VIAS.len()];
    let (from, to, via) = match number % 3 {
        0 => ((SOLANA, here), evm_side(rng), via),
        1 => ((SOLANA, here), (SOLANA, there), via),
        _ => {
            let from = evm_side(rng);
            (from, (SOLANA, here), evm_deposit_via(from.1, rng))
        }
    };
    SwapPlan { from, to, amount: input(rng, from.1), via, outcome: Outcome::Filled }
}

/// A swap for something that the fillers will not have any more when the deposit comes.
pub(super) fn unfillable_plan(rng: &mut SeededRng) -> SwapPlan {
    let chain = rng.pick(&CHAINS);
    let via = rng.pick(&[DepositVia::Call, DepositVia::Transfer, DepositVia::Signed]);
    unfillable(chain, via, rng)
}

/// The same from Solana, where what was built must be sent within a minute.
pub(super) fn unfillable_solana_plan(rng: &mut SeededRng) -> SwapPlan {
    let via = rng.pick(&[DepositVia::Call, DepositVia::Transfer, DepositVia::Silent]);
    unfillable(SOLANA, via, rng)
}

fn unfillable(chain: u64, via: DepositVia, rng: &mut SeededRng) -> SwapPlan {
    let token = rng.pick(&[coin(chain), usdc(chain)]);
    let amount = input(rng, token);
    SwapPlan { from: (chain, token), to: (OPTIMISM, OPTIMISM_USDT), amount, via, outcome: Outcome::Refunded }
}
