use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alloy_primitives::{Bytes, U256, address};
use alloy_sol_types::{SolCall, sol};
use causeway_domain::ports::{GasFeed, VaultRate, VaultRates};
use causeway_domain::{ChainId, RawAmount, SOLANA_CHAIN_ID, TokenId};
use causeway_evm::{CachedGas, CachedVaultRates, EvmClient, Vault};
use serde_json::{Value, json};

use crate::fake::{Answer, Fake, Mode, chain, client, config, error};

sol! {
    function convertToShares(uint256 assets) returns (uint256);
}

const EVERY: Duration = Duration::from_millis(20);
const LONG: Duration = Duration::from_hours(1);

fn raw(units: u64) -> RawAmount {
    RawAmount::new(U256::from(units))
}

/// Waits until the condition holds, for at most a minute.
async fn until(mut condition: impl FnMut() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), waiting).await.unwrap();
}

/// A node whose base fee is read from `base`.
async fn node(base: Arc<AtomicU64>) -> Fake {
    Fake::start(move |method, _| match method {
        "eth_chainId" => Ok(json!("0x2105")),
        "eth_feeHistory" => {
            let base = format!("{:#x}", base.load(Ordering::Relaxed));
            Ok(json!({ "baseFeePerGas": [base], "reward": [["0x1dcd6500"]] }))
        }
        // The oracle's fee for a sample of 960 bytes.
        "eth_call" => Ok(json!(format!("{:#066x}", 960_000))),
        _ => error(-32601, "no such method"),
    })
    .await
}

#[tokio::test]
async fn a_byte_costs_what_the_oracle_of_the_rollup_says_and_nothing_where_there_is_none() {
    for (code, price) in [(format!("{:#066x}", 960_001), 1_001), ("0x".to_owned(), 0)] {
        let fake = Fake::start(move |method, params| match method {
            "eth_chainId" => Ok(json!("0x2105")),
            "eth_feeHistory" => Ok(json!({ "baseFeePerGas": ["0x5"], "reward": [["0x1dcd6500"]] })),
            "eth_call" if params[0]["to"] == "0x420000000000000000000000000000000000000f" => Ok(json!(code)),
            _ => error(-32601, "no such method"),
        })
        .await;
        let gas = Arc::new(CachedGas::new(LONG, [(SOLANA_CHAIN_ID, raw(5_000))]));
        assert_eq!(gas.byte_price(chain()), None, "not read yet");
        assert_eq!(gas.byte_price(SOLANA_CHAIN_ID), Some(raw(0)));
        let refreshing = tokio::spawn({
            let (gas, client) = (Arc::clone(&gas), client(&[&fake]));
            async move { gas.run(&[client], EVERY).await }
        });
        until(|| gas.byte_price(chain()) == Some(raw(price))).await;
        refreshing.abort();
    }
}

/// The prices of gas and of a byte that are read from a node of that chain.
async fn prices(id: u64, fake: &Fake) -> (RawAmount, RawAmount) {
    let id = ChainId::new(id).unwrap();
    let client = EvmClient::new(id, config(&[fake])).unwrap();
    let gas = Arc::new(CachedGas::new(LONG, []));
    let refreshing = tokio::spawn({
        let gas = Arc::clone(&gas);
        async move { gas.run(&[client], EVERY).await }
    });
    until(|| gas.price(id).is_some()).await;
    refreshing.abort();
    (gas.price(id).unwrap(), gas.byte_price(id).unwrap())
}

#[tokio::test]
async fn zksync_charges_gas_for_what_a_transaction_publishes() {
    for (chain, name) in [(324, "0x144"), (2_741, "0xab5")] {
        for (knows_pubdata, price) in [(true, 2_000), (false, 0)] {
            let fake = Fake::start(move |method, _| match method {
                "eth_chainId" => Ok(json!(name)),
                "eth_feeHistory" => Ok(json!({ "baseFeePerGas": ["0x64"], "reward": [["0x0"]] })),
                "eth_gasPrice" => Ok(json!("0x64")),
                "zks_gasPerPubdata" if knows_pubdata => Ok(json!("0x32")),
                _ => error(-32601, "no such method"),
            })
            .await;
            // Two fifths of the bytes are published, at 50 gas of 100 wei each.
            assert_eq!(prices(chain, &fake).await.1, raw(price), "{chain}");
        }
    }
}

