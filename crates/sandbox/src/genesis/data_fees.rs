//! The contracts by which rollups say what a byte of a transaction costs.

use alloy_primitives::{Bytes, U256, keccak256};
use causeway_domain::ChainId;

use crate::evm::{ARB_GAS_INFO, GenesisAccount, OP_ORACLE};

const GWEI: u64 = 1_000_000_000;

/// Prices in wei, as they are while Ethereum's base fee is 0.2 gwei.
const BASE_BYTE: u64 = 7_000_000;
const OP_BYTE: u64 = 17_000_000;
const MANTLE_BYTE: u64 = 10_000_000;
/// What an ether is worth in Mantle's coin.
const MANTLE_RATIO: u64 = 3_000;
/// Sixteen times Ethereum's base fee.
const ARBITRUM_BYTE: u64 = 16 * GWEI / 5;
const ARBITRUM_GAS: u64 = GWEI / 50;

/// The contract of a chain that charges for data; none elsewhere.
pub(crate) fn account(chain: ChainId) -> Option<GenesisAccount> {
    let oracle = |price: u64, ratio: u64| (OP_ORACLE, oracle_code(), vec![price, ratio]);
    let (address, code, slots) = match chain.get() {
        8_453 => oracle(BASE_BYTE, 1),
        10 | 130 | 747_474 => oracle(OP_BYTE, 1),
        5_000 => oracle(MANTLE_BYTE, MANTLE_RATIO),
        // Per transaction, per byte, per storage slot, and the price of gas: base, congestion, total.
        42_161 => (
            ARB_GAS_INFO,
            prices_code(),
            vec![140 * ARBITRUM_BYTE, ARBITRUM_BYTE, 20_000 * ARBITRUM_GAS, ARBITRUM_GAS, 0, ARBITRUM_GAS],
        ),
        _ => return None,
    };
    let storage = (0_u64..).zip(slots).map(|(slot, value)| (U256::from(slot), U256::from(value)));
    Some(GenesisAccount { address, nonce: 1, code, storage: storage.collect(), ..GenesisAccount::default() })
}

/// `getL1Fee(bytes)` multiplies the length by the price of a byte, `tokenRatio()` returns what an ether is worth.
fn oracle_code() -> Bytes {
    // calldataload(0x24) * sload(0), and sload(1), each returned as one word.
    let fee = [0x60, 0x24, 0x35, 0x60, 0x00, 0x54, 0x02, 0x60, 0x00, 0x52, 0x60, 0x20, 0x60, 0x00, 0xf3];
    let ratio = [0x60, 0x01, 0x54, 0x60, 0x00, 0x52, 0x60, 0x20, 0x60, 0x00, 0xf3];
    contract(&[("getL1Fee(bytes)", &fee), ("tokenRatio()", &ratio)])
}

/// `getPricesInWei()` returns the first six slots.
fn prices_code() -> Bytes {
    let mut code = Vec::new();
    for slot in 0..6_u8 {
        // mstore(32 * slot, sload(slot))
        code.extend([0x60, slot, 0x54, 0x60, 32 * slot, 0x52]);
    }
    code.extend([0x60, 6 * 32, 0x60, 0x00, 0xf3]);
    contract(&[("getPricesInWei()", &code)])
}

/// A contract with these functions, each a signature and the code that ends the call. Other calls revert.
fn contract(functions: &[(&str, &[u8])]) -> Bytes {
    // calldataload(0) >> 224 is the selector.
    let mut code = vec![0x60, 0x00, 0x35, 0x60, 0xe0, 0x1c];
    let end = [0x60, 0x00, 0x80, 0xfd];
    // dup1, push4 selector, eq, push2 target, jumpi
    let mut target = code.len() + functions.len() * 11 + end.len();
    for (signature, body) in functions {
        let place = u16::try_from(target).unwrap_or(u16::MAX).to_be_bytes();
        code.extend([0x80, 0x63]);
        code.extend(keccak256(signature).iter().take(4));
        code.extend([0x14, 0x61, place[0], place[1], 0x57]);
        target += body.len() + 1;
    }
    code.extend(end);
    for (_, body) in functions {
        code.push(0x5b);
        code.extend_from_slice(body);
    }
    code.into()
}
