//! Answers in the forms that docs.near-intents.org (1click-api/quickstart, api-reference/oneclick) and the types of
//! github.com/defuse-protocol/one-click-sdk-typescript as of 2026-06-26 show, read on 2026-11-18. Not verified against the live
//! service.

use causeway_domain::ports::{ProviderReport, ProviderReturn, ProviderState};
use causeway_domain::{BITCOIN_CHAIN_ID, ProviderOrder, ProviderTerms, RawAmount, Slippage};
use causeway_testing::sample;
use serde_json::json;

use super::assets::{Asset, assets};
use super::mapping::{address, report};
use super::*;

const DEPOSIT_ADDRESS: &str = "0x76b4c56085ED136a8744D52bE956396624a730E8";
const DEPOSIT: &str = "0x1695bded7c1634dce4a200bdec72be0ed6cc5f7153ec2dc832b271d790eb00c8";
const PAYOUT: &str = "0x5862726dbc6643c6a34b3496bb15e91f11771f6756ccf83826304846bbc93c00";
const ARB_USDC: &str = "nep141:arb-0xaf88d065e77c8cc2239327c5edb3a432268e5831.omft.near";
const USDT_ON_TRON: &str = "nep141:tron-d28a265909efecdcee7c5028585214ea0b96f015.omft.near";
const BASE_USDC: &str = "nep141:base-0x833589fcd6edb6e08f4c7c32d4f71b54bda02913.omft.near";
const RECIPIENT: &str = "0x2527D02599Ba641c19FEa793cD0F167589a0f10D";

fn evm(text: &str) -> Address {
    Address::Evm(text.parse().unwrap())
}

fn token(chain: u64, address: &str) -> TokenId {
    TokenId::from_address(ChainId::new(chain).unwrap(), evm(address)).unwrap()
}

fn ask() -> ProviderAsk {
    ProviderAsk {
        from: token(42_161, "0xaf88d065e77c8cc2239327c5edb3a432268e5831"),
        to: token(8453, "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"),
        amount_in: RawAmount::new(alloy_primitives::U256::from(1_000_000)),
        min_amount_out: RawAmount::ZERO,
        payer: evm(RECIPIENT),
        recipient: evm(RECIPIENT),
        refund_to: evm(RECIPIENT),
        tool: TOOL.to_owned(),
        slippage: Slippage::DEFAULT,
    }
}

fn quoted() -> Value {
    json!({
        "correlationId": "8a1b", "timestamp": "2026-02-27T15:18:30.437Z", "signature": "ed25519:5Y",
        "quoteRequest": {
            "dry": false, "depositMode": "SIMPLE", "swapType": "EXACT_INPUT", "slippageTolerance": 50,
            "originAsset": ARB_USDC, "depositType": "ORIGIN_CHAIN", "destinationAsset": BASE_USDC,
            "amount": "1000000", "refundTo": RECIPIENT, "refundType": "ORIGIN_CHAIN", "recipient": RECIPIENT,
            "recipientType": "DESTINATION_CHAIN", "deadline": "2026-02-27T16:00:00.000Z", "referral": "causeway",
        },
        "quote": {
            "depositAddress": DEPOSIT_ADDRESS, "amountIn": "1000000", "amountInFormatted": "1.0", "amountInUsd": "1.0",
            "minAmountIn": "995000", "amountOut": "998000", "amountOutFormatted": "0.998", "amountOutUsd": "0.998",
            "minAmountOut": "993010", "deadline": "2026-02-28T15:18:30.437Z",
            "timeWhenInactive": "2026-02-27T16:00:00.000Z", "timeEstimate": 27,
        },
    })
}

fn given(quoted: &Value) -> Result<causeway_domain::ports::ProviderAddress, String> {
    let asset = |id: &str| Asset { id: id.to_owned(), decimals: 6 };
    let (from, to) = (asset(ARB_USDC), asset(BASE_USDC));
    let quoted: Quoted = serde_json::from_value(quoted.clone()).unwrap();
    address(&ask(), Pair { from: &from, to: &to }, &quoted).map_err(|unusable| match unusable {
        Unusable::Declined(words) | Unusable::Wrong(words) => words,
    })
}

