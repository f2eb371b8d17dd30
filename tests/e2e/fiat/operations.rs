use reqwest::Method;
use serde_json::{Value, json};

use super::buyer::{Buyer, DECLINED_CARD, GOOD_CARD, direct, forwarded, id, start};
use crate::service::data_dir;

#[tokio::test]
async fn every_operation_answers_and_a_purchase_reaches_the_wallet() {
    let folder = data_dir();
    let service = start(folder.path());
    let buyer = Buyer::new(&service, 0xa1);

    let (_, providers) = buyer.get("/v1/fiat/providers").await;
    let names: Vec<&str> =
        providers["providers"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["sandbox-card", "sandbox-bank"]);
    let (_, config) = buyer.get("/v1/fiat/config").await;
    assert_eq!((&config["contractVersion"], &config["basePath"]), (&json!(1), &json!("/v1/fiat")));
    assert_eq!(config["jump"]["enabled"], true);

    let (status, quotes) = buyer.post("/v1/fiat/quote", &buyer.ask(&direct())).await;
    assert_eq!(status, 200);
    let outputs: Vec<u64> = quotes["quotes"].as_array().unwrap().iter().map(output).collect();
    assert!(outputs.len() == 2 && outputs[0] > outputs[1], "comparison is real: {outputs:?}");

    let lines = buyer
        .send(Method::POST, "/v1/fiat/quote?mode=stream", Some(buyer.ask(&forwarded()).to_string()))
        .await;
    let lines = lines.text().await.unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().filter(|line| line["quote"]["swapStrategy"] == "jump").count(), 2, "{lines:?}");

    let order = buyer.order(&direct(), "sandbox-card").await;
    assert_eq!(order["action"], json!({ "type": "wrapper", "url": order["wrapperUrl"] }));
    assert_eq!(buyer.status(&order).await["progress"], "awaiting_payment");
    let page = service.client.get(order["wrapperUrl"].as_str().unwrap()).send().await.unwrap();
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("script-src 'nonce-"));
    assert!(page.text().await.unwrap().contains("<iframe id=\"checkout\""));

    buyer.pay(&order, GOOD_CARD).await;
    let ended = buyer.end(&order).await;
    assert_eq!(
        (&ended["status"], &ended["polling"]["suggestedIntervalMs"]),
        (&json!("completed"), &json!(0))
    );
    let view = buyer.view(&order).await;
    assert_eq!(view["transferTxHash"], ended["fillTxHash"], "the provider itself delivered");
    let has = buyer.balance(&direct(), &buyer.wallet.to_string()).await;
    assert_eq!(has.to_string(), view["outputAmount"]);

    let declined = buyer.order(&direct(), "sandbox-card").await;
    buyer.pay(&declined, DECLINED_CARD).await;
    let ended = buyer.end(&declined).await;
    assert_eq!((&ended["status"], &ended["errorReason"]), (&json!("failed"), &json!("payment_declined")));
    assert!(ended["failedReason"].is_string());

    let (_, history) = buyer.get(&format!("/v1/fiat/orders/by-address/{}?limit=1", buyer.wallet)).await;
    assert_eq!(history["data"][0]["orderId"], declined["orderId"], "newest first");
    let path = format!("/v1/fiat/orders/by-address/{}?limit=1&cursor={}", buyer.wallet, history["cursor"]);
    assert_eq!(buyer.get(&path).await.1["data"][0]["orderId"], order["orderId"]);
    let path = format!("/v1/fiat/orders/by-address/{}?status=failed", buyer.wallet);
    assert_eq!(buyer.get(&path).await.1["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn forwarding_order_delivers_a_token_no_provider_sells() {
    let folder = data_dir();
    let service = start(folder.path());
    let buyer = Buyer::new(&service, 0xa2);
    let order = buyer.order(&forwarded(), "sandbox-card").await;
    let view = buyer.view(&order).await;
    assert_eq!(view["terms"]["originChainId"], "8453");
    let address = view["depositAddress"].as_str().unwrap().to_owned();
    buyer.pay(&order, GOOD_CARD).await;
    let ended = buyer.end(&order).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    let view = buyer.view(&order).await;
    assert_ne!(
        view["transferTxHash"], view["fillTxHash"],
        "the provider paid on one chain, the filler on another"
    );
    let swap = buyer.get(&format!("/v1/orders/by-id/{}", ended["swapOrderId"].as_str().unwrap())).await.1;
    assert_eq!((&swap["status"], &swap["recipient"]), (&json!("filled"), &json!(buyer.wallet.to_string())));
    assert_eq!(
        buyer.balance(&forwarded(), &buyer.wallet.to_string()).await.to_string(),
        view["outputAmount"]
    );
    assert!(
        buyer.balance(&direct(), &address).await.is_zero(),
        "nothing is left at {address} of {}",
        id(&order)
    );
}

fn output(quote: &Value) -> u64 {
    quote["expectedOutputAmount"].as_str().unwrap().parse().unwrap()
}
