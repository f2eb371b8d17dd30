use alloy_primitives::{Address, Bytes, U256};
use alloy_sol_types::{SolCall, sol};

sol! {
    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Outcome3 {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call3[] calls) returns (Outcome3[] outcomes);
    function getEthBalance(address owner) returns (uint256 balance);
    function balanceOf(address owner) returns (uint256 balance);
}

/// A balance to read. The zero address is the native coin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BalanceQuery {
    pub(crate) owner: Address,
    pub(crate) token: Address,
}

fn balance_call(multicall: Address, BalanceQuery { owner, token }: BalanceQuery) -> Call3 {
    let (target, data) = if token.is_zero() {
        (multicall, getEthBalanceCall { owner }.abi_encode())
    } else {
        (token, balance_of(owner))
    };
    Call3 { target, allowFailure: true, callData: data.into() }
}

pub(crate) fn balance_of(owner: Address) -> Vec<u8> {
    balanceOfCall { owner }.abi_encode()
}

/// Encodes one call that reads all balances.
pub(crate) fn encode(multicall: Address, queries: &[BalanceQuery]) -> Bytes {
    let calls = queries.iter().map(|query| balance_call(multicall, *query)).collect();
    aggregate3Call { calls }.abi_encode().into()
}

/// Decodes the balances in the order of the queries; `None` if this is not a Multicall3 response to `count` calls.
pub(crate) fn decode(answer: &[u8], count: usize) -> Option<Vec<U256>> {
    let outcomes = aggregate3Call::abi_decode_returns(answer).ok()?;
    let balance = |outcome: Outcome3| if outcome.success { word(&outcome.returnData) } else { U256::ZERO };
    (outcomes.len() == count).then(|| outcomes.into_iter().map(balance).collect())
}

/// The number that a token returned. Fewer than 32 bytes count as zero.
pub(crate) fn word(data: &[u8]) -> U256 {
    data.first_chunk::<32>().map_or(U256::ZERO, |word| U256::from_be_bytes(*word))
}

#[cfg(test)]
mod tests {
    use alloy_sol_types::SolValue;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tokens_that_revert_or_return_garbage_count_as_not_held() {
        let one = U256::from(1).to_be_bytes_vec();
        let outcomes: Vec<(bool, Bytes)> = vec![
            (true, one.clone().into()),
            (false, one.into()),
            (true, Bytes::new()),
            (true, vec![1; 31].into()),
        ];
        let answer = (outcomes,).abi_encode_params();
        assert_eq!(decode(&answer, 4), Some(vec![U256::from(1), U256::ZERO, U256::ZERO, U256::ZERO]));
        assert_eq!(decode(&answer, 3), None);
        assert_eq!(decode(&[], 0), None);
    }

    #[test]
    fn selectors_are_those_of_the_deployed_contract() {
        assert_eq!(aggregate3Call::SELECTOR, [0x82, 0xad, 0x56, 0xcb]);
        assert_eq!(getEthBalanceCall::SELECTOR, [0x4d, 0x23, 0x01, 0xcc]);
        assert_eq!(balanceOfCall::SELECTOR, [0x70, 0xa0, 0x82, 0x31]);
    }

    proptest! {
        #[test]
        fn any_answer_is_read_or_refused_without_panic(answer in any::<Vec<u8>>(), count in 0usize..5) {
            let _ = decode(&answer, count);
        }
    }
}
