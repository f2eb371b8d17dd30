//! Per-chain policy: finality, polling, fees and order caps, for sandbox chains and for real ones.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::{ChainDemand, ChainId, DepositMethod, IdlePolling, RawAmount, UsdAmount};
use causeway_evm::SendPolicy;
use causeway_evm::orders::OrderFollowConfig;
use causeway_fillers::inventory::ChainTerms;
use causeway_solana::orders::{SolanaFollowConfig, SolanaSendConfig};

use crate::boot::config::{Config, Mode};
use causeway_engine::OrderTiming;

/// How often sandbox chains are polled, and how often while no order needs them.
const SANDBOX_POLL: Duration = Duration::from_millis(500);
const SANDBOX_IDLE: Duration = Duration::from_secs(5);

/// The same for real chains, whose endpoints limit calls.
const POLL: Duration = Duration::from_secs(1);
const IDLE: Duration = Duration::from_secs(15);

/// A sandbox chain includes every valid transaction within two blocks.
pub(crate) const SANDBOX_SEND_POLICY: SendPolicy =
    SendPolicy { stuck_after: Duration::from_secs(6), max_fee_per_gas: 10_000_000_000_000, depth: 2 };

/// After how long a pending transaction on a real chain is replaced with a higher fee.
const STUCK_AFTER: Duration = Duration::from_secs(45);

/// The maximum fee per gas in wei: 500 gwei; ten times that on Polygon, whose coin is cheap.
const MAX_FEE: u128 = 500_000_000_000;
const MAX_POLYGON_FEE: u128 = 5_000_000_000_000;

/// The maximum priority fee on Solana: 0.0015 SOL for our largest transaction.
pub(crate) const SOLANA_SENDING: SolanaSendConfig = SolanaSendConfig { max_compute_unit_price: 10_000_000 };

/// How long a deposit on a sandbox chain takes to be final: two blocks.
const SANDBOX_DEPOSIT_SECONDS: u32 = 2;

/// How our transactions are sent to a chain.
pub(crate) fn send_policy(mode: Mode, chain: ChainId) -> SendPolicy {
    if mode == Mode::Sandbox {
        return SANDBOX_SEND_POLICY;
    }
    let max_fee_per_gas = if chain.get() == 137 { MAX_POLYGON_FEE } else { MAX_FEE };
    // A reverted transaction is abandoned only when no reorg can revive it.
    let depth = match chain.get() {
        1 => 64,
        137 => 128,
        _ => 300,
    };
    SendPolicy { stuck_after: STUCK_AFTER, max_fee_per_gas, depth }
}

/// How long orders may take at each stage.
pub(crate) fn order_timing(config: &Config) -> OrderTiming {
    let timing = config.orders.timing();
    match config.mode {
        Mode::Sandbox => OrderTiming { usual_finality: SANDBOX_DEPOSIT_SECONDS.into(), ..timing },
        Mode::Production => timing,
    }
}

/// How an EVM chain is followed for orders.
pub(crate) fn follow_config(mode: Mode, chain: ChainId, demand: Arc<ChainDemand>) -> OrderFollowConfig {
    let idle_polling = Some(idle_polling(mode, demand));
    match mode {
        Mode::Sandbox => OrderFollowConfig { idle_polling, ..OrderFollowConfig::sandbox(SANDBOX_POLL) },
        Mode::Production => OrderFollowConfig { idle_polling, ..OrderFollowConfig::for_chain(chain) },
    }
}

pub(crate) fn solana_follow_config(mode: Mode, demand: Arc<ChainDemand>) -> SolanaFollowConfig {
    let poll = if mode == Mode::Sandbox { SANDBOX_POLL } else { POLL };
    SolanaFollowConfig { poll, idle_polling: Some(idle_polling(mode, demand)) }
}

/// Chains that no order needs are polled less often.
const fn idle_polling(mode: Mode, demand: Arc<ChainDemand>) -> IdlePolling {
    let every = match mode {
        Mode::Sandbox => SANDBOX_IDLE,
        Mode::Production => IDLE,
    };
    IdlePolling { demand, interval: every }
}

/// The terms of market makers on a chain.
pub(crate) fn chain_terms(mode: Mode, chain: ChainId, methods: Vec<DepositMethod>) -> ChainTerms {
    if mode == Mode::Sandbox {
        return ChainTerms::new(chain, SANDBOX_DEPOSIT_SECONDS, methods);
    }
    ChainTerms {
        order_cap: order_cap(chain),
        fill_seconds: if chain.get() == 1 { 12 } else { 2 },
        ..ChainTerms::new(chain, deposit_seconds(chain), methods)
    }
}

/// How long a small deposit usually takes to be final.
fn deposit_seconds(chain: ChainId) -> u32 {
    match chain.get() {
        1 => 48,
        10 | 130 | 5_000 | 8_453 | 747_474 => 20,
        42_161 => 5,
        56 | 137 | 143 | 43_114 | 80_094 | 16_661 => 10,
        324 | 2_741 | 5_734_951 | 4_278_608 => 60,
        59_144 => 120,
        id if id == causeway_domain::SOLANA_CHAIN_ID.get() => 15,
        // Unknown chain: its `finalized` tag decides, which may lag as much as Ethereum's.
        _ => 15 * 60,
    }
}

/// The maximum value of an order from a chain whose finality is block depth alone.
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
    fn depth_finality_chains_cap_orders_in_production() {
        let cap = |mode, id| chain_terms(mode, chain(id), Vec::new()).order_cap.map(|cap| cap.to_string());
        for (id, most) in [(324, "10000.00"), (59_144, "10000.00"), (4_278_608, "1000.00")] {
            assert_eq!(cap(Mode::Production, id).as_deref(), Some(most), "{id}");
            assert_eq!(cap(Mode::Sandbox, id), None, "{id}");
        }
        assert_eq!(cap(Mode::Production, 8_453), None);
    }

    #[test]
    fn real_chains_have_longer_finality_than_sandbox_chains() {
        assert_eq!(chain_terms(Mode::Production, chain(1), Vec::new()).deposit_seconds, 48);
        assert_eq!(chain_terms(Mode::Sandbox, chain(1), Vec::new()).deposit_seconds, 2);
        assert!(send_policy(Mode::Production, chain(1)).depth > send_policy(Mode::Sandbox, chain(1)).depth);
        let config = Config { mode: Mode::Production, ..Config::default() };
        assert!(order_timing(&config).usual_finality > order_timing(&Config::default()).usual_finality);
    }
}
