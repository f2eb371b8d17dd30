use alloy_primitives::{Address, address};

use crate::{Family, UsdAmount};

/// How far the service trusts a chain, and what it expects of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainPolicy {
    /// How long a small deposit usually takes to be final.
    pub deposit_seconds: u32,
    /// How long a fill takes to arrive.
    pub fill_seconds: u32,
    /// The maximum value of an order from this chain. A chain whose finality is block depth alone always has one.
    pub order_cap: Option<UsdAmount>,
    /// Present on every EVM chain, and only there.
    pub evm: Option<EvmPolicy>,
}

impl ChainPolicy {
    /// The policy of a chain that only an operator's configuration names: its own `finalized` tag decides about every
    /// amount, which may lag as much as Ethereum's.
    pub fn unlisted(family: Family) -> Self {
        let evm = (family == Family::Evm).then(EvmPolicy::unlisted);
        Self { deposit_seconds: 15 * 60, fill_seconds: 2, order_cap: None, evm }
    }
}

/// What only EVM chains have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvmPolicy {
    pub finality: FinalityPolicy,
    /// How many confirmations make the outcome of our own transaction final.
    pub send_depth: u64,
    /// The maximum fee per gas of our transactions, in wei.
    pub max_fee_per_gas: u128,
    /// The minimum priority fee per gas of our transactions, in wei.
    pub min_priority_fee: u128,
    /// How many times as much gas as Ethereum the chain takes for the same call, at most.
    pub gas_factor: u8,
    /// The address of Permit2; its code there is checked before use.
    pub permit2: Address,
    pub multicall3: Address,
    /// Whether the chain runs the ZKsync virtual machine, whose native code has addresses of its own derivation.
    pub zksync_vm: bool,
}

impl EvmPolicy {
    const fn unlisted() -> Self {
        let finalized = FinalityRule::Tag { tag: FinalityTag::Finalized, fallback_depth: None };
        Self {
            finality: FinalityPolicy {
                small_deposits: finalized,
                attestations: finalized,
                large_amounts: finalized,
            },
            send_depth: 300,
            max_fee_per_gas: 500_000_000_000,
            min_priority_fee: 1_000_000,
            gas_factor: 1,
            permit2: address!("000000000022D473030F116dDEE9F6B43aC78BA3"),
            multicall3: address!("cA11bde05977b3631167028862bE2a173976CA11"),
            zksync_vm: false,
        }
    }
}

/// When a block is final, by what depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalityPolicy {
    pub small_deposits: FinalityRule,
    pub attestations: FinalityRule,
    /// The strongest rule of the chain, for deposits and attestations of large amounts.
    pub large_amounts: FinalityRule,
}

/// When a block of an EVM chain is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalityRule {
    /// When this many newer blocks exist.
    Depth(u64),
    /// By the chain's own tag. Where an endpoint does not know it, by depth, or never without one.
    Tag { tag: FinalityTag, fallback_depth: Option<u64> },
}

/// A block tag by which a chain reports finality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalityTag {
    Safe,
    Finalized,
}
