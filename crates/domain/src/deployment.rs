use alloy_primitives::{Address, B256};

use serde::{Deserialize, Serialize};

use crate::ChainId;

/// What a deployment is for. Everybody knows the keys of the sandbox's attesters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeploymentMode {
    Sandbox,
    Production,
}

/// The addresses of our contracts on one EVM chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    pub chain: ChainId,
    pub escrow: Address,
    pub settler: Address,
    pub registry: Address,
    pub deposit_factory: Address,
    /// Init code hash of deposit addresses.
    pub deposit_code_hash: B256,
    /// Absent where Permit2 is missing or has unexpected code.
    pub permit2: Option<Address>,
    /// Minimum time in seconds between an order's fill deadline and its permissionless refund.
    pub min_grace: u64,
    /// Whether a test transfer to a predicted deposit address was returned; plain transfers are offered only then.
    pub transfers: bool,
    /// None of their events is older than this block.
    pub from_block: u64,
    /// On the hub chain only.
    pub hub: Option<HubDeployment>,
}

/// Our program on Solana: escrow, settler and deposit addresses in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolanaDeployment {
    pub chain: ChainId,
    pub program: B256,
    /// Minimum time in seconds between an order's fill deadline and its permissionless refund.
    pub min_grace: u64,
    /// No transaction of the program is older than this slot.
    pub from_slot: u64,
}

/// Contracts of the hub chain only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubDeployment {
    pub intent_book: Address,
    pub vault_factory: Address,
    pub vaults: Vec<VaultDeployment>,
}

/// A vault and its underlying token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultDeployment {
    pub vault: Address,
    pub asset: Address,
    pub name: String,
    pub symbol: String,
    /// Of the shares.
    pub decimals: u8,
}
