use std::path::Path;
use std::time::Duration;

use reqwest::Client;
use serde_json::{Value, json};

use crate::service::{Service, data_dir};

/// Account 0 of the test phrase, which the sandbox funds.
const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// How long the fillers of a new service may take to offer.
const TIMEOUT: Duration = Duration::from_mins(2);

/// With the chains of the sandbox, on which the fillers trade.
fn start(folder: &Path) -> Service {
    Service::start_with(folder, &[])
}

async fn post(client: &Client, url: &str, path: &str, body: &Value) -> (u16, Value) {
    let answer = client.post(format!("{url}{path}")).body(body.to_string()).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// A quote with at least one route.
async fn ask_for_quote(client: &Client, url: &str) -> Value {
    let ask = json!({
        "tradeType": "EXACT_INPUT",
        "fromChainId": 1, "fromToken": "0x0000000000000000000000000000000000000000",
        "toChainId": 8453, "toToken": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "amount": "100000000000000000", "fromAddress": PAYER,
    });
    let offered = async {
        loop {
            let (_, quote) = post(client, url, "/v1/quotes", &ask).await;
            if quote["routes"].as_array().is_some_and(|routes| !routes.is_empty()) {
                return quote;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, offered).await.expect("no filler offers")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answered_quotes_survive_kill_9() {
    let folder = data_dir();
    let mut service = start(folder.path());
    let quote = ask_for_quote(&service.client, &service.url).await;
    service.child.kill().unwrap();
    service.child.wait().unwrap();

    let service = start(folder.path());
    let mut ask = json!({
        "quoteId": quote["quoteId"], "routeId": quote["routes"][0]["routeId"], "from": PAYER,
    });
    let (mut status, mut built) = post(&service.client, &service.url, "/v1/deposit/build", &ask).await;
    // A slow start may outlive the price; the quote itself is known in any case.
    let mut quote = quote;
    if built["name"] == "QuoteExpiredException" {
        quote = ask_for_quote(&service.client, &service.url).await;
        ask["quoteId"] = quote["quoteId"].clone();
        ask["routeId"] = quote["routes"][0]["routeId"].clone();
        (status, built) = post(&service.client, &service.url, "/v1/deposit/build", &ask).await;
    }
    assert_eq!(status, 200, "{built}");
    let (_, again) = post(&service.client, &service.url, "/v1/deposit/build", &ask).await;
    assert_eq!(again["terms"], built["terms"], "one route, one order");
    let sealed = quote["routes"][0]["routeId"].as_str().unwrap();
    let changed = if sealed.ends_with('A') { "B" } else { "A" };
    ask["routeId"] = json!(format!("{}{changed}", &sealed[..sealed.len() - 1]));
    let (status, refused) = post(&service.client, &service.url, "/v1/deposit/build", &ask).await;
    assert_eq!((status, &refused["name"]), (404, &json!("QuoteNotFoundException")), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_24_routes_of_an_older_quote_key_are_built_after_a_rotation() {
    let folder = data_dir();
    let quoting = start(folder.path());
    let quote = ask_for_quote(&quoting.client, &quoting.url).await;
    drop(quoting);
    // The newest key comes first.
    let file = folder.path().join("keys/quote");
    let older = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{}\n{older}", "ab".repeat(32))).unwrap();
    let rotated = start(folder.path());
    let ask = |quote: &Value| json!({ "quoteId": quote["quoteId"], "routeId": quote["routes"][0]["routeId"], "from": PAYER });
    let (status, built) = post(&rotated.client, &rotated.url, "/v1/deposit/build", &ask(&quote)).await;
    // A slow start may outlive the price; the quote itself is known in any case.
    assert!(status == 200 || built["name"] == "QuoteExpiredException", "{built}");
    let newer = ask_for_quote(&rotated.client, &rotated.url).await;
    let first = |quote: &Value| quote["routes"][0]["routeId"].as_str().unwrap()[..2].to_owned();
    assert_ne!(first(&newer), first(&quote), "the first byte names the key");
    let (status, built) = post(&rotated.client, &rotated.url, "/v1/deposit/build", &ask(&newer)).await;
    assert_eq!(status, 200, "{built}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_with_the_same_quote_key_builds_what_another_quoted() {
    let (one, two) = (data_dir(), data_dir());
    let quoting = start(one.path());
    let quote = ask_for_quote(&quoting.client, &quoting.url).await;
    drop(quoting);
    std::fs::create_dir_all(two.path().join("keys")).unwrap();
    std::fs::copy(one.path().join("keys/quote"), two.path().join("keys/quote")).unwrap();
    let building = start(two.path());
    let ask = json!({
        "quoteId": quote["quoteId"], "routeId": quote["routes"][0]["routeId"], "from": PAYER,
    });
    let (status, built) = post(&building.client, &building.url, "/v1/deposit/build", &ask).await;
    // A slow start may outlive the price; the quote itself is known in any case.
    assert!(status == 200 || built["name"] == "QuoteExpiredException", "{built}");
}
