use crate::Volatility;

/// Price amplitudes in the sandbox, in millionths: stablecoins, and all other coins.
const AMPLITUDES: (u32, u32) = (200, 10_000);

/// Coins that wrap another coin one to one.
const WRAPPED: [(&str, &str); 10] = [
    ("wbnb", "binancecoin"),
    ("weth", "ethereum"),
    ("wrapped-0g", "zero-gravity"),
    ("wrapped-avax", "avalanche-2"),
    ("wrapped-bera", "berachain-bera"),
    ("wrapped-mantle", "mantle"),
    ("wrapped-monad", "monad"),
    ("wrapped-pol", "polygon-ecosystem-token"),
    ("wrapped-solana", "solana"),
    ("usdt0", "tether"),
];

/// Coins that derive from another coin, at another rate or through an issuer, and move with it.
const DERIVED: [(&str, &str); 21] = [
    ("binance-bitcoin", "wrapped-bitcoin"),
    ("bitcoin-avalanche", "wrapped-bitcoin"),
    ("bridged-usd-coin", "usd-coin"),
    ("bridged-usd-coin-base", "usd-coin"),
    ("coinbase-wrapped-btc", "wrapped-bitcoin"),
    ("coinbase-wrapped-staked-eth", "ethereum"),
    ("dai-avalanche-bridge", "dai"),
    ("jito-staked-sol", "solana"),
    ("mantle-staked-ether", "ethereum"),
    ("msol", "solana"),
    ("rocket-pool-eth", "ethereum"),
    ("staked-ether", "ethereum"),
    ("usdt-avalanche-bridge", "tether"),
    ("vault-bridge-eth", "ethereum"),
    ("vault-bridge-usdc", "usd-coin"),
    ("vault-bridge-usdt", "tether"),
    ("vault-bridge-wbtc", "wrapped-bitcoin"),
    ("wbtc-avalanche-bridge", "wrapped-bitcoin"),
    ("weth-avalanche-bridge", "ethereum"),
    ("wrapped-eeth", "ethereum"),
    ("wrapped-steth", "ethereum"),
];

/// Coins pegged to the US dollar.
const USD_STABLECOINS: [&str; 18] = [
    "agora-dollar",
    "bridged-usd-coin",
    "bridged-usd-coin-base",
    "dai",
    "dai-avalanche-bridge",
    "ethena-usde",
    "first-digital-usd",
    "gho",
    "honey-3",
    "paypal-usd",
    "tether",
    "usd-coin",
    "usd1-wlfi",
    "usds",
    "usdt-avalanche-bridge",
    "usdt0",
    "vault-bridge-usdc",
    "vault-bridge-usdt",
];

/// The coin that this one wraps, or the coin itself.
pub fn underlying_asset(coin: &str) -> &str {
    find(&WRAPPED, coin).unwrap_or(coin)
}

/// Whether the coin is pegged to the US dollar.
pub fn is_usd_stablecoin(coin: &str) -> bool {
    USD_STABLECOINS.contains(&coin)
}

/// How the price moves in the sandbox, together with its underlying coin.
pub fn sandbox_volatility(coin: &str) -> Volatility {
    let asset = underlying_asset(coin);
    let leader = find(&DERIVED, asset).unwrap_or(asset);
    Volatility {
        group: hash(leader),
        amplitude: if is_usd_stablecoin(coin) { AMPLITUDES.0 } else { AMPLITUDES.1 },
    }
}

fn find(table: &[(&str, &'static str)], coin: &str) -> Option<&'static str> {
    table.iter().find(|(name, _)| *name == coin).map(|(_, other)| *other)
}

/// A stable hash of the name (FNV-1a).
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox_price;

    #[test]
    fn wrapped_coins_have_the_price_and_volatility_of_their_asset() {
        for (wrapped, asset) in WRAPPED {
            assert!(sandbox_price(wrapped).is_some(), "{wrapped}");
            assert_eq!(sandbox_price(wrapped), sandbox_price(asset), "{wrapped}");
            assert_eq!(sandbox_volatility(wrapped), sandbox_volatility(asset), "{wrapped}");
            assert_eq!(underlying_asset(wrapped), underlying_asset(asset));
        }
        assert_eq!(underlying_asset("pepe"), "pepe");
    }

    #[test]
    fn derived_coins_move_with_their_leader_and_are_separate_assets() {
        for (coin, leader) in DERIVED {
            assert!(sandbox_price(coin).is_some(), "{coin}");
            assert_eq!(sandbox_volatility(coin), sandbox_volatility(leader), "{coin}");
            assert_ne!(underlying_asset(coin), underlying_asset(leader));
        }
        assert_ne!(sandbox_volatility("ethereum").group, sandbox_volatility("solana").group);
    }

    #[test]
    fn stablecoins_cost_one_dollar_and_hardly_move() {
        for coin in USD_STABLECOINS {
            assert_eq!(sandbox_price(coin).map(|price| price.to_string()).as_deref(), Some("1"), "{coin}");
            assert_eq!(sandbox_volatility(coin).amplitude, 200);
        }
        assert!(!is_usd_stablecoin("euro-coin"));
        assert_eq!(sandbox_volatility("euro-coin").amplitude, 10_000);
    }
}
