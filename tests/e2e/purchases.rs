//! Fiat purchases over the real binary with its sandbox chains and on-ramps, without a browser.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::service::{Service, data_dir};

const ETHER: &str = "0x0000000000000000000000000000000000000000";
const USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const BASE: u64 = 8453;
const ARBITRUM: u64 = 42161;
const SOLANA: u64 = 20_011_000_000;
const SOLANA_USDT: &str = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB";

/// How long a purchase may take once it is paid, on the slowest machine.
const TIMEOUT: Duration = Duration::from_mins(3);

/// An unused EVM account.
fn stranger(number: u8) -> String {
    format!("0x{:040x}", u128::from_be_bytes([0x5a; 16]) + u128::from(number))
}

pub(crate) async fn post(service: &Service, path: &str, body: &Value) -> (StatusCode, Value) {
    let request = service.client.post(format!("{}{path}", service.url)).body(body.to_string());
    let answer = request.header("content-type", "application/json").send().await.unwrap();
    (answer.status(), answer.json().await.unwrap())
}

/// The order of a card purchase for 100 dollars.
pub(crate) async fn order(service: &Service, chain: u64, token: &str, recipient: &str) -> Value {
    let ask = json!({
        "fiatCurrency": "USD", "fiatAmount": "100", "toChainId": chain, "toToken": token,
        "recipient": recipient, "provider": "sandbox-card",
    });
    let (status, quotes) = post(service, "/v1/fiat/quote", &ask).await;
    assert_eq!(status, 200, "{quotes}");
    let take = json!({ "quoteId": quotes["quotes"][0]["quoteId"], "author": recipient });
    let (status, order) = post(service, "/v1/fiat/order", &take).await;
    assert_eq!(status, 200, "{order}");
    order
}

/// Pays on the provider's page, as the form there does.
pub(crate) async fn pay(service: &Service, order: &Value) {
    let url = format!("{}/pay", order["widgetUrl"].as_str().unwrap());
    let card = "number=4242424242424242&expiry=12%2F40&cvc=123";
    let form = service.client.post(url).header("content-type", "application/x-www-form-urlencoded");
    let answer = form.body(card).send().await.unwrap();
    assert!(answer.status().is_success() || answer.status().is_redirection(), "{}", answer.status());
}

async fn bought(service: &Service, chain: u64, token: &str, recipient: &str) -> String {
    let order = order(service, chain, token, recipient).await;
    pay(service, &order).await;
    order["orderId"].as_str().unwrap().to_owned()
}

/// The purchase when it is over.
pub(crate) async fn ended(service: &Service, id: &str) -> Value {
    let start = tokio::time::Instant::now();
    loop {
        let view = service.get_json(&format!("/v1/fiat/order/{id}")).await;
        if view["terminal"] == true {
            return view;
        }
        assert!(start.elapsed() < TIMEOUT, "{view}");
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

async fn ether_of(service: &Service, chain: u64, who: &str) -> u128 {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_getBalance", "params": [who, "latest"] });
    let (_, answer) = post(service, &format!("/sandbox/rpc/{chain}"), &call).await;
    u128::from_str_radix(answer["result"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

fn output(view: &Value) -> u128 {
    view["outputAmount"].as_str().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn paid_purchases_are_delivered_directly_by_forwarding_and_on_solana() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let (one, other) = (stranger(1), stranger(2));
    // On the curve, as a wallet is.
    let solana = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM";
    let direct = bought(&service, BASE, ETHER, &one).await;
    let jump = bought(&service, ARBITRUM, ETHER, &other).await;
    let on_solana = bought(&service, SOLANA, SOLANA_USDT, solana).await;
    for (id, strategy) in [(&direct, "direct"), (&jump, "jump"), (&on_solana, "jump")] {
        let view = ended(&service, id).await;
        assert_eq!(
            (&view["status"], &view["swapStrategy"]),
            (&json!("completed"), &json!(strategy)),
            "{view}"
        );
        assert!(view["transferTxHash"].is_string(), "{view}");
    }
    let view = ended(&service, &direct).await;
    assert_eq!(ether_of(&service, BASE, &one).await, output(&view));
    let view = ended(&service, &jump).await;
    assert_eq!(ether_of(&service, ARBITRUM, &other).await, output(&view));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_21_purchase_without_a_route_at_its_rate_is_refunded_and_reports_it() {
    let folder = data_dir();
    let settings = "[fiat]\nswap_within_minutes = 0\nslippage_bps = 0\n";
    let service = Service::start_configured(folder.path(), settings);
    let buyer = stranger(1);
    let order = order(&service, ARBITRUM, ETHER, &buyer).await;
    // A tenth of what was agreed: the network's fees weigh ten times as much, and no route holds the rate.
    let origin = order["widgetUrl"].as_str().unwrap().split("/sandbox-card/").next().unwrap().to_owned();
    let switches = format!("{origin}/sandbox/onramps/sandbox-card/switches");
    let switch = service.client.post(switches).header("content-type", "application/json");
    assert_eq!(switch.body(json!({ "paysBps": 1_000 }).to_string()).send().await.unwrap().status(), 200);
    pay(&service, &order).await;
    let view = ended(&service, order["orderId"].as_str().unwrap()).await;
    assert_eq!(
        (&view["status"], &view["failure"]["reason"]),
        (&json!("failed"), &json!("no_route")),
        "{view}"
    );
    let message = view["failure"]["message"].as_str().unwrap();
    assert_eq!(message.matches("0x").count(), 3, "the address and both transactions: {message}");
    let call = json!({ "to": USDC, "data": format!("0x70a08231{:0>64}", &buyer[2..]) });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [call, "latest"] });
    let (_, answer) = post(&service, &format!("/sandbox/rpc/{BASE}"), &call).await;
    let back = u128::from_str_radix(answer["result"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    assert!((9_000_000..10_000_000).contains(&back), "a tenth of what was bought: {back}");
}
