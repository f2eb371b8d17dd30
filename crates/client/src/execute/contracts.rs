//! Everything that belongs to one version of the contracts: a new version changes this file, and the table of lies with it.

use alloy_primitives::{Address, B256, address, b256};
use reqwest::Url;

/// The version in the terms of orders.
pub(super) const ORDER_VERSION: &str = "2";

/// The EIP-712 type that the chains hash.
pub(super) const TERMS_TYPE: &str = "CausewayOrder(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 user,\
bytes32 nonce,bytes32 inputToken,uint256 amountIn,bytes32 refundTo,bytes32 filler,bytes32 payee,bytes32 referrer,\
uint256 referrerFee,uint256 destinationChainId,bytes32 settler,bytes32 outputToken,uint256 amountOut,bytes32 recipient,\
uint256 openDeadline,uint256 fillDeadline,uint256 refundAt,uint256 epoch)";

/// The escrow function that takes a deposit.
pub(super) const OPEN: &str = "open((uint32,bytes32,bytes))";

/// The factory of deposit addresses and their code hash, the same on every chain with transfers.
pub(super) const FACTORY: Address = address!("cd7e8DD9A6020e433affb57458a517A1d5A67C60");
pub(super) const ADDRESS_CODE: B256 =
    b256!("8356e3766a89d0b23373d3cf52894f7f3d41646b376035088fafa6895fb58f00");

/// The escrows of published deployments, by chain. An operator that publishes its own adds them here; until then callers name
/// theirs.
const KNOWN_ESCROWS: [(u64, &str); 0] = [];

/// The escrow of a published deployment.
pub(super) fn known_escrow(chain_id: u64) -> Option<&'static str> {
    KNOWN_ESCROWS.iter().find(|(chain, _)| *chain == chain_id).map(|(_, escrow)| *escrow)
}

/// The sandbox's escrows are the same at every start: one for most chains, one for those of the `ZKsync` stack, one on Solana.
fn sandbox_escrow(chain_id: u64) -> &'static str {
    match chain_id {
        20_011_000_000 => "CausewayEscrow11111111111111111111111111111",
        324 | 2741 => "0xCA5B90D10E52918638354a6aD2A9f42E58A873B3",
        _ => "0x1F5eB6EB1e0eF48A74B19eeE4f09a3029657B2CA",
    }
}

/// The escrow that is trusted where the caller names none: a published one, else the sandbox's if the service runs on this
/// machine. The keys of the sandbox's attesters are public, so it is trusted nowhere else.
pub(super) fn default_escrow(service: &Url, chain_id: u64) -> Option<&'static str> {
    known_escrow(chain_id).or_else(|| crate::url::is_local(service).then(|| sandbox_escrow(chain_id)))
}
