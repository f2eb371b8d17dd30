use alloy_primitives::{Address, B256, U256, address, keccak256};
use causeway_domain::ChainId;

use super::artifact::Codes;
use super::error::GenesisError;
use crate::evm::GenesisAccount;

/// The proxy through which contracts get the same address on every chain.
pub const CREATE2_DEPLOYER: Address = address!("4e59b44847b379578588920cA78FbF26c0B4956C");

const ZKSYNC: u64 = 324;
const ABSTRACT: u64 = 2741;

/// The address of Multicall3 on a chain. The ZKsync stack derives other addresses.
pub fn multicall3_address(chain: ChainId) -> Address {
    match chain.get() {
        ZKSYNC => address!("F9cda624FBC7e059355ce98a31693d299FACd963"),
        ABSTRACT => address!("Aa4De41dba0Ca5dCBb288b7cC6b708F3aaC759E7"),
        _ => address!("cA11bde05977b3631167028862bE2a173976CA11"),
    }
}

/// The address of Permit2 on a chain.
pub fn permit2_address(chain: ChainId) -> Address {
    match chain.get() {
        ZKSYNC | ABSTRACT => address!("0000000000225e31D15943971F47aD3022F714Fa"),
        _ => address!("000000000022D473030F116dDEE9F6B43aC78BA3"),
    }
}

pub(super) fn accounts(codes: &Codes, chain: ChainId) -> Result<Vec<GenesisAccount>, GenesisError> {
    let permit2 = codes.permit2.code_with(&[
        ("chainId", U256::from(chain.get()).into()),
        ("domainSeparator", permit2_domain(chain)),
    ])?;
    Ok([
        (CREATE2_DEPLOYER, codes.create2_deployer.clone()),
        (multicall3_address(chain), codes.multicall3.clone()),
        (permit2_address(chain), permit2),
    ]
    .map(|(address, code)| GenesisAccount { address, nonce: 1, code, ..GenesisAccount::default() })
    .into())
}

/// The EIP-712 domain separator that Permit2's constructor stores in its code.
pub(super) fn permit2_domain(chain: ChainId) -> B256 {
    let kind = keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
    let chain_id = B256::from(U256::from(chain.get()));
    keccak256([kind, keccak256("Permit2"), chain_id, permit2_address(chain).into_word()].concat())
}
