mod canonical;
mod holdings;
mod machine;
mod permits;
mod tokens;
mod wallets;

use std::sync::LazyLock;

use alloy_primitives::{Address, U256, address};
use causeway_domain::ChainId;

use super::{EvmGenesis, WellKnownToken};
use machine::Machine;

const FAUCET: Address = address!("FA0CE70000000000000000000000000000000001");
const USDC: Address = address!("A0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");
const USDT: Address = address!("dAC17F958D2ee523a2206206994597C13D831ec7");
const WETH: Address = address!("C02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2");

/// Created once: deriving the wallets is slow.
static GENESIS: LazyLock<EvmGenesis> = LazyLock::new(|| EvmGenesis::new().unwrap());

/// The ids of all EVM chains that the service knows.
const CHAINS: [u64; 18] = [
    1, 10, 56, 130, 137, 143, 324, 2741, 5000, 8453, 16661, 42161, 43114, 59144, 80094, 747_474, 4_278_608,
    5_734_951,
];

fn token(address: Address, symbol: &str, name: &str, decimals: u8, price: Option<&str>) -> WellKnownToken {
    WellKnownToken {
        address,
        symbol: symbol.to_owned(),
        name: name.to_owned(),
        decimals,
        is_wrapped_native: false,
        usd_price: price.map(|price| price.parse().unwrap()),
    }
}

fn tokens() -> Vec<WellKnownToken> {
    vec![
        token(USDC, "USDC", "USD Coin", 6, Some("1")),
        token(USDT, "USDT", "Tether USD", 6, Some("1")),
        WellKnownToken { is_wrapped_native: true, ..token(WETH, "WETH", "Wrapped Ether", 18, Some("3500")) },
    ]
}

fn chain(id: u64) -> ChainId {
    ChainId::new(id).unwrap()
}

/// A chain with the tokens above, and the first two test wallets.
fn start(id: u64) -> (Machine, Address, Address) {
    let accounts = GENESIS.accounts(chain(id), &tokens(), FAUCET).unwrap();
    (Machine::new(id, accounts), GENESIS.wallets()[0].address, GENESIS.wallets()[1].address)
}

/// A whole number of tokens with so many decimals.
fn whole(tokens: u64, decimals: u8) -> U256 {
    U256::from(tokens) * U256::from(10).pow(U256::from(decimals))
}
