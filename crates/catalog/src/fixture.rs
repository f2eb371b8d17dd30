//! A small catalog for unit tests.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use causeway_domain::ports::PriceFeed;
use causeway_domain::{Chain, Token, TokenId, UsdPrice};

use crate::chains::{Icons, parse as parse_chains};
use crate::snapshot::{Base, Snapshot};
use crate::tokens::{parse_assets, parse_bundled};

pub(crate) const SOLANA_USDC: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

/// Valid columns of an EVM chain, and of Solana.
pub(crate) const EVM_COLUMNS: &str = r#"
[chain.policy]
deposit_seconds = 48
fill_seconds = 12
order_cap_usd = "none"
[chain.evm]
small_deposits = 4
attestations = "finalized"
large_amounts = "finalized"
fallback_depth = "none"
send_depth = 64
max_fee_gwei = 500
min_tip_wei = 1_000_000
gas_factor = 1
permit2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
multicall3 = "0xcA11bde05977b3631167028862bE2a173976CA11"
zksync_vm = false
"#;
const SOLANA_COLUMNS: &str = r#"
[chain.policy]
deposit_seconds = 15
fill_seconds = 2
order_cap_usd = "none"
"#;

/// Without their columns.
const CHAINS: &str = r##"
[[chain]]
id = 1
slug = "ethereum"
name = "Ethereum"
aliases = ["eth", "mainnet"]
family = "evm"
native = { name = "Ether", symbol = "ETH", decimals = 18 }
wrapped_native = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
explorer = { name = "Etherscan", url = "https://etherscan.io" }
deposit_methods = ["CONTRACT_CALL", "PERMIT2", "TRANSFER"]
color = "#627eea"

[[chain]]
id = 56
slug = "bsc"
name = "BNB Smart Chain"
aliases = ["bnb", "binance smart chain"]
family = "evm"
native = { name = "BNB", symbol = "BNB", decimals = 18 }
explorer = { name = "BscScan", url = "https://bscscan.com" }
deposit_methods = ["CONTRACT_CALL", "PERMIT2", "TRANSFER"]
color = "#f0b90b"

[[chain]]
id = 137
slug = "polygon"
name = "Polygon"
aliases = ["matic", "pol"]
family = "evm"
native = { name = "POL", symbol = "POL", decimals = 18 }
explorer = { name = "Polygonscan", url = "https://polygonscan.com" }
deposit_methods = ["CONTRACT_CALL", "PERMIT2", "TRANSFER"]
color = "#8247e5"

[[chain]]
id = 8453
slug = "base"
name = "Base"
family = "evm"
native = { name = "Ether", symbol = "ETH", decimals = 18 }
wrapped_native = "0x4200000000000000000000000000000000000006"
explorer = { name = "Basescan", url = "https://basescan.org" }
deposit_methods = ["CONTRACT_CALL", "PERMIT2", "TRANSFER"]
color = "#0052ff"

[[chain]]
id = 42161
slug = "arbitrum"
name = "Arbitrum One"
aliases = ["arb", "arb1"]
family = "evm"
native = { name = "Ether", symbol = "ETH", decimals = 18 }
explorer = { name = "Arbiscan", url = "https://arbiscan.io" }
deposit_methods = ["CONTRACT_CALL", "PERMIT2", "TRANSFER"]
color = "#28a0f0"

[[chain]]
id = 43114
slug = "avalanche"
name = "Avalanche"
aliases = ["avax"]
family = "evm"
native = { name = "Avalanche", symbol = "AVAX", decimals = 18 }
explorer = { name = "Snowtrace", url = "https://snowtrace.io" }
deposit_methods = ["CONTRACT_CALL", "TRANSFER"]
color = "#e84142"

[[chain]]
id = 20011000000
slug = "solana"
name = "Solana"
aliases = ["sol"]
family = "solana"
native = { name = "Solana", symbol = "SOL", decimals = 9 }
wrapped_native = "So11111111111111111111111111111111111111112"
explorer = { name = "Solscan", url = "https://solscan.io" }
deposit_methods = ["CONTRACT_CALL", "TRANSFER"]
color = "#9945ff"
"##;

