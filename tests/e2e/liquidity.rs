//! Swaps that a liquidity provider settles, over the real binary and its chains: the stand-ins of LI.FI and Relay beside our
//! own market makers. Every case of a provider's conduct is run for each of them; `transfers` has those of 1Click, which is paid
//! at an address, `sources` those of the chains that swaps only begin on, `joined` those that
//! one of our own swaps follows, and `swaps` and `jupiter` those of 0x and Jupiter, within
//! a chain. `dishonest` is a service that changes what it builds, for lies that only the SDK's own simulation shows.

mod calls;
mod conduct;
mod dishonest;
mod fixture;
mod joined;
mod jupiter;
mod sources;
mod swaps;
mod transfers;

use std::time::Duration;

use alloy_primitives::{Address, address};
use alloy_sol_types::sol;

use fixture::{Fixture, Kind, options, route, trusting};

/// The first account of the customary test phrase, rich on every chain of the sandbox.
const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const BASE: u64 = 8453;
const ARBITRUM: u64 = 42_161;
const BASE_USDC: Address = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
const ARBITRUM_USDC: Address = address!("af88d065e77c8cC2239327C5EDb3A432268e5831");
const ARBITRUM_USDT: Address = address!("Fd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9");
/// Another well-known token of Base, which the payer has.
const BASE_WETH: Address = address!("4200000000000000000000000000000000000006");
/// The chains that swaps only begin on.
const BITCOIN: u64 = 8_253_038;
const TRON: u64 = 728_126_428;
/// Tron's USDT as its twenty bytes.
const TRON_USDT: Address = address!("a614f803b6fd780986a42c78ec9c7f77e6ded13c");
const RECIPIENT: Address = Address::repeat_byte(0x77);
const AMOUNT: u64 = 25_000_000;
const LIMIT: Duration = Duration::from_mins(3);

sol! {
    function balanceOf(address owner) external view returns (uint256);
    function approve(address spender, uint256 amount) external returns (bool);
    function deposit() external payable;
}