#[tokio::test]
async fn lineas_prices_come_from_its_own_estimates() {
    let fake = Fake::start(|method, params| match method {
        "eth_chainId" => Ok(json!("0xe708")),
        "eth_feeHistory" => Ok(json!({ "baseFeePerGas": ["0x7"], "reward": [["0x989680"]] })),
        "linea_estimateGas" => {
            // The tip that pays 30,000,000 for gas and 2,000,000,000 for a byte.
            let bytes = (params[0]["data"].as_str().unwrap().len() as u64 - 2) / 2;
            let gas = 21_000 + 16 * bytes;
            let tip = 30_000_000 + 2_000_000_000 * (110 + bytes) / gas;
            let hex = |number: u64| format!("{number:#x}");
            Ok(json!({ "gasLimit": hex(gas), "baseFeePerGas": "0x7", "priorityFeePerGas": hex(tip) }))
        }
        _ => error(-32601, "no such method"),
    })
    .await;
    let (gas, byte) = prices(59_144, &fake).await;
    assert!((raw(29_990_000)..=raw(30_010_000)).contains(&gas), "{gas}");
    assert!((raw(1_999_000_000)..=raw(2_001_000_000)).contains(&byte), "{byte}");
    // A node without the method, as in the sandbox: the market's tip.
    let plain = Fake::start(|method, _| match method {
        "eth_chainId" => Ok(json!("0xe708")),
        "eth_feeHistory" => Ok(json!({ "baseFeePerGas": ["0x7"], "reward": [["0x989680"]] })),
        _ => error(-32601, "no such method"),
    })
    .await;
    assert_eq!(prices(59_144, &plain).await, (raw(10_000_007), raw(0)));
}

#[tokio::test]
async fn the_gas_price_is_that_of_the_next_block_and_follows_the_chain() {
    let base = Arc::new(AtomicU64::new(3_000_000_000));
    let fake = node(Arc::clone(&base)).await;
    let gas = Arc::new(CachedGas::new(LONG, [(SOLANA_CHAIN_ID, raw(5_000))]));
    assert_eq!(gas.price(chain()), None, "not read yet");
    assert_eq!(gas.price(SOLANA_CHAIN_ID), Some(raw(5_000)));
    let refreshing = tokio::spawn({
        let (gas, client) = (Arc::clone(&gas), client(&[&fake]));
        async move { gas.run(&[client], EVERY).await }
    });
    until(|| gas.price(chain()) == Some(raw(3_500_000_000))).await;
    base.store(7_000_000_000, Ordering::Relaxed);
    until(|| gas.price(chain()) == Some(raw(7_500_000_000))).await;
    refreshing.abort();
}

#[tokio::test]
async fn an_expired_gas_price_is_none() {
    let fake = node(Arc::new(AtomicU64::new(1))).await;
    let gas = Arc::new(CachedGas::new(Duration::from_millis(200), []));
    let refreshing = tokio::spawn({
        let (gas, client) = (Arc::clone(&gas), client(&[&fake]));
        async move { gas.run(&[client], EVERY).await }
    });
    until(|| gas.price(chain()).is_some()).await;
    fake.set(Mode::Status(502));
    until(|| gas.price(chain()).is_none()).await;
    fake.set(Mode::Healthy);
    until(|| gas.price(chain()).is_some()).await;
    refreshing.abort();
}

/// One vault with nine tenths of a share per asset of 6 decimals, one that reverts, one that returns zero, one that returns nothing.
fn vaults(method: &str, params: &Value) -> Answer {
    if method == "eth_chainId" {
        return Ok(json!("0x2105"));
    }
    let data: Bytes = serde_json::from_value(params[0]["data"].clone()).unwrap();
    let assets = convertToSharesCall::abi_decode(&data).unwrap().assets;
    match params[0]["to"].as_str().unwrap().as_bytes().last().unwrap() {
        b'1' => {
            let shares = assets * U256::from(9) * U256::from(10).pow(U256::from(11));
            Ok(json!(Bytes::from(shares.to_be_bytes_vec())))
        }
        b'2' => error(3, "execution reverted"),
        b'3' => Ok(json!(Bytes::from(U256::ZERO.to_be_bytes_vec()))),
        _ => Ok(json!("0x")),
    }
}

#[tokio::test]
async fn vault_rates_are_read_and_a_broken_vault_does_not_hide_others() {
    let token = |last: u64| {
        let text = alloy_primitives::Address::left_padding_from(&last.to_be_bytes()).to_string();
        TokenId::new(chain(), &text).unwrap()
    };
    let usdc = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913").to_string();
    let asset = TokenId::new(chain(), &usdc).unwrap();
    let vault = |last| Vault { share: token(last), asset, asset_decimals: 6 };
    let fake = Fake::start(vaults).await;
    let rates = Arc::new(CachedVaultRates::new(LONG, [1, 2, 3, 4].map(vault)));
    assert_eq!(rates.rate(&token(1)), None, "not read yet");
    let refreshing = tokio::spawn({
        let (rates, client) = (Arc::clone(&rates), client(&[&fake]));
        async move { rates.run(&[client], EVERY).await }
    });
    let expected = VaultRate { asset, assets: raw(1_000_000), shares: raw(900_000_000_000_000_000) };
    until(|| rates.rate(&token(1)) == Some(expected)).await;
    for last in [2, 3, 4] {
        assert!(rates.is_share(&token(last)));
        assert_eq!(rates.rate(&token(last)), None);
    }
    assert!(!rates.is_share(&asset) && rates.rate(&asset).is_none());
    refreshing.abort();
}
