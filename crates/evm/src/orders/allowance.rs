use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, sol};
use causeway_domain::ports::ChainError;
use serde_json::json;

use super::calldata::EncodedTx;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::gas_ceiling::{APPROVE, GasLimits};
use crate::multicall;
use crate::rpc::Call;
use crate::send::TxRequest;

sol! {
    function allowance(address owner, address spender) external view returns (uint256);
    function approve(address spender, uint256 amount) external returns (bool);
}

/// Half of the 96-bit range that some tokens use; a larger allowance never runs out.
const UNLIMITED_THRESHOLD: U256 = U256::from_limbs([0, 1 << 31, 0, 0]);

/// Reads the spender's allowance, as of the newest block.
pub(super) async fn allowance(
    client: &EvmClient,
    token: Address,
    owner: Address,
    spender: Address,
) -> Result<U256, ChainError> {
    let data = Bytes::from(allowanceCall { owner, spender }.abi_encode());
    let call = Call::new("eth_call", json!([{ "to": token, "data": data }, "latest"]));
    let answer: Result<Bytes, CallError> = client.call(call).await;
    Ok(multicall::word(&answer?))
}

/// An unlimited approval. Our settler takes only what its caller fills.
pub(super) fn approve(token: Address, spender: Address) -> EncodedTx {
    let data = approveCall { spender, amount: U256::MAX }.abi_encode();
    let request = TxRequest { to: token, value: U256::ZERO, data: data.into() };
    EncodedTx { request, gas: GasLimits::up_to(APPROVE), spends: None }
}

/// Whether the allowance need not be checked again.
pub(super) fn is_unlimited(allowance: U256) -> bool {
    allowance >= UNLIMITED_THRESHOLD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximum_of_a_96_bit_token_is_unlimited_and_a_million_coins_are_not() {
        assert!(is_unlimited(U256::MAX) && is_unlimited((U256::ONE << 96) - U256::ONE));
        assert!(!is_unlimited(U256::from(10).pow(U256::from(24))));
    }
}
