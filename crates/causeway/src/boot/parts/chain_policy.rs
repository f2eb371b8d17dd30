//! Per-chain policy: finality, polling, fees and order caps, for sandbox chains and for real ones.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use causeway_catalog::Catalog;
use causeway_domain::{Chain, ChainDemand, ChainId, ChainPolicy, DepositMethod, EvmPolicy, IdlePolling};
use causeway_evm::SendPolicy;
use causeway_evm::attest::AttestFinality;
use causeway_evm::orders::{OrderFinality, OrderFollowConfig};
use causeway_fillers::inventory::{ChainTerms, GasUnits};
use causeway_solana::orders::{SolanaFollowConfig, SolanaSendConfig};

use crate::boot::config::{Config, Mode};
use causeway_engine::OrderTiming;

/// How often sandbox chains are polled, and how often while no order needs them.
const SANDBOX_POLL: Duration = Duration::from_millis(500);
const SANDBOX_IDLE: Duration = Duration::from_secs(5);

/// The same for real chains, whose endpoints limit calls.
const POLL: Duration = Duration::from_secs(1);
/// How often the next block is looked for while an order waits for it, from shortly before it can come.
const AWAITED_POLL: Duration = Duration::from_millis(50);
const IDLE: Duration = Duration::from_secs(15);

/// A sandbox chain includes every valid transaction within two blocks.
pub(crate) const SANDBOX_SEND_POLICY: SendPolicy =
    SendPolicy { stuck_after: Duration::from_secs(6), max_fee_per_gas: 10_000_000_000_000, depth: 2 };

/// After how long a pending transaction on a real chain is replaced with a higher fee.
const STUCK_AFTER: Duration = Duration::from_secs(45);

/// The maximum priority fee on Solana: 0.0015 SOL for our largest transaction.
pub(crate) const SOLANA_SENDING: SolanaSendConfig = SolanaSendConfig { max_compute_unit_price: 10_000_000 };

/// How long a deposit on a sandbox chain takes to be final: two blocks.
const SANDBOX_DEPOSIT_SECONDS: u32 = 2;

/// The policy of every chain of the catalog; sandbox chains all behave alike.
#[derive(Clone, Debug)]
pub(crate) struct ChainPolicies {
    mode: Mode,
    chains: HashMap<ChainId, ChainPolicy>,
}

impl ChainPolicies {
    pub(crate) fn new(mode: Mode, chains: &[Chain]) -> Self {
        Self { mode, chains: chains.iter().map(|chain| (chain.id, chain.policy)).collect() }
    }

    pub(crate) fn of(mode: Mode, catalog: &Catalog) -> Self {
        Self::new(mode, catalog.snapshot().chains())
    }

    /// The policies of the configured chains, where no catalog is loaded.
    pub(crate) fn load(config: &Config) -> anyhow::Result<Self> {
        Ok(Self::new(config.mode, &causeway_catalog::load_chains(&config.chains)?))
    }

    fn policy(&self, chain: ChainId) -> anyhow::Result<&ChainPolicy> {
        let policy = self.chains.get(&chain);
        policy.with_context(|| format!("chain {chain} is not a known chain: describe it in [[chains]]"))
    }

    pub(crate) fn evm(&self, chain: ChainId) -> anyhow::Result<&EvmPolicy> {
        let evm = self.policy(chain)?.evm.as_ref();
        evm.with_context(|| format!("chain {chain} is not an EVM chain"))
    }

    /// How our transactions are sent to an EVM chain.
    pub(crate) fn send_policy(&self, chain: ChainId) -> anyhow::Result<SendPolicy> {
        if self.mode == Mode::Sandbox {
            return Ok(SANDBOX_SEND_POLICY);
        }
        let &EvmPolicy { max_fee_per_gas, send_depth, .. } = self.evm(chain)?;
        Ok(SendPolicy { stuck_after: STUCK_AFTER, max_fee_per_gas, depth: send_depth })
    }

    /// When a block of an EVM chain is final enough to act on a deposit.
    pub(crate) fn order_finality(&self, chain: ChainId) -> anyhow::Result<OrderFinality> {
        Ok(match self.mode {
            Mode::Sandbox => OrderFinality::sandbox(),
            Mode::Production => OrderFinality::new(self.evm(chain)?.finality),
        })
    }

    /// When a block of an EVM chain is final enough to attest to.
    pub(crate) fn attest_finality(&self, chain: ChainId) -> anyhow::Result<AttestFinality> {
        Ok(match self.mode {
            Mode::Sandbox => AttestFinality::sandbox(),
            Mode::Production => AttestFinality::new(self.evm(chain)?.finality),
        })
    }

