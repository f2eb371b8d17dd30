use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall as _, sol};

sol! {
    /// What every swap of 0x's settler begins with.
    struct AllowedSlippage {
        address recipient;
        address buyToken;
        uint256 minAmountOut;
    }

    /// The calls of 0x's allowance holder and of its settler, as github.com/0xProject/0x-settler has them.
    function exec(address operator, address token, uint256 amount, address target, bytes data) external payable;
    function execute(AllowedSlippage slippage, bytes[] actions, bytes32 zid) external payable;
}

/// A swap through the allowance holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Swap {
    /// The token and the amount that may be taken from the caller.
    pub(crate) token: Address,
    pub(crate) amount: U256,
    /// Who receives the output, which token it is, and the least of it.
    pub(crate) recipient: Address,
    pub(crate) output: Address,
    pub(crate) least: U256,
}

impl Swap {
    /// Reads a call; `None` for every other one.
    pub(crate) fn read(data: &[u8]) -> Option<Self> {
        let outer = execCall::abi_decode(data).ok()?;
        let inner = executeCall::abi_decode(&outer.data).ok()?;
        let AllowedSlippage { recipient, buyToken, minAmountOut } = inner.slippage;
        Some(Self {
            token: outer.token,
            amount: outer.amount,
            recipient,
            output: buyToken,
            least: minAmountOut,
        })
    }

    /// The call for it, by those actions of the settler.
    #[cfg(any(feature = "standin", test))]
    pub(crate) fn call(
        &self,
        settler: Address,
        actions: Vec<alloy_primitives::Bytes>,
        zid: alloy_primitives::B256,
    ) -> alloy_primitives::Bytes {
        let slippage =
            AllowedSlippage { recipient: self.recipient, buyToken: self.output, minAmountOut: self.least };
        let inner = executeCall { slippage, actions, zid }.abi_encode();
        let (token, amount) = (self.token, self.amount);
        execCall { operator: settler, token, amount, target: settler, data: inner.into() }.abi_encode().into()
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{B256, Bytes};
    use proptest::prelude::*;

    use super::*;

    fn swap() -> Swap {
        let address = Address::repeat_byte;
        Swap {
            token: address(1),
            amount: U256::from(25),
            recipient: address(2),
            output: address(3),
            least: U256::from(24),
        }
    }

    #[test]
    fn a_swap_names_what_is_taken_and_what_is_paid_to_whom() {
        let data = swap().call(Address::repeat_byte(9), vec![Bytes::from(vec![7; 5])], B256::repeat_byte(8));
        // The selectors that the contracts have.
        assert_eq!(data[..4], [0x22, 0x13, 0xbc, 0x0b]);
        let outer = execCall::abi_decode(&data).unwrap();
        assert_eq!(outer.data[..4], [0x1f, 0xff, 0x99, 0x1f]);
        assert_eq!(Swap::read(&data), Some(swap()));
    }

    #[test]
    fn another_call_is_none() {
        let data = swap().call(Address::repeat_byte(9), Vec::new(), B256::ZERO);
        let mut other = data.to_vec();
        other[0] ^= 1;
        assert_eq!(Swap::read(&other), None);
        let inner = execCall::abi_decode(&data).unwrap().data;
        assert_eq!(Swap::read(&inner), None, "the settler is not called by itself");
        assert_eq!(Swap::read(&data[..data.len() / 2]), None);
        assert_eq!(Swap::read(&[]), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(data in prop::collection::vec(any::<u8>(), 0..600)) {
            let _ = Swap::read(&data);
        }
    }
}
