//! 0x's allowance holder, which calls its settler.

use alloy_primitives::{Address, B256, Bytes, U256, address};
use alloy_sol_types::{SolCall as _, sol};

use crate::read_exactly;

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

    /// The calls of its registry that name the settler of a feature: the present one, which fails while that is paused, and the one
    /// before, which its API still uses for a while.
    function ownerOf(uint256 feature) external view returns (address);
    function prev(uint128 feature) external view returns (address);
}

/// The registry of settlers, which get the input, at the same address on every chain (`README.md` in github.com/0xProject/0x-settler,
/// read on 2026-11-19).
pub const REGISTRY: Address = address!("00000000000004533Fe15556B1E086BB1A72cEae");

/// The registry's number for swaps that the taker sends.
const TAKER_SUBMITTED: u128 = 2;

/// The calls of the registry that answer with the settlers that may be used now.
pub fn settlers() -> [Bytes; 2] {
    let present = ownerOfCall { feature: U256::from(TAKER_SUBMITTED) };
    [present.abi_encode().into(), prevCall { feature: TAKER_SUBMITTED }.abi_encode().into()]
}

/// A swap through the allowance holder. The settler's own code holds it to the least output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swap {
    /// Who may take the token while the call runs, and which contract is called with the swap: of a true one, the same settler.
    pub operator: Address,
    pub settler: Address,
    /// The token and the amount that may be taken from the caller.
    pub token: Address,
    pub amount: U256,
    /// Who receives the output, which token it is, and the least of it.
    pub recipient: Address,
    pub output: Address,
    pub least: U256,
}

/// Whether a function is the one that swaps through the allowance holder.
pub fn is_known(selector: [u8; 4]) -> bool {
    selector == execCall::SELECTOR
}

impl Swap {
    /// Reads a call; `None` for every other one, and for one with anything behind its arguments.
    pub fn read(data: &[u8]) -> Option<Self> {
        let outer = read_exactly::<execCall>(data)?;
        let inner = read_exactly::<executeCall>(&outer.data)?;
        let AllowedSlippage { recipient, buyToken, minAmountOut } = inner.slippage;
        Some(Self {
            operator: outer.operator,
            settler: outer.target,
            token: outer.token,
            amount: outer.amount,
            recipient,
            output: buyToken,
            least: minAmountOut,
        })
    }

    /// The call for it, by those actions of the settler.
    pub fn call(&self, actions: Vec<Bytes>, zid: B256) -> Bytes {
        let slippage =
            AllowedSlippage { recipient: self.recipient, buyToken: self.output, minAmountOut: self.least };
        let inner = executeCall { slippage, actions, zid }.abi_encode();
        let (operator, target, token, amount) = (self.operator, self.settler, self.token, self.amount);
        execCall { operator, token, amount, target, data: inner.into() }.abi_encode().into()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn swap() -> Swap {
        let address = Address::repeat_byte;
        Swap {
            operator: address(9),
            settler: address(9),
            token: address(1),
            amount: U256::from(25),
            recipient: address(2),
            output: address(3),
            least: U256::from(24),
        }
    }

    #[test]
    fn a_swap_names_what_is_taken_and_what_is_paid_to_whom() {
        let data = swap().call(vec![Bytes::from(vec![7; 5])], B256::repeat_byte(8));
        // The selectors that the contracts have.
        assert_eq!(data[..4], [0x22, 0x13, 0xbc, 0x0b]);
        let outer = execCall::abi_decode(&data).unwrap();
        assert_eq!(outer.data[..4], [0x1f, 0xff, 0x99, 0x1f]);
        assert_eq!(Swap::read(&data), Some(swap()));
    }

    #[test]
    fn the_registry_is_asked_for_the_settlers_of_swaps_that_the_taker_sends() {
        let [present, before] = settlers();
        assert_eq!((&present[..4], present[35]), (&[0x63, 0x52, 0x21, 0x1e][..], 2));
        assert_eq!((before.len(), before[35]), (36, 2));
    }

    #[test]
    fn another_call_is_none() {
        let data = swap().call(Vec::new(), B256::ZERO);
        let mut other = data.to_vec();
        other[0] ^= 1;
        assert_eq!(Swap::read(&other), None);
        let inner = execCall::abi_decode(&data).unwrap().data;
        assert_eq!(Swap::read(&inner), None, "the settler is not called by itself");
        let longer =
            execCall { data: [&inner[..], &[0; 32]].concat().into(), ..execCall::abi_decode(&data).unwrap() };
        assert_eq!(Swap::read(&longer.abi_encode()), None, "nor with more than its swap");
        assert_eq!(Swap::read(&data[..data.len() / 2]), None);
        assert_eq!(Swap::read(&[]), None);
    }
}