    /// How an EVM chain is followed for orders.
    pub(crate) fn follow_config(
        &self,
        chain: ChainId,
        demand: Arc<ChainDemand>,
    ) -> anyhow::Result<OrderFollowConfig> {
        let config = match self.mode {
            Mode::Sandbox => OrderFollowConfig::sandbox(SANDBOX_POLL),
            Mode::Production => OrderFollowConfig::production(self.order_finality(chain)?),
        };
        let idle_polling = Some(idle_polling(self.mode, demand));
        Ok(OrderFollowConfig { idle_polling, awaited_poll: Some(AWAITED_POLL), ..config })
    }

    pub(crate) fn solana_follow_config(&self, demand: Arc<ChainDemand>) -> SolanaFollowConfig {
        let poll = if self.mode == Mode::Sandbox { SANDBOX_POLL } else { POLL };
        SolanaFollowConfig { poll, idle_polling: Some(idle_polling(self.mode, demand)) }
    }

    /// The terms of market makers on a chain.
    pub(crate) fn chain_terms(
        &self,
        chain: ChainId,
        methods: Vec<DepositMethod>,
    ) -> anyhow::Result<ChainTerms> {
        if self.mode == Mode::Sandbox {
            return Ok(ChainTerms::new(chain, SANDBOX_DEPOSIT_SECONDS, methods));
        }
        let &ChainPolicy { deposit_seconds, fill_seconds, order_cap, .. } = self.policy(chain)?;
        let gas = GasUnits::of_chain(chain);
        Ok(ChainTerms { order_cap, fill_seconds, gas, ..ChainTerms::new(chain, deposit_seconds, methods) })
    }
}

/// How long orders may take at each stage.
pub(crate) fn order_timing(config: &Config) -> OrderTiming {
    let timing = config.orders.timing();
    match config.mode {
        Mode::Sandbox => OrderTiming { usual_finality: SANDBOX_DEPOSIT_SECONDS.into(), ..timing },
        Mode::Production => timing,
    }
}

/// Chains that no order needs are polled less often.
const fn idle_polling(mode: Mode, demand: Arc<ChainDemand>) -> IdlePolling {
    let every = match mode {
        Mode::Sandbox => SANDBOX_IDLE,
        Mode::Production => IDLE,
    };
    IdlePolling { demand, interval: every }
}

#[cfg(test)]
mod tests {
    use causeway_domain::{Family, SOLANA_CHAIN_ID};
    use causeway_evm::{BlockTag, Finality};
    use causeway_sandbox::genesis::{multicall3_address, permit2_address};

    use super::*;

    /// Without the chain's own tag nothing is final.
    const NO_DEPTH: u64 = u64::MAX;
    const SAFE: Finality = Finality::Tag { tag: BlockTag::Safe, or_depth: NO_DEPTH };
    const FINALIZED: Finality = finalized_or(NO_DEPTH);

