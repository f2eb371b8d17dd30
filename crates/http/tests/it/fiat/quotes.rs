use axum::body::Body;
use axum::http::Request;
use causeway_testing::sample::{WALLET, usdc};
use serde_json::{Value, json};

use super::{fixture, jump, with};
use crate::service::{bytes, send};

macro_rules! assert_quotes {
    ($answer:expr) => {
        insta::assert_json_snapshot!($answer, {
            ".**.quoteId" => "[id]", ".**.routeId" => "[sealed]", ".**.expiresAt" => "[time]", ".**.validBefore" => "[time]", ".**.quoteExpiresAt" => "[time]",
        })
    };
}

#[tokio::test]
async fn providers_and_configuration_match_the_contract() {
    let fixture = fixture();
    insta::assert_json_snapshot!("providers", fixture.get_json("/v1/fiat/providers").await.1);
    insta::assert_json_snapshot!("config", fixture.get_json("/v1/fiat/config").await.1);
}

#[tokio::test]
async fn direct_quotes_are_sorted_best_first_and_failed_providers_are_listed_in_errors() {
    let (status, answer) = fixture().post("/v1/fiat/quote", &super::ask()).await;
    assert_eq!(status, 200);
    assert_quotes!(answer);
}

#[tokio::test]
async fn expires_at_is_in_unix_seconds() {
    let (_, answer) = fixture().post("/v1/fiat/quote", &super::ask()).await;
    let left = answer["quotes"][0]["expiresAt"].as_i64().unwrap() - jiff::Timestamp::now().as_second();
    assert!((0..=60).contains(&left), "{left}");
}

#[tokio::test]
async fn jump_lists_the_swap_routes_best_first() {
    let (status, answer) = fixture().post("/v1/fiat/quote", &with(&jump())).await;
    assert_eq!(status, 200);
    assert_quotes!(answer);
}

#[tokio::test]
async fn newer_field_names_are_accepted() {
    let fixture = fixture();
    let newer = json!({
        "fiatCurrency": "USD", "cryptoAmount": "50000000",
        "outputAsset": { "chainId": 8453, "address": usdc().address().to_string() }, "walletAddress": WALLET,
    });
    let (status, answer) = fixture.post("/v1/fiat/quote", &newer).await;
    assert_eq!(status, 200, "{answer}");
    let quotes = answer["quotes"].as_array().unwrap();
    assert_eq!(quotes.len(), 2);
    for quote in quotes {
        assert_eq!(quote["cryptoAmount"], "50000000", "exactly what was asked for");
    }
    assert_eq!(quotes[0]["fiatAmount"], "51.00", "who takes least comes first");
}

#[tokio::test]
async fn shown_fees_add_up_to_the_total() {
    let quote = fixture().quote(&json!({ "provider": "sandbox-card" })).await;
    let cents = |text: &Value| text.as_str().unwrap().replace('.', "").parse::<u64>().unwrap();
    let sum: u64 = quote["fees"].as_array().unwrap().iter().map(|fee| cents(&fee["amount"])).sum();
    assert_eq!(sum, cents(&quote["totalFee"]));
    assert_eq!(quote["totalFee"], "3.50");
}

#[tokio::test]
async fn amount_out_of_range_error_states_the_range() {
    let (status, answer) = fixture().post("/v1/fiat/quote", &with(&json!({ "fiatAmount": "5" }))).await;
    assert_eq!(status, 200);
    assert_eq!(answer["quotes"], json!([]));
    let card = answer["errors"]
        .as_array()
        .unwrap()
        .iter()
        .find(|error| error["provider"] == "sandbox-card")
        .unwrap();
    let message = card["message"].as_str().unwrap();
    assert!(message.contains("10.00") && message.contains("1000.00 USD"), "{message}");
    assert_eq!(card["retryable"], false);
}

#[tokio::test]
async fn stream_has_one_line_per_provider() {
    let request =
        Request::post("/v1/fiat/quote?mode=stream").body(Body::from(super::ask().to_string())).unwrap();
    let response = send(fixture().router, request).await;
    assert_eq!(response.headers()["content-type"], "application/x-ndjson");
    let body = String::from_utf8(bytes(response).await).unwrap();
    let lines: Vec<Value> = body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    for line in &lines {
        let line = line.as_object().unwrap();
        assert!(line.len() == 1 && (line.contains_key("quote") || line.contains_key("error")), "{line:?}");
    }
    assert_eq!(lines.iter().filter(|line| line.get("quote").is_some()).count(), 2);
}
