use std::sync::atomic::Ordering;

use causeway_domain::fiat::{FiatFailure, FiatFailureSource, FiatStatus, Payout};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::till::FakeTill;
use super::{jump, purchase, shop, shop_with, with};
use crate::sample::{WALLET, raw, usdc};

#[tokio::test]
async fn an_order_answers_both_generations() {
    let shop = shop();
    insta::assert_json_snapshot!(shop.order(None).await, {
        ".orderId" => "[id]", ".widgetUrl" => "[url]", ".wrapperUrl" => "[url]", ".action.url" => "[url]",
    });
}

#[tokio::test]
async fn the_same_quote_twice_is_the_same_order_and_somebody_elses_is_refused() {
    let shop = shop();
    let quote = shop.quote(&json!({})).await;
    let ask = json!({ "quoteId": quote["quoteId"], "author": WALLET });
    let (_, first) = shop.post("/v1/fiat/order", &ask).await;
    let (status, second) = shop.post("/v1/fiat/order", &ask).await;
    assert_eq!((status, &second), (200, &first));
    let inside = json!({ "quoteId": quote["quoteId"], "metadata": { "author": WALLET } });
    assert_eq!(shop.post("/v1/fiat/order", &inside).await.1, first);
    let other =
        json!({ "quoteId": quote["quoteId"], "author": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" });
    let (status, body) = shop.post("/v1/fiat/order", &other).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("STATE_CONFLICT")));
    insta::assert_json_snapshot!("somebody_elses_quote", body);
}

#[tokio::test]
async fn a_new_order_waits_for_its_payer() {
    let shop = shop();
    let order = shop.order(None).await;
    let id = order["orderId"].as_str().unwrap();
    let (_, status) = shop.get_json(&format!("/v1/fiat/orders/{id}/status")).await;
    insta::assert_json_snapshot!(status, { ".orderId" => "[id]" });
    let (_, view) = shop.get_json(&format!("/v1/fiat/order/{id}")).await;
    assert_eq!(view["action"]["url"], order["wrapperUrl"]);
    assert_eq!(view["terminal"], false);
}

#[tokio::test]
async fn rule_16_a_jumps_view_carries_its_terms_and_its_deposit_address() {
    let shop = shop();
    let quote = shop.quote(&jump()).await;
    let ask =
        json!({ "quoteId": quote["quoteId"], "author": WALLET, "routeId": quote["routes"][1]["routeId"] });
    let (status, order) = shop.post("/v1/fiat/order", &ask).await;
    assert_eq!(status, 200, "{order}");
    let (_, view) = shop.get_json(&format!("/v1/fiat/order/{}", order["orderId"].as_str().unwrap())).await;
    insta::assert_json_snapshot!(view, {
        ".orderId" => "[id]", ".action.url" => "[url]", ".depositAddress" => "[address]", ".terms.nonce" => "[nonce]",
        ".terms.expiry" => "[time]", ".recovery.refundAfter" => "[time]", ".createdAt" => "[time]", ".updatedAt" => "[time]",
    });
    assert_eq!(view["expectedOutputAmount"], "26000000000000000", "of the route that was chosen");
    let other =
        json!({ "quoteId": shop.quote(&jump()).await["quoteId"], "author": WALLET, "routeId": "elsewhere" });
    let (status, body) = shop.post("/v1/fiat/order", &other).await;
    assert_eq!((status, &body["details"]["issues"][0]["path"]), (400, &json!("routeId")));
}

