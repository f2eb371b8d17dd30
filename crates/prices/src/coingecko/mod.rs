//! CoinGecko prices by coin id.

mod reader;
mod wire;

pub use reader::{CoinGeckoConfig, CoinGeckoPlan, CoinGeckoReader};