const TOKENS: &str = "chain_id\taddress\tsymbol\tname\tdecimals
1\t0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48\tUSDC\tUSD Coin\t6
1\t0xdAC17F958D2ee523a2206206994597C13D831ec7\tUSDT\tTether USD\t6
1\t0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2\tWETH\tWrapped Ether\t18
1\t0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6\tPOL\tPolygon Ecosystem Token\t18
1\t0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599\tWBTC\tWrapped Bitcoin\t8
1\t0x111111111117dC0aa78b770fA6A738034120C302\t1INCH\t1inch Network\t18
1\t0x1111111111111111111111111111111111111111\tUSDC\tFake USD Coin\t6
1\t0x2222222222222222222222222222222222222222\tETH\tFake Ether\t18
1\t0x3333333333333333333333333333333333333333\tUSDCX\tSomething Else\t6
8453\t0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913\tUSDC\tUSD Coin\t6
8453\t0x4200000000000000000000000000000000000006\tWETH\tWrapped Ether\t18
42161\t0xaf88d065e77c8cC2239327C5EDb3A432268e5831\tUSDC\tUSD Coin\t6
42161\t0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8\tUSDC.e\tBridged USDC\t6
42161\t0x912CE59144191C1204E64559FE8253a0e49E6548\tARB\tArbitrum\t18
20011000000\tEPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v\tUSDC\tUSD Coin\t6
";

const TOP: &str = r#"
[[asset]]
symbol = "ETH"
name = "Ether"
coin = "ethereum"
rank = 1
decimals = 18
aliases = ["ethereum", "ether"]
[asset.addresses]
1 = "native"
8453 = "native"
42161 = "native"

[[asset]]
symbol = "USDC"
name = "USD Coin"
coin = "usd-coin"
rank = 2
decimals = 6
aliases = ["usd", "dollars"]
[asset.addresses]
1 = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
8453 = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
42161 = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"
20011000000 = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"

[[asset]]
symbol = "USDT"
name = "Tether USD"
coin = "tether"
rank = 3
decimals = 6
aliases = ["tether"]
[asset.addresses]
1 = "0xdAC17F958D2ee523a2206206994597C13D831ec7"

[[asset]]
symbol = "SOL"
name = "Solana"
coin = "solana"
rank = 4
decimals = 9
[asset.addresses]
20011000000 = "native"

[[asset]]
symbol = "WETH"
name = "Wrapped Ether"
coin = "ethereum"
rank = 5
decimals = 18
[asset.addresses]
1 = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
8453 = "0x4200000000000000000000000000000000000006"

[[asset]]
symbol = "POL"
name = "POL"
coin = "pol"
rank = 6
decimals = 18
aliases = ["matic"]
[asset.addresses]
1 = "0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6"
137 = "native"

[[asset]]
symbol = "USDC.e"
name = "Bridged USDC"
coin = "usd-coin"
rank = 7
decimals = 6
aliases = ["usdc"]
[asset.addresses]
42161 = "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8"

[[asset]]
symbol = "ARB"
name = "Arbitrum"
coin = "arbitrum"
rank = 8
decimals = 18
[asset.addresses]
42161 = "0x912CE59144191C1204E64559FE8253a0e49E6548"
"#;

static SNAPSHOT: LazyLock<Arc<Snapshot>> = LazyLock::new(|| Arc::new(build(&[])));

pub(crate) fn chains() -> Vec<Chain> {
    let with_columns = |entry: &str| {
        let columns = if entry.contains("\"solana\"") { SOLANA_COLUMNS } else { EVM_COLUMNS };
        format!("[[chain]]{entry}{columns}")
    };
    let text: String = CHAINS.split("[[chain]]").skip(1).map(with_columns).collect();
    parse_chains(&text).unwrap()
}

pub(crate) fn snapshot() -> Arc<Snapshot> {
    Arc::clone(&SNAPSHOT)
}

fn build(lists: &[Arc<[Arc<Token>]>]) -> Snapshot {
    let chains = chains();
    let icons = Icons::load(&chains, &[]).unwrap();
    let base = Base { chains, icons, assets: parse_assets(TOP).unwrap(), own: Vec::new() };
    Snapshot::build(Arc::new(base), parse_bundled(TOKENS).unwrap(), lists)
}

/// The fixture with an additional list of numbered tokens.
pub(crate) fn with_list(numbers: &BTreeSet<u32>) -> Snapshot {
    build(&[numbers.iter().map(|number| Arc::new(list_token(*number))).collect()])
}

pub(crate) fn list_token(number: u32) -> Token {
    Token {
        id: format!("eip155:1:0x{number:040x}").replace("0x0", "0xd").parse().unwrap(),
        symbol: format!("T{number}"),
        name: format!("Token {number}"),
        decimals: 18,
        logo: None,
    }
}

/// Ether at 3,000 dollars, USDC at 1, SOL at 150, and nothing else.
#[derive(Debug)]
pub(crate) struct Prices;

impl PriceFeed for Prices {
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
        let snapshot = snapshot();
        let price = match snapshot.asset(token)?.coin.as_str() {
            "ethereum" => "3000",
            "usd-coin" => "1",
            "solana" => "150",
            _ => return None,
        };
        price.parse().ok()
    }
}
