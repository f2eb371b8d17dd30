use causeway_domain::UsdPrice;

/// Sandbox prices by coin: plausible round figures, not market data.
const SANDBOX_PRICES: [(&str, &str); 82] = [
    ("aave", "180"),
    ("aerodrome-finance", "0.9"),
    ("agora-dollar", "1"),
    ("arbitrum", "0.4"),
    ("arcadia-aip", "0.05"),
    ("avalanche-2", "24"),
    ("berachain-bera", "2"),
    ("binance-bitcoin", "100000"),
    ("binancecoin", "900"),
    ("bitcoin", "100000"),
    ("bitcoin-avalanche", "100000"),
    ("bonk", "0.00002"),
    ("bridged-usd-coin", "1"),
    ("bridged-usd-coin-base", "1"),
    ("chainlink", "16"),
    ("coinbase-wrapped-btc", "100000"),
    ("coinbase-wrapped-staked-eth", "3850"),
    ("curve-dao-token", "0.6"),
    ("dai", "1"),
    ("dai-avalanche-bridge", "1"),
    ("dogwifcoin", "0.5"),
    ("ethena", "0.4"),
    ("ethena-usde", "1"),
    ("ethereum", "3500"),
    ("euro-coin", "1.15"),
    ("first-digital-usd", "1"),
    ("gho", "1"),
    ("honey-3", "1"),
    ("jito-governance-token", "1.2"),
    ("jito-staked-sol", "195"),
    ("jupiter-exchange-solana", "0.4"),
    ("katana-network-token", "0.1"),
    ("lido-dao", "0.9"),
    ("linea", "0.02"),
    ("mantle", "1.4"),
    ("mantle-staked-ether", "3750"),
    ("monad", "0.04"),
    ("msol", "210"),
    ("official-trump", "7"),
    ("ondo-finance", "0.7"),
    ("optimism", "0.5"),
    ("pancakeswap-token", "2.5"),
    ("paypal-usd", "1"),
    ("pepe", "0.000006"),
    ("polygon-ecosystem-token", "0.2"),
    ("pudgy-penguins", "0.015"),
    ("pyth-network", "0.1"),
    ("raydium", "1.8"),
    ("rocket-pool-eth", "4000"),
    ("shiba-inu", "0.00001"),
    ("sky", "0.06"),
    ("solana", "160"),
    ("staked-ether", "3500"),
    ("tether", "1"),
    ("tron", "0.3"),
    ("uniswap", "8"),
    ("usd-coin", "1"),
    ("usd1-wlfi", "1"),
    ("usds", "1"),
    ("usdt-avalanche-bridge", "1"),
    ("usdt0", "1"),
    ("vault-bridge-eth", "3500"),
    ("vault-bridge-usdc", "1"),
    ("vault-bridge-usdt", "1"),
    ("vault-bridge-wbtc", "100000"),
    ("virtual-protocol", "1.2"),
    ("wbnb", "900"),
    ("wbtc-avalanche-bridge", "100000"),
    ("weth", "3500"),
    ("weth-avalanche-bridge", "3500"),
    ("wrapped-0g", "1.2"),
    ("wrapped-avax", "24"),
    ("wrapped-bera", "2"),
    ("wrapped-bitcoin", "100000"),
    ("wrapped-eeth", "3700"),
    ("wrapped-mantle", "1.4"),
    ("wrapped-monad", "0.04"),
    ("wrapped-pol", "0.2"),
    ("wrapped-solana", "160"),
    ("wrapped-steth", "4200"),
    ("zero-gravity", "1.2"),
    ("zksync", "0.04"),
];

/// The sandbox price of a coin.
pub fn sandbox_price(coin: &str) -> Option<UsdPrice> {
    let at = SANDBOX_PRICES.binary_search_by_key(&coin, |(name, _)| name).ok()?;
    SANDBOX_PRICES.get(at)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_every_price_parses() {
        assert!(SANDBOX_PRICES.is_sorted_by_key(|(coin, _)| *coin));
        assert!(SANDBOX_PRICES.iter().all(|(coin, _)| sandbox_price(coin).is_some()));
        assert_eq!(sandbox_price("usd-coin").unwrap().to_string(), "1");
        assert_eq!(sandbox_price("no-such-coin"), None);
    }
}
