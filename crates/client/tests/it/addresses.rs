//! The shared tables of token identifiers and QR code addresses.

use causeway_client::{Client, QrDeposit, TokenIdentifier};
use serde_json::Value;

use crate::call::transfer_qr;

fn table(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn rows<'a>(table: &'a Value, name: &str) -> &'a Vec<Value> {
    table[name].as_array().unwrap()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

#[test]
fn token_identifiers_are_those_of_the_table() {
    let table = table(include_str!("../../../../tests/cases/token-identifiers.json"));
    for row in rows(&table, "good") {
        let token: TokenIdentifier = row["input"].as_str().unwrap().parse().unwrap();
        assert_eq!(serde_json::to_value(&token).unwrap(), row["token"], "{row}");
        assert_eq!(token.to_string().parse(), Ok(token));
    }
    for input in rows(&table, "bad") {
        assert!(input.as_str().unwrap().parse::<TokenIdentifier>().is_err(), "{input}");
    }
}

#[test]
fn qr_codes_are_where_the_table_says() {
    let table = table(include_str!("../../../../tests/cases/qr.json"));
    for row in rows(&table, "clients") {
        let of = |name: &str| text(&row["client"][name]);
        let mut builder = Client::builder(&of("baseUrl").unwrap());
        if let Some(url) = of("embedUrl") {
            builder = builder.embed_url(&url);
        }
        if let Some(url) = of("qrCodeApiUrl") {
            builder = builder.qr_url(&url);
        }
        assert_eq!(builder.build().unwrap().qr_code_url("x", None), row["url"], "{row}");
    }
    let client = Client::new("http://swap.example").unwrap();
    for row in rows(&table, "transfers") {
        assert_eq!(client.transfer_qr_code_url(&transfer_qr(&row["transfer"])), row["url"], "{row}");
    }
    for row in rows(&table, "deposits") {
        let of = |name: &str| text(&row["deposit"][name]);
        let deposit = QrDeposit {
            deposit_address: of("depositAddress").unwrap(),
            qr_image_url: of("qrImageUrl"),
            payment_uri: of("paymentUri"),
            qr_payload: of("qrPayload"),
            amount: of("amount"),
            caip2: of("caip2"),
            token: of("token"),
            decimals: row["deposit"]["decimals"].as_u64().map(|decimals| decimals.try_into().unwrap()),
            memo: of("memo"),
        };
        let size = row["size"].as_u64().map(|size| size.try_into().unwrap());
        assert_eq!(client.deposit_qr_code_url(&deposit, size), row["url"], "{row}");
    }
}

/// The specification's default.
#[tokio::test(start_paused = true)]
async fn request_ends_after_15_seconds_by_default() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let started = tokio::time::Instant::now();
    let error = client.chains().await.unwrap_err();
    assert_eq!(
        (error.code(), error.to_string().as_str()),
        ("SVC3002", "The service did not answer within 15000 ms.")
    );
    assert_eq!(started.elapsed().as_secs(), 15);
}
