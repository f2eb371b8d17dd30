//! Relay's depository.

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{SolCall as _, sol};

use crate::read_exactly;

sol! {
    /// The depository's calls, as github.com/relayprotocol/relay-depository has them.
    function depositNative(address depositor, bytes32 id) external payable;
    function depositErc20(address depositor, address token, uint256 amount, bytes32 id) external;
}

/// A call of the depository. It names the order that it is for by a hash, and nobody can read in the call what Relay owes for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deposit {
    /// Zero for the caller.
    pub depositor: Address,
    /// The token and its amount; absent for native coin, whose amount is the value of the call.
    pub token: Option<(Address, U256)>,
    /// The id of the order that the deposit is for.
    pub id: B256,
}

/// Whether a function is one of the depository's deposits.
pub fn is_known(selector: [u8; 4]) -> bool {
    [depositNativeCall::SELECTOR, depositErc20Call::SELECTOR].contains(&selector)
}

impl Deposit {
    /// Reads a call; `None` for every other call, and for one with anything behind its arguments.
    pub fn read(data: &[u8]) -> Option<Self> {
        if let Some(call) = read_exactly::<depositNativeCall>(data) {
            return Some(Self { depositor: call.depositor, token: None, id: call.id });
        }
        let call = read_exactly::<depositErc20Call>(data)?;
        Some(Self { depositor: call.depositor, token: Some((call.token, call.amount)), id: call.id })
    }

    /// The call for it.
    pub fn call(&self) -> Vec<u8> {
        let (depositor, id) = (self.depositor, self.id);
        match self.token {
            Some((token, amount)) => depositErc20Call { depositor, token, amount, id }.abi_encode(),
            None => depositNativeCall { depositor, id }.abi_encode(),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::hex;

    use super::*;

    /// The calls of docs.relay.link/features/price-stabilization and features/gasless-execution, read on 2026-11-18.
    const ERC20: &str = "e801795200000000000000000000000003508bb71268bba25ecacc8f620e01866650532c000000000000000000000000833589fcd6\
                         edb6e08f4c7c32d4f71b54bda029130000000000000000000000000000000000000000000000000000000005f5e1004c625ab9733d\
                         2d5702beed88f4156575e25d599d5145551d5bf2bfc358db234b";
    const NATIVE: &str = "49290c1c00000000000000000000000003508bb71268bba25ecacc8f620e01866650532c70387ea00ba97925c3bf1263363b2a7b\
                          dc0401faa00f0af4140627c7f385952c";

    #[test]
    fn documented_deposits_are_read() {
        let deposit = Deposit::read(&hex::decode(ERC20).unwrap()).unwrap();
        assert_eq!(deposit.token.map(|(_, amount)| amount), Some(U256::from(100_000_000)));
        assert!(deposit.id.to_string().starts_with("0x4c625ab9"));
        let deposit = Deposit::read(&hex::decode(NATIVE).unwrap()).unwrap();
        assert_eq!(deposit.token, None);
        assert!(deposit.id.to_string().starts_with("0x70387ea0"));
    }

    #[test]
    fn other_calls_are_not() {
        let longer = [hex::decode(ERC20).unwrap(), vec![1; 32]].concat();
        assert_eq!(Deposit::read(&longer), None);
        assert_eq!(Deposit::read(&[0x58, 0x10, 0x9c]), None);
    }
}
