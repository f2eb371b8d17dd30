//! What chains are trusted with, by their kind: play chains with everything at once, real ones with as much as they deserve.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::{ChainId, DepositMethod, Interest, Leisure, RawAmount, UsdAmount};
use causeway_evm::SendPolicy;
use causeway_evm::orders::OrderFollowConfig;
use causeway_fillers::inventory::ChainTerms;
use causeway_solana::orders::{SolanaFollowConfig, SolanaSending};

use crate::config::{Config, Mode};
use causeway_engine::OrderTiming;

/// How often the play chains are looked at, and how often while nobody waits for them.
const PLAY_POLL: Duration = Duration::from_millis(500);
const PLAY_IDLE: Duration = Duration::from_secs(5);

/// The same for real ones, whose endpoints count calls.
const POLL: Duration = Duration::from_secs(1);
const IDLE: Duration = Duration::from_secs(15);

/// How a play chain is sent to: it takes whatever is valid within a block or two.
pub(crate) const PLAY_SENDING: SendPolicy =
    SendPolicy { stuck_after: Duration::from_secs(6), max_fee_per_gas: 10_000_000_000_000, depth: 2 };

/// After how long a transaction on a real chain is replaced by a dearer one.
const STUCK_AFTER: Duration = Duration::from_secs(45);

/// The most that is offered for gas, in wei: 500 gwei, and on Polygon, whose coin is worth little, ten times that.
const MAX_FEE: u128 = 500_000_000_000;
const MAX_POLYGON_FEE: u128 = 5_000_000_000_000;

/// How much is offered on Solana at most to be taken into a block: 0.0015 SOL for the dearest transaction of ours.
pub(crate) const SOLANA_SENDING: SolanaSending = SolanaSending { most_for_unit: 10_000_000 };

/// How long a deposit on a play chain takes to be believed: two blocks.
const PLAY_DEPOSIT_SECONDS: u32 = 2;

/// How transactions of ours are sent to a chain.
pub(crate) fn sending(mode: Mode, chain: ChainId) -> SendPolicy {
    if mode == Mode::Sandbox {
        return PLAY_SENDING;
    }
    let max_fee_per_gas = if chain.get() == 137 { MAX_POLYGON_FEE } else { MAX_FEE };
    // What was reverted is given up only when nothing can bring it back.
    let depth = match chain.get() {
        1 => 64,
        137 => 128,
        _ => 300,
    };
    SendPolicy { stuck_after: STUCK_AFTER, max_fee_per_gas, depth }
}

/// How long orders may take at each stage.
pub(crate) fn timing(config: &Config) -> OrderTiming {
    let timing = config.orders.timing();
    match config.mode {
        Mode::Sandbox => OrderTiming { usual_finality: PLAY_DEPOSIT_SECONDS.into(), ..timing },
        Mode::Production => timing,
    }
}

/// How an EVM chain is followed for orders.
pub(crate) fn following(mode: Mode, chain: ChainId, interest: Arc<Interest>) -> OrderFollowConfig {
    let leisure = Some(leisure(mode, interest));
    match mode {
        Mode::Sandbox => OrderFollowConfig { leisure, ..OrderFollowConfig::sandbox(PLAY_POLL) },
        Mode::Production => OrderFollowConfig { leisure, ..OrderFollowConfig::for_chain(chain) },
    }
}

pub(crate) fn following_solana(mode: Mode, interest: Arc<Interest>) -> SolanaFollowConfig {
    let poll = if mode == Mode::Sandbox { PLAY_POLL } else { POLL };
    SolanaFollowConfig { poll, leisure: Some(leisure(mode, interest)) }
}

/// Chains that nobody waits for cost less.
const fn leisure(mode: Mode, interest: Arc<Interest>) -> Leisure {
    let every = match mode {
        Mode::Sandbox => PLAY_IDLE,
        Mode::Production => IDLE,
    };
    Leisure { interest, every }
}

/// What a market maker does on a chain.
pub(crate) fn terms(mode: Mode, chain: ChainId, methods: Vec<DepositMethod>) -> ChainTerms {
    if mode == Mode::Sandbox {
        return ChainTerms::new(chain, PLAY_DEPOSIT_SECONDS, methods);
    }
    ChainTerms {
        order_cap: order_cap(chain),
        fill_seconds: if chain.get() == 1 { 12 } else { 2 },
        ..ChainTerms::new(chain, deposit_seconds(chain), methods)
    }
}

/// How long a small deposit usually takes to be believed.
fn deposit_seconds(chain: ChainId) -> u32 {
    match chain.get() {
        1 => 48,
        10 | 130 | 5_000 | 8_453 | 747_474 => 20,
        42_161 => 5,
        56 | 137 | 143 | 43_114 | 80_094 | 16_661 => 10,
        324 | 2_741 | 5_734_951 | 4_278_608 => 60,
        59_144 => 120,
        id if id == causeway_domain::SOLANA_CHAIN_ID.get() => 15,
        // Nobody knows it: its own word for final decides, and may take as long as Ethereum's.
        _ => 15 * 60,
    }
}

/// The most that one order may bring from a chain whose blocks are believed by their depth alone.
fn order_cap(chain: ChainId) -> Option<UsdAmount> {
    let dollars = |dollars: u64| Some(UsdAmount::from_cents(RawAmount::new(U256::from(dollars * 100))));
    match chain.get() {
        324 | 2_741 | 59_144 => dollars(10_000),
        5_734_951 | 4_278_608 => dollars(1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(id: u64) -> ChainId {
        ChainId::new(id).unwrap()
    }

    #[test]
    fn chains_that_are_believed_by_depth_alone_bring_no_large_orders_in_production() {
        let cap = |mode, id| terms(mode, chain(id), Vec::new()).order_cap.map(|cap| cap.to_string());
        for (id, most) in [(324, "10000.00"), (59_144, "10000.00"), (4_278_608, "1000.00")] {
            assert_eq!(cap(Mode::Production, id).as_deref(), Some(most), "{id}");
            assert_eq!(cap(Mode::Sandbox, id), None, "{id}");
        }
        assert_eq!(cap(Mode::Production, 8_453), None);
    }

    #[test]
    fn real_chains_are_waited_for_as_long_as_they_need() {
        assert_eq!(terms(Mode::Production, chain(1), Vec::new()).deposit_seconds, 48);
        assert_eq!(terms(Mode::Sandbox, chain(1), Vec::new()).deposit_seconds, 2);
        assert!(sending(Mode::Production, chain(1)).depth > sending(Mode::Sandbox, chain(1)).depth);
        let config = Config { mode: Mode::Production, ..Config::default() };
        assert!(timing(&config).usual_finality > timing(&Config::default()).usual_finality);
    }
}
