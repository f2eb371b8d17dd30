use reqwest::Method;
use serde_json::{Value, json};

use super::buyer::{Buyer, direct, start};
use crate::service::data_dir;

const SOLANA_WALLET: &str = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";

#[tokio::test]
async fn invalid_input_is_rejected_with_a_message() {
    let folder = data_dir();
    let service = start(folder.path());
    let buyer = Buyer::new(&service, 0xb1);
    for change in [
        json!({ "fiatAmount": "0" }),
        json!({ "fiatAmount": "-5" }),
        json!({ "fiatAmount": "1e3" }),
        json!({ "fiatAmount": "12.345" }),
        json!({ "fiatCurrency": "JPY", "fiatAmount": "100.5" }),
        json!({ "fiatCurrency": "XBT" }),
        json!({ "recipient": SOLANA_WALLET }),
    ] {
        let mut ask = buyer.ask(&direct());
        ask.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let (status, body) = buyer.post("/v1/fiat/quote", &ask).await;
        assert_eq!((status, &body["error"]["code"]), (400, &json!("VALIDATION_ERROR")), "{change}: {body}");
        assert!(body["details"]["issues"][0]["message"].as_str().unwrap().len() > 10, "{body}");
    }
    let mut yen = buyer.ask(&direct());
    yen["fiatCurrency"] = json!("JPY");
    let (status, body) = buyer.post("/v1/fiat/quote", &yen).await;
    assert_eq!(status, 200, "a hundred yen are an amount: {body}");
    let range = body["errors"][0]["message"].as_str().unwrap();
    assert!(range.contains("JPY") && range.contains("from"), "and too little: {range}");

    let other = json!({ "quoteId": "00".repeat(22), "author": buyer.wallet });
    assert_eq!(code(buyer.post("/v1/fiat/order", &other).await), (404, "QUOTE_INVALID".to_owned()));
    let order = buyer.order(&direct(), "sandbox-card").await;
    let (_, quote) = buyer.post("/v1/fiat/quote", &buyer.ask(&direct())).await;
    let taken = json!({ "quoteId": quote["quotes"][0]["quoteId"], "author": buyer.wallet });
    assert_eq!(buyer.post("/v1/fiat/order", &taken).await.0, 200);
    let stolen = json!({ "quoteId": quote["quotes"][0]["quoteId"], "author": SOLANA_WALLET });
    assert_eq!(code(buyer.post("/v1/fiat/order", &stolen).await), (409, "STATE_CONFLICT".to_owned()));
    let large = json!({ "quoteId": "x", "author": buyer.wallet, "metadata": { "x": "y".repeat(5 * 1024) } });
    assert_eq!(code(buyer.post("/v1/fiat/order", &large).await), (400, "VALIDATION_ERROR".to_owned()));

    let path = "/v1/fiat/orders/..%2F..%2Fetc%2Fpasswd/status";
    assert_eq!(code(buyer.get(path).await), (400, "VALIDATION_ERROR".to_owned()));
    let path = "/v1/fiat/order/%3Cscript%3E";
    assert_eq!(code(buyer.get(path).await), (404, "ORDER_NOT_FOUND".to_owned()));
    let page = buyer.send(Method::GET, "/v1/fiat/widget/%3Cscript%3Ealert(1)%3C%2Fscript%3E", None).await;
    assert_eq!(page.status(), 404);
    assert!(!page.text().await.unwrap().contains("alert(1)"));

    let forged = json!({ "order": order["orderId"], "state": "completed" });
    let answer = buyer.post("/v1/fiat/webhook/sandbox-card", &forged).await;
    assert_eq!(code(answer), (400, "WEBHOOK_REJECTED".to_owned()));
    assert_eq!(buyer.status(&order).await["status"], "created");
}

#[tokio::test]
async fn ten_megabyte_webhook_is_rejected_and_the_service_keeps_running() {
    let folder = data_dir();
    let service = start(folder.path());
    let url = format!("{}/v1/fiat/webhook/sandbox-card", service.url);
    // The server may close the connection before the whole body arrives.
    if let Ok(answer) = service.client.post(url).body(vec![b'x'; 10_000_000]).send().await {
        assert_eq!(answer.status(), 413);
    }
    let small = service.client.post(format!("{}/v1/fiat/webhook/sandbox-card", service.url)).body("{}");
    assert_eq!(small.send().await.unwrap().status(), 400);
}

fn code((status, body): (u16, Value)) -> (u16, String) {
    (status, body["error"]["code"].as_str().unwrap_or_default().to_owned())
}