#[tokio::test]
async fn ends_tell_what_they_are_and_ask_for_no_more_polling() {
    let mut completed = purchase(1, FiatStatus::Completed);
    let tx = format!("0x{}", "5c".repeat(32));
    completed.payout = Some(Payout { token: usdc(), tx: tx.clone(), index: 0, amount: raw(96_500_000) });
    completed.output = Some(raw(96_500_000));
    completed.fill_tx = Some(tx);
    let mut failed = purchase(2, FiatStatus::Failed);
    failed.failure = Some(FiatFailure {
        code: "payment_declined".to_owned(),
        source: FiatFailureSource::Provider,
        words: "The card was declined.".to_owned(),
    });
    let shop = shop_with(FakeTill::with(vec![completed, failed]), None);
    for (n, name) in [(1, "completed"), (2, "failed")] {
        let (_, status) = shop.get_json(&format!("/v1/fiat/orders/{n:032x}/status")).await;
        insta::assert_json_snapshot!(format!("status_{name}"), status);
        let (_, view) = shop.get_json(&format!("/v1/fiat/order/{n:032x}")).await;
        insta::assert_json_snapshot!(format!("view_{name}"), view);
    }
}

#[tokio::test]
async fn history_is_newest_first_and_paged() {
    let orders = (1..=5).map(|n| purchase(n, if n == 3 { FiatStatus::Expired } else { FiatStatus::Created }));
    let shop = shop_with(FakeTill::with(orders.collect()), None);
    let ids = |page: &Value| -> Vec<u64> {
        let data = page["data"].as_array().unwrap().iter();
        data.map(|order| u64::from_str_radix(order["orderId"].as_str().unwrap(), 16).unwrap()).collect()
    };
    let base = format!("/v1/fiat/orders/by-address/{}", WALLET.to_lowercase());
    let (status, first) = shop.get_json(&format!("{base}?limit=2")).await;
    assert_eq!((status, ids(&first)), (200, vec![5, 4]));
    let (_, second) = shop.get_json(&format!("{base}?limit=2&cursor={}", first["cursor"])).await;
    assert_eq!(ids(&second), [3, 2]);
    let (_, last) = shop.get_json(&format!("{base}?limit=2&cursor={}", second["cursor"])).await;
    assert_eq!((ids(&last), &last["cursor"]), (vec![1], &Value::Null));
    let (_, expired) = shop.get_json(&format!("{base}?status=expired")).await;
    insta::assert_json_snapshot!(expired);
    let (status, body) = shop.get_json(&format!("{base}?status=lost&limit=x&cursor=y")).await;
    assert_eq!((status, body["details"]["issues"].as_array().unwrap().len()), (400, 3));
}

#[tokio::test]
async fn force_asks_the_provider_and_not_without_end() {
    let mut waiting = purchase(1, FiatStatus::Created);
    waiting.pay_by = Timestamp::now() + SignedDuration::from_hours(1);
    let shop = shop_with(FakeTill::with(vec![waiting]), None);
    let path = format!("/v1/fiat/orders/{:032x}/status", 1);
    let asked = || shop.card.looks.load(Ordering::Relaxed);
    assert_eq!(shop.get_json(&format!("{path}?force=false")).await.0, 200);
    assert_eq!(asked(), 0);
    for _ in 0..3 {
        let (status, body) = shop.get_json(&format!("{path}?force=true")).await;
        assert_eq!(status, 200, "{body}");
    }
    assert!(asked() >= 3);
    let response = shop.get(&format!("{path}?force=true")).await;
    assert!(response.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    let (status, body) = super::read(response).await;
    assert_eq!(
        (status, &body["error"]["code"], &body["error"]["retryable"]),
        (429, &json!("RATE_LIMITED"), &json!(true))
    );
    assert_eq!(shop.get_json(&path).await.0, 200, "our own record is always told");
    assert_eq!(shop.get_json(&format!("{path}?force=yes")).await.0, 400);
}

#[tokio::test]
async fn metadata_is_kept_as_it_came() {
    let shop = shop();
    let quote = shop.quote(&with(&json!({}))).await;
    let ask = json!({ "quoteId": quote["quoteId"], "author": WALLET, "metadata": { "cart": "<b>7</b>" } });
    assert_eq!(shop.post("/v1/fiat/order", &ask).await.0, 200);
    let kept = shop.till.orders.lock().unwrap()[0].metadata.clone();
    assert_eq!(kept.as_deref(), Some(r#"{"cart":"<b>7</b>"}"#));
}
