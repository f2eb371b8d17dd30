use alloy_primitives::{Address, B256};

use crate::ChainId;

/// Where our contracts lie on one EVM chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    pub chain: ChainId,
    pub escrow: Address,
    pub settler: Address,
    pub registry: Address,
    pub deposit_factory: Address,
    /// Hash of the code that makes a deposit address.
    pub deposit_code_hash: B256,
    /// Absent where Permit2 does not lie, or not with the code that we expect.
    pub permit2: Option<Address>,
    /// The shortest time, in seconds, between an order's fill deadline and its unsigned refund.
    pub min_grace: u64,
    /// Whether money sent to a predicted deposit address was seen to come back: plain transfers are offered only then.
    pub transfers: bool,
    /// No event of these contracts is older than this block.
    pub from_block: u64,
    /// On the hub chain only.
    pub hub: Option<HubDeployment>,
}

/// Where our program lies on Solana: escrow, settler and deposit addresses in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolanaDeployment {
    pub chain: ChainId,
    pub program: B256,
    /// The shortest time, in seconds, between an order's fill deadline and its unsigned refund.
    pub min_grace: u64,
    /// No transaction of the program is older than this slot.
    pub from_slot: u64,
}

/// What only the hub chain has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubDeployment {
    pub intent_book: Address,
    pub vault_factory: Address,
    pub vaults: Vec<VaultDeployment>,
}

/// A vault and the token that its shares stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultDeployment {
    pub vault: Address,
    pub asset: Address,
    pub name: String,
    pub symbol: String,
    /// Of the shares.
    pub decimals: u8,
}
