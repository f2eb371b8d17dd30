//! Prices of CoinGecko, by the ids of its coins.

mod reader;
mod wire;

pub use reader::{CoinGeckoConfig, CoinGeckoPlan, CoinGeckoReader};