    /// For small deposits, attestations, and large amounts; then seconds until a deposit is final, and the order cap.
    type Row = (Finality, Finality, Finality, u32, Option<&'static str>);

    const fn finalized_or(or_depth: u64) -> Finality {
        Finality::Tag { tag: BlockTag::Finalized, or_depth }
    }

    const fn rollup(depth: u64, seconds: u32) -> Row {
        (Finality::Depth(depth), SAFE, FINALIZED, seconds, None)
    }

    const fn one_tag(or_depth: u64) -> Row {
        let finality = finalized_or(or_depth);
        (finality, finality, finality, 10, None)
    }

    const fn depth_alone(depth: u64, seconds: u32, cap: &'static str) -> Row {
        let strong = Finality::Depth(depth);
        (Finality::Depth(60), strong, strong, seconds, Some(cap))
    }

    /// The finality table of `docs/rules.md`.
    const TABLE: [(u64, Row); 18] = [
        (1, (Finality::Depth(4), FINALIZED, FINALIZED, 48, None)),
        (10, rollup(10, 20)),
        (56, one_tag(15)),
        (130, rollup(10, 20)),
        (137, one_tag(128)),
        (143, one_tag(10)),
        (324, depth_alone(1_200, 60, "10000.00")),
        (2_741, depth_alone(1_200, 60, "10000.00")),
        (5_000, rollup(10, 20)),
        (8_453, rollup(10, 20)),
        (16_661, one_tag(10)),
        (42_161, rollup(20, 5)),
        (43_114, one_tag(3)),
        (59_144, depth_alone(600, 120, "10000.00")),
        (80_094, one_tag(5)),
        (747_474, rollup(10, 20)),
        (4_278_608, depth_alone(120, 60, "1000.00")),
        (5_734_951, (Finality::Depth(60), finalized_or(120), finalized_or(120), 60, Some("1000.00"))),
    ];

    fn chain(id: u64) -> ChainId {
        ChainId::new(id).unwrap()
    }

    fn bundled() -> Vec<Chain> {
        causeway_catalog::load_chains(&[]).unwrap()
    }

    fn policies(mode: Mode) -> ChainPolicies {
        ChainPolicies::new(mode, &bundled())
    }

    #[test]
    fn every_evm_chain_has_the_finality_of_the_table() {
        let production = policies(Mode::Production);
        let known: Vec<u64> = bundled().iter().map(|chain| chain.id.get()).collect();
        let listed = TABLE.iter().map(|(id, _)| *id).chain([SOLANA_CHAIN_ID.get()]);
        assert_eq!(known, listed.collect::<Vec<_>>());
        for (id, (small, attest, large, _, _)) in TABLE {
            let orders = production.order_finality(chain(id)).unwrap();
            assert_eq!(orders, OrderFinality { usual: small, large }, "{id}");
            let attests = production.attest_finality(chain(id)).unwrap();
            let stronger = (attest != large).then_some(large);
            assert_eq!(attests, AttestFinality { usual: attest, large: stronger }, "{id}");
        }
    }

    #[test]
    fn market_makers_know_how_long_a_deposit_takes_and_the_order_cap_of_a_chain() {
        let production = policies(Mode::Production);
        let row = |(id, (_, _, _, seconds, cap)): (u64, Row)| (id, seconds, cap);
        for (id, seconds, cap) in TABLE.map(row).into_iter().chain([(SOLANA_CHAIN_ID.get(), 15, None)]) {
            let terms = production.chain_terms(chain(id), Vec::new()).unwrap();
            assert_eq!(terms.deposit_seconds, seconds, "{id}");
            assert_eq!(terms.fill_seconds, if id == 1 { 12 } else { 2 }, "{id}");
            assert_eq!(terms.order_cap.map(|cap| cap.to_string()).as_deref(), cap, "{id}");
            let sandbox = policies(Mode::Sandbox).chain_terms(chain(id), Vec::new()).unwrap();
            assert_eq!((sandbox.deposit_seconds, sandbox.order_cap), (2, None), "{id}");
        }
    }

    #[test]
    fn rule_27_every_chain_has_its_own_fee_ceiling() {
        let production = policies(Mode::Production);
        for (id, _) in TABLE {
            let depth = match id {
                1 => 64,
                137 => 128,
                324 | 2_741 => 1_200,
                59_144 => 600,
                _ => 300,
            };
            let gwei = match id {
                // Rollups charge thousandths of a gwei for execution.
                10 | 130 | 324 | 2_741 | 8_453 | 747_474 => 5,
                42_161 | 59_144 => 10,
                56 => 20,
                // Their coins are cheap, and their base fees high.
                137 => 3_000,
                143 => 1_000,
                5_000 => 500,
                _ => 100,
            };
            let policy = production.send_policy(chain(id)).unwrap();
            assert_eq!((policy.max_fee_per_gas, policy.depth), (gwei * 1_000_000_000, depth), "{id}");
            assert_eq!(policy.stuck_after, STUCK_AFTER);
        }
    }

    #[test]
    fn polygon_takes_no_tip_below_25_gwei() {
        for chain in bundled().iter().filter(|chain| chain.family() == Family::Evm) {
            let least = if chain.id.get() == 137 { 25_000_000_000 } else { 1_000_000 };
            assert_eq!(chain.policy.evm.unwrap().min_priority_fee, least, "{}", chain.name);
        }
    }

    #[test]
    fn sandbox_chains_have_permit2_and_multicall3_where_the_catalog_says() {
        for chain in bundled().iter().filter(|chain| chain.family() == Family::Evm) {
            let evm = chain.policy.evm.unwrap();
            assert_eq!(evm.permit2, permit2_address(chain.id), "{}", chain.name);
            assert_eq!(evm.multicall3, multicall3_address(chain.id), "{}", chain.name);
        }
    }

    #[test]
    fn a_chain_that_nobody_describes_has_no_policy() {
        let production = policies(Mode::Production);
        let error = production.attest_finality(chain(999_999)).unwrap_err().to_string();
        assert!(error.contains("chain 999999 is not a known chain"), "{error}");
        let error = production.order_finality(SOLANA_CHAIN_ID).unwrap_err().to_string();
        assert!(error.contains("is not an EVM chain"), "{error}");
    }

    #[test]
    fn real_chains_have_longer_finality_than_sandbox_chains() {
        let depth = |mode| policies(mode).send_policy(chain(1)).unwrap().depth;
        assert!(depth(Mode::Production) > depth(Mode::Sandbox));
        let config = Config { mode: Mode::Production, ..Config::default() };
        assert!(order_timing(&config).usual_finality > order_timing(&Config::default()).usual_finality);
    }
}
