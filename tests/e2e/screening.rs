use std::path::Path;

use reqwest::Response;
use serde_json::{Value, json};

use crate::service::{Service, causeway, data_dir, few_chains};

const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const LISTED: &str = "0x7F367cC41522cE07553e823bf3be79A889DEbe1B";

async fn post(service: &Service, path: &str, body: &Value) -> Response {
    let request = service.client.post(format!("{}{path}", service.url)).body(body.to_string());
    request.send().await.unwrap()
}

async fn answer(response: Response) -> (u16, Value) {
    (response.status().as_u16(), response.json().await.unwrap())
}

/// Builds the best route of a small swap to another recipient.
async fn build(service: &Service, recipient: &str) -> (u16, Value) {
    let ask = json!({
        "tradeType": "EXACT_INPUT", "amount": "10000000000000000", "fromAddress": PAYER, "recipient": recipient,
        "fromChainId": 8453, "fromToken": "0x0000000000000000000000000000000000000000",
        "toChainId": 42161, "toToken": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    });
    let (status, quote) = answer(post(service, "/v1/quotes", &ask).await).await;
    assert_eq!(status, 200, "quotes are not screened: {quote}");
    let order =
        json!({ "quoteId": quote["quoteId"], "routeId": quote["routes"][0]["routeId"], "from": PAYER });
    answer(post(service, "/v1/deposit/build", &order).await).await
}

/// Orders a hundred dollars of USDC on Base.
async fn buy(service: &Service, recipient: &str) -> (u16, Value) {
    let ask = json!({
        "fiatCurrency": "USD", "fiatAmount": "100", "recipient": recipient,
        "toChainId": 8453, "toToken": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    });
    let (status, quotes) = answer(post(service, "/v1/fiat/quote", &ask).await).await;
    assert_eq!(status, 200, "{quotes}");
    let order = json!({ "quoteId": quotes["quotes"][0]["quoteId"], "author": recipient });
    answer(post(service, "/v1/fiat/order", &order).await).await
}

fn audit(service: &Service, folder: &Path) -> Vec<Value> {
    let shown = causeway()
        .args(["audit", "--json", "--url", &service.url, "--data-dir"])
        .arg(folder)
        .output()
        .expect("the binary starts");
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    shown["events"].as_array().unwrap().clone()
}

#[tokio::test]
async fn deny_listed_address_cannot_order_and_the_audit_log_records_it() {
    let folder = data_dir();
    let (list, config) = (folder.path().join("deny.txt"), folder.path().join("screened.toml"));
    std::fs::write(&list, "# nobody yet\n").unwrap();
    std::fs::write(&config, format!("[screening]\ndeny_list = {list:?}\n{}", few_chains())).unwrap();
    let service = Service::start_with(folder.path(), &["--config", config.to_str().unwrap()]);
    assert_eq!(build(&service, LISTED).await.0, 200);
    assert!(audit(&service, folder.path()).is_empty());

    std::fs::write(&list, format!("{} a mixer\n", LISTED.to_lowercase())).unwrap();
    let (status, refusal) = build(&service, LISTED).await;
    assert_eq!((status, &refusal["name"]), (403, &json!("ScreeningException")), "{refusal}");
    assert!(!refusal.to_string().contains("mixer"), "the reason is the operator's");
    let (status, refusal) = buy(&service, LISTED).await;
    assert_eq!((status, &refusal["error"]["code"]), (403, &json!("SCREENED")), "{refusal}");
    assert_eq!(build(&service, PAYER).await.0, 200, "others are served");
    assert!(matches!(buy(&service, PAYER).await.0, 200 | 201));

    let lines = audit(&service, folder.path());
    let [line] = lines.as_slice() else { panic!("hits of one wallet are one line: {lines:?}") };
    assert_eq!((&line["kind"], &line["subject"]), (&json!("screening.hit"), &json!(LISTED)));
    let detail = line["detail"].as_str().unwrap();
    for words in ["a mixer", "A purchase of", "It is the last of 2 since"] {
        assert!(detail.contains(words), "{detail}");
    }

    std::fs::write(&list, "# forgiven\n").unwrap();
    assert_eq!(build(&service, LISTED).await.0, 200);
}

#[test]
fn unreadable_deny_list_fails_the_start_and_names_the_line() {
    let folder = data_dir();
    let (list, config) = (folder.path().join("deny.txt"), folder.path().join("screened.toml"));
    std::fs::write(&list, "vitalik.eth\n").unwrap();
    std::fs::write(&config, format!("[screening]\ndeny_list = {list:?}\n[sandbox]\nenabled = false\n"))
        .unwrap();
    let ended = causeway()
        .args(["--listen", "127.0.0.1:0", "--data-dir"])
        .arg(folder.path())
        .arg("--config")
        .arg(&config)
        .output()
        .expect("the binary starts");
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && stderr.contains("line 1: `vitalik.eth` is no address"), "{stderr}");
}
