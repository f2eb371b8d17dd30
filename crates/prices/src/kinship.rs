use crate::Swing;

/// How far prices wander in the sandbox, in millionths: stablecoins, and everything else.
const REACH: (u32, u32) = (200, 10_000);

/// Coins that are another coin in another form: it can be turned into them and back at any time, one for one.
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

/// Coins that stand on another coin, be it at another rate or with somebody in between, and so move with it.
const STANDING_ON: [(&str, &str); 21] = [
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

/// Coins that are meant to be worth a dollar.
const DOLLARS: [&str; 18] = [
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

/// The coin of which this one is a form, itself if it is nobody's.
pub fn asset_of(coin: &str) -> &str {
    find(&WRAPPED, coin).unwrap_or(coin)
}

/// Whether the coin is meant to be worth a dollar.
pub fn is_dollar(coin: &str) -> bool {
    DOLLARS.contains(&coin)
}

/// How the coin moves in the sandbox: together with its other forms and with what it stands on.
pub fn sandbox_swing(coin: &str) -> Swing {
    let asset = asset_of(coin);
    let leader = find(&STANDING_ON, asset).unwrap_or(asset);
    Swing { group: number(leader), reach: if is_dollar(coin) { REACH.0 } else { REACH.1 } }
}

fn find(table: &[(&str, &'static str)], coin: &str) -> Option<&'static str> {
    table.iter().find(|(name, _)| *name == coin).map(|(_, other)| *other)
}

/// A number for a word, the same everywhere (FNV-1a).
fn number(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox_price;

    #[test]
    fn forms_of_one_asset_cost_and_move_alike() {
        for (form, asset) in WRAPPED {
            assert!(sandbox_price(form).is_some(), "{form}");
            assert_eq!(sandbox_price(form), sandbox_price(asset), "{form}");
            assert_eq!(sandbox_swing(form), sandbox_swing(asset), "{form}");
            assert_eq!(asset_of(form), asset_of(asset));
        }
        assert_eq!(asset_of("pepe"), "pepe");
    }

    #[test]
    fn what_stands_on_a_coin_moves_with_it_and_is_another_asset() {
        for (coin, leader) in STANDING_ON {
            assert!(sandbox_price(coin).is_some(), "{coin}");
            assert_eq!(sandbox_swing(coin), sandbox_swing(leader), "{coin}");
            assert_ne!(asset_of(coin), asset_of(leader));
        }
        assert_ne!(sandbox_swing("ethereum").group, sandbox_swing("solana").group);
    }

    #[test]
    fn dollars_cost_one_and_hardly_move() {
        for coin in DOLLARS {
            assert_eq!(sandbox_price(coin).map(|price| price.to_string()).as_deref(), Some("1"), "{coin}");
            assert_eq!(sandbox_swing(coin).reach, 200);
        }
        assert!(!is_dollar("euro-coin"));
        assert_eq!(sandbox_swing("euro-coin").reach, 10_000);
    }
}