#[test]
fn a_documented_quote_names_an_address_and_its_time() {
    let given = given(&quoted()).unwrap();
    assert_eq!(
        (given.address, given.min_amount_out.to_string()),
        (evm(DEPOSIT_ADDRESS), "993010".to_owned())
    );
    assert_eq!(given.pays_until, 1_772_208_000, "the earlier of the two times");
}

#[test]
fn a_quote_that_differs_from_the_request_is_refused_in_words() {
    for (part, field, value, words) in [
        ("quoteRequest", "dry", json!(true), "another kind of quote"),
        ("quoteRequest", "swapType", json!("FLEX_INPUT"), "another kind of quote"),
        ("quoteRequest", "originAsset", json!("nep141:btc.omft.near"), "another input token"),
        ("quoteRequest", "destinationAsset", json!(ARB_USDC), "another output token"),
        ("quoteRequest", "amount", json!("1000001"), "another amount"),
        ("quoteRequest", "depositType", json!("INTENTS"), "another kind of deposit"),
        ("quoteRequest", "refundType", json!("INTENTS"), "another kind of refund"),
        ("quoteRequest", "recipientType", json!("INTENTS"), "another kind of delivery"),
        ("quoteRequest", "virtualChainRecipient", json!(RECIPIENT), "another recipient"),
        ("quoteRequest", "recipient", json!(DEPOSIT_ADDRESS), "it pays 0x76b4"),
        ("quoteRequest", "refundTo", json!("thief.near"), "it refunds thief.near"),
        ("quote", "amountIn", json!("1000001"), "takes 1000001 raw units"),
        ("quote", "minAmountIn", json!("1000001"), "least input"),
        ("quote", "minAmountOut", json!("998001"), "least output"),
        ("quote", "minAmountOut", json!("0"), "least output"),
        ("quote", "minAmountOut", json!("1.5"), "raw units"),
        ("quote", "depositMemo", json!("113873"), "memo"),
        ("quote", "depositAddress", Value::Null, "names no deposit address"),
        (
            "quote",
            "depositAddress",
            json!("bc1q0fnht2ngtaeexp3gypd55k5ejfwxtgxmdmx0gh"),
            "none of the source chain",
        ),
        ("quote", "depositAddress", json!(DEPOSIT_ADDRESS.replace('b', "B")), "EIP-55"),
        ("quote", "deadline", json!("tomorrow"), "no time"),
    ] {
        let mut changed = quoted();
        changed[part][field] = value;
        let error = given(&changed).unwrap_err();
        assert!(error.contains(words), "{field}: {error}");
    }
    let mut timeless = quoted();
    timeless["quote"]["deadline"] = Value::Null;
    timeless["quote"]["timeWhenInactive"] = Value::Null;
    assert!(given(&timeless).unwrap_err().contains("no deadline"));
}

fn read_status(
    status: &str,
    origin: &[&str],
    destination: &[&str],
) -> Result<Option<ProviderReport>, String> {
    let sent = |hashes: &[&str]| -> Value {
        hashes
            .iter()
            .map(|hash| json!({ "hash": hash, "explorerUrl": "https://arbiscan.io/tx/0x16" }))
            .collect()
    };
    let body = json!({
        "correlationId": "8a1b", "quoteResponse": quoted(), "status": status,
        "updatedAt": "2026-02-27T15:20:00.000Z",
        "swapDetails": {
            "intentHashes": ["5Y"], "nearTxHashes": ["9Z"], "amountIn": "1000000", "slippage": 0,
            "originChainTxHashes": sent(origin), "destinationChainTxHashes": sent(destination),
            "refundedAmount": "0",
        },
    });
    let status: Status = serde_json::from_value(body).unwrap();
    let mut order = sample::order(1);
    (order.from, order.to) = (ask().from, ask().to);
    order.provider = Some(Box::new(ProviderOrder {
        terms: ProviderTerms { tool: TOOL.to_owned(), slippage: Slippage::DEFAULT },
        notice: CustodyNotice { held_by: String::new(), refunds: String::new() },
        target: evm(DEPOSIT_ADDRESS),
        spender: None,
        word: None,
        named_deposit: None,
        joined: None,
    }));
    report(&order, Some(DEPOSIT), &status)
}

