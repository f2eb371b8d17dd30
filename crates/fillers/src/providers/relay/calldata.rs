use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall as _, sol};

pub(crate) use causeway_provider_calls::relay::Deposit;

sol! {
    function approve(address spender, uint256 amount) external returns (bool);
}

/// The spender and the amount of an allowance.
pub(super) fn read_approval(data: &[u8]) -> Option<(Address, U256)> {
    let call = approveCall::abi_decode(data).ok()?;
    Some((call.spender, call.amount))
}

#[cfg(feature = "standin")]
pub(crate) fn approval(spender: Address, amount: U256) -> Vec<u8> {
    approveCall { spender, amount }.abi_encode()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(data in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_approval(&data);
        }
    }
}
