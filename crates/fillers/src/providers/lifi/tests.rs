//! Statuses in the forms that docs.li.fi/introduction/user-flows-and-examples/status-tracking and
//! docs.li.fi/agents/workflows/status-recovery show, read on 2026-11-18. Not verified against the live service.

use causeway_domain::ports::{ProviderReturn, ProviderState};
use causeway_testing::sample;
use serde_json::{Value, json};

use super::mapping::report;
use super::wire::TransferState;
use super::*;

const DEPOSIT: &str = "0x1695bded7c1634dce4a200bdec72be0ed6cc5f7153ec2dc832b271d790eb00c8";
const PAYOUT: &str = "0x5862726dbc6643c6a34b3496bb15e91f11771f6756ccf83826304846bbc93c00";
const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

fn read_status(status: &str, substatus: &str, receiving: &Value) -> Result<Option<ProviderReport>, String> {
    let body = json!({
        "transactionId": DEPOSIT,
        "sending": {
            "txHash": DEPOSIT, "txLink": "https://etherscan.io/tx/0x16", "chainId": 1, "amount": "10000000",
            "token": { "address": USDC, "chainId": 1, "symbol": "USDC", "decimals": 6, "name": "USD Coin" },
            "gasPrice": "23079962248", "gasUsed": "231727", "includedSteps": [],
        },
        "receiving": receiving, "tool": "across", "status": status, "substatus": substatus,
        "substatusMessage": "as documented", "lifiExplorerLink": "https://explorer.li.fi/tx/0x16",
    });
    let status: TransferState = serde_json::from_value(body).unwrap();
    report(&sample::order(1), DEPOSIT, &status)
}

fn received() -> Value {
    json!({ "txHash": PAYOUT, "chainId": 42_161, "amount": "9990000", "token": { "symbol": "USDC", "priceUSD": "1" } })
}

fn state(status: &str, substatus: &str, receiving: &Value) -> ProviderState {
    read_status(status, substatus, receiving).unwrap().unwrap().state
}

#[test]
fn documented_statuses_are_read() {
    let waiting = || json!({ "chainId": 42_161 });
    for substatus in ["WAIT_SOURCE_CONFIRMATIONS", "WAIT_DESTINATION_TRANSACTION", "BRIDGE_NOT_AVAILABLE"] {
        assert_eq!(state("PENDING", substatus, &waiting()), ProviderState::Working);
    }
    assert_eq!(state("PENDING", "REFUND_IN_PROGRESS", &waiting()), ProviderState::Failed);
    assert_eq!(state("DONE", "COMPLETED", &received()), ProviderState::Delivered { tx: PAYOUT.to_owned() });
    for substatus in ["SLIPPAGE_EXCEEDED", "OUT_OF_GAS", "NOT_PROCESSABLE_REFUND_NEEDED"] {
        assert_eq!(state("FAILED", substatus, &waiting()), ProviderState::Failed);
    }
    assert_eq!(read_status("NOT_FOUND", "", &Value::Null), Ok(None));
    assert_eq!(read_status("INVALID", "", &Value::Null), Ok(None));
    let report = read_status("DONE", "COMPLETED", &received()).unwrap().unwrap();
    assert_eq!(report.word, "DONE COMPLETED");
}

#[test]
fn a_done_without_a_transaction_is_still_working() {
    assert_eq!(state("DONE", "COMPLETED", &json!({ "chainId": 42_161 })), ProviderState::Working);
    assert_eq!(state("DONE", "COMPLETED", &Value::Null), ProviderState::Working);
}

#[test]
fn returns_name_their_token_and_where_they_lie() {
    let order = sample::order(1);
    let returned = |token, at_recipient| {
        ProviderState::Returned(ProviderReturn { token, tx: PAYOUT.to_owned(), at_recipient })
    };
    assert_eq!(state("DONE", "REFUNDED", &received()), returned(order.from, false), "no token: the input");
    let mut other = received();
    other["token"] = json!({ "address": USDC, "chainId": 1, "symbol": "USDC" });
    let usdc = TokenId::from_address(ChainId::new(1).unwrap(), Address::Evm(USDC.parse().unwrap())).unwrap();
    assert_eq!(state("DONE", "PARTIAL", &other), returned(usdc, true));
    assert_eq!(state("FAILED", "REFUNDED", &other), returned(usdc, false));
    assert_eq!(
        state("DONE", "REFUNDED", &json!({ "chainId": 1 })),
        ProviderState::Failed,
        "nothing to look at"
    );
}

#[test]
fn a_status_of_another_transaction_or_an_unknown_one_is_refused() {
    let other: TransferState = serde_json::from_value(json!({
        "status": "DONE", "substatus": "COMPLETED", "sending": { "txHash": PAYOUT }, "receiving": received(),
    }))
    .unwrap();
    assert!(report(&sample::order(1), DEPOSIT, &other).unwrap_err().contains("another transaction"));
    assert!(read_status("EXPLODED", "", &received()).unwrap_err().contains("EXPLODED"));
}

#[test]
fn bundled_contracts_are_one_for_each_chain() {
    let mut chains: Vec<u64> = CONTRACTS.iter().map(|contract| contract.chain).collect();
    chains.dedup();
    assert_eq!(chains.len(), CONTRACTS.len(), "sorted, none twice");
    let lifi = Lifi::new(LifiConfig::default()).unwrap();
    assert_eq!(lifi.pinned().len(), 8, "unverified ones are off");
}

#[test]
fn a_fee_beyond_what_is_reasonable_is_refused() {
    let config = LifiConfig { fee_bps: 1_001, ..LifiConfig::default() };
    assert!(Lifi::new(config).unwrap_err().to_string().contains("basis points"));
}