fn state(status: &str, origin: &[&str], destination: &[&str]) -> ProviderState {
    read_status(status, origin, destination).unwrap().unwrap().state
}

#[test]
fn documented_statuses_are_read() {
    assert_eq!(read_status("PENDING_DEPOSIT", &[], &[]), Ok(None));
    for open in ["KNOWN_DEPOSIT_TX", "PROCESSING", "INCOMPLETE_DEPOSIT"] {
        assert_eq!(state(open, &[DEPOSIT], &[]), ProviderState::Working);
    }
    assert_eq!(state("SUCCESS", &[DEPOSIT], &[PAYOUT]), ProviderState::Delivered { tx: PAYOUT.to_owned() });
    assert_eq!(state("SUCCESS", &[DEPOSIT], &[]), ProviderState::Working, "a done without a transaction");
    assert_eq!(state("FAILED", &[DEPOSIT], &[]), ProviderState::Failed);
    let refund = ProviderReturn { token: ask().from, tx: PAYOUT.to_owned(), at_recipient: false };
    assert_eq!(state("REFUNDED", &[DEPOSIT, PAYOUT], &[]), ProviderState::Returned(refund));
    assert_eq!(
        state("REFUNDED", &[DEPOSIT], &[]),
        ProviderState::Failed,
        "the payment is not its own refund"
    );
    assert!(read_status("DONE", &[], &[]).unwrap_err().contains("`DONE` is unknown"));
}

#[test]
fn tokens_are_known_by_chain_and_contract_and_the_coin_by_none() {
    let listed = json!([
        {
            "assetId": "nep141:wrap.near", "decimals": 24, "blockchain": "near", "symbol": "wNEAR", "price": 1.1,
            "priceUpdatedAt": "2026-02-27T15:18:30.437Z", "contractAddress": "wrap.near",
        },
        {
            "assetId": "nep141:eth.omft.near", "decimals": 18, "blockchain": "eth", "symbol": "ETH", "price": 1947.28,
            "priceUpdatedAt": "2026-02-27T15:25:30.527Z", "contractAddress": null,
        },
        {
            "assetId": "nep141:btc.omft.near", "decimals": 8, "blockchain": "btc", "symbol": "BTC", "price": 66_093,
            "priceUpdatedAt": "2026-02-27T15:25:30.527Z",
        },
        {
            "assetId": USDT_ON_TRON, "decimals": 6, "blockchain": "tron", "symbol": "USDT", "price": 1,
            "contractAddress": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
        },
        {
            "assetId": ARB_USDC, "decimals": 6, "blockchain": "arb", "symbol": "USDC", "price": 1,
            "contractAddress": "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
        },
    ]);
    let known = assets(serde_json::from_value(listed).unwrap());
    assert_eq!(known.len(), 4, "{known:?}");
    assert_eq!(known[&TokenId::native(BITCOIN_CHAIN_ID)].decimals, 8);
    let usdt: TokenId = "tron:0x2b6653dc:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t".parse().unwrap();
    assert_eq!(known[&usdt].id, USDT_ON_TRON);
    assert_eq!(known[&ask().from], Asset { id: ARB_USDC.to_owned(), decimals: 6 });
    assert_eq!(known[&TokenId::native(ChainId::new(1).unwrap())].id, "nep141:eth.omft.near");
}

#[test]
fn a_configuration_that_cannot_work_is_refused() {
    let refused = |change: fn(&mut OneClickConfig)| {
        let mut config = OneClickConfig::default();
        change(&mut config);
        OneClick::new(config).unwrap_err().to_string()
    };
    assert!(refused(|config| config.fee_bps = 10).contains("address that it is paid to"));
    assert!(refused(|config| config.fee_bps = 1_001).contains("1,000"));
    assert!(refused(|config| config.deposit_minutes = 4).contains("minutes"));
    assert!(refused(|config| config.url = "ftp://x".to_owned()).contains("https://"));
}
