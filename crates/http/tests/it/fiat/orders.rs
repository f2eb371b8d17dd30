use std::sync::atomic::Ordering;

use causeway_domain::fiat::{FiatFailure, FiatFailureSource, FiatStatus, Payout};
use causeway_testing::MemoryStore;
use causeway_testing::sample::{WALLET, raw, usdc};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{fixture, fixture_with, jump, purchase, with};

#[tokio::test]
async fn order_response_serves_old_and_new_clients() {
    let fixture = fixture();
    insta::assert_json_snapshot!(fixture.order(None).await, {
        ".orderId" => "[id]", ".widgetUrl" => "[url]", ".wrapperUrl" => "[url]", ".action.url" => "[url]",
    });
}

#[tokio::test]
async fn same_quote_twice_is_the_same_order_and_another_author_is_rejected() {
    let fixture = fixture();
    let quote = fixture.quote(&json!({})).await;
    let ask = json!({ "quoteId": quote["quoteId"], "author": WALLET });
    let (_, first) = fixture.post("/v1/fiat/order", &ask).await;
    let (status, second) = fixture.post("/v1/fiat/order", &ask).await;
    assert_eq!((status, &second), (200, &first));
    let inside = json!({ "quoteId": quote["quoteId"], "metadata": { "author": WALLET } });
    assert_eq!(fixture.post("/v1/fiat/order", &inside).await.1, first);
    let other =
        json!({ "quoteId": quote["quoteId"], "author": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" });
    let (status, body) = fixture.post("/v1/fiat/order", &other).await;
    assert_eq!((status, &body["error"]["code"]), (409, &json!("STATE_CONFLICT")));
    insta::assert_json_snapshot!("somebody_elses_quote", body);
}

#[tokio::test]
async fn new_order_waits_for_payment() {
    let fixture = fixture();
    let order = fixture.order(None).await;
    let id = order["orderId"].as_str().unwrap();
    let (_, status) = fixture.get_json(&format!("/v1/fiat/orders/{id}/status")).await;
    insta::assert_json_snapshot!(status, { ".orderId" => "[id]" });
    let (_, view) = fixture.get_json(&format!("/v1/fiat/order/{id}")).await;
    assert_eq!(view.get("action"), None, "anybody may ask for an id");
    let (_, token) = order["wrapperUrl"].as_str().unwrap().split_once('?').unwrap();
    let (_, view) = fixture.get_json(&format!("/v1/fiat/order/{id}?{token}")).await;
    assert_eq!(view["action"]["url"], order["wrapperUrl"]);
    assert_eq!(view["terminal"], false);
}

#[tokio::test]
async fn rule_16_view_of_a_jump_has_its_terms_and_deposit_address() {
    let fixture = fixture();
    let quote = fixture.quote(&jump()).await;
    let ask =
        json!({ "quoteId": quote["quoteId"], "author": WALLET, "routeId": quote["routes"][1]["routeId"] });
    let (status, order) = fixture.post("/v1/fiat/order", &ask).await;
    assert_eq!(status, 200, "{order}");
    let (_, view) = fixture.get_json(&format!("/v1/fiat/order/{}", order["orderId"].as_str().unwrap())).await;
    insta::assert_json_snapshot!(view, {
        ".orderId" => "[id]", ".action.url" => "[url]", ".depositAddress" => "[address]", ".terms.nonce" => "[nonce]",
        ".terms.expiry" => "[time]", ".recovery.refundAfter" => "[time]", ".createdAt" => "[time]", ".updatedAt" => "[time]",
    });
    assert_eq!(view["expectedOutputAmount"], "26000000000000000", "of the route that was chosen");
    let other = json!({ "quoteId": fixture.quote(&jump()).await["quoteId"], "author": WALLET, "routeId": "elsewhere" });
    let (status, body) = fixture.post("/v1/fiat/order", &other).await;
    assert_eq!((status, &body["details"]["issues"][0]["path"]), (400, &json!("routeId")));
}

#[tokio::test]
async fn terminal_orders_have_their_outcome_and_stop_polling() {
    let mut completed = purchase(1, FiatStatus::Completed);
    let tx = format!("0x{}", "5c".repeat(32));
    completed.payout = Some(Payout { token: usdc(), tx: tx.clone(), index: 0, amount: raw(96_500_000) });
    completed.output = Some(raw(96_500_000));
    completed.fill_tx = Some(tx);
    let mut failed = purchase(2, FiatStatus::Failed);
    failed.failure = Some(FiatFailure {
        code: "payment_declined".to_owned(),
        source: FiatFailureSource::Provider,
        message: "The card was declined.".to_owned(),
    });
    let fixture = fixture_with(MemoryStore::with_fiat_orders(vec![completed, failed]), None);
    for (n, name) in [(1, "completed"), (2, "failed")] {
        let (_, status) = fixture.get_json(&format!("/v1/fiat/orders/{n:032x}/status")).await;
        insta::assert_json_snapshot!(format!("status_{name}"), status);
        let (_, view) = fixture.get_json(&format!("/v1/fiat/order/{n:032x}")).await;
        insta::assert_json_snapshot!(format!("view_{name}"), view);
    }
}

#[tokio::test]
async fn history_is_newest_first_and_paged() {
    let orders = (1..=5).map(|n| purchase(n, if n == 3 { FiatStatus::Expired } else { FiatStatus::Created }));
    let fixture = fixture_with(MemoryStore::with_fiat_orders(orders.collect()), None);
    let ids = |page: &Value| -> Vec<u64> {
        let data = page["data"].as_array().unwrap().iter();
        data.map(|order| u64::from_str_radix(order["orderId"].as_str().unwrap(), 16).unwrap()).collect()
    };
    let base = format!("/v1/fiat/orders/by-address/{}", WALLET.to_lowercase());
    let (status, first) = fixture.get_json(&format!("{base}?limit=2")).await;
    assert_eq!((status, ids(&first)), (200, vec![5, 4]));
    for order in first["data"].as_array().unwrap() {
        assert!(order.get("action").is_none(), "no checkout page for whoever knows the address: {order}");
    }
    let (_, second) = fixture.get_json(&format!("{base}?limit=2&cursor={}", first["cursor"])).await;
    assert_eq!(ids(&second), [3, 2]);
    let (_, last) = fixture.get_json(&format!("{base}?limit=2&cursor={}", second["cursor"])).await;
    assert_eq!((ids(&last), &last["cursor"]), (vec![1], &Value::Null));
    let (_, expired) = fixture.get_json(&format!("{base}?status=expired")).await;
    insta::assert_json_snapshot!(expired);
    let (status, body) = fixture.get_json(&format!("{base}?status=lost&limit=x&cursor=y")).await;
    assert_eq!((status, body["details"]["issues"].as_array().unwrap().len()), (400, 3));
}

#[tokio::test]
async fn force_queries_the_provider_and_is_rate_limited() {
    let mut waiting = purchase(1, FiatStatus::Created);
    waiting.pay_by = Timestamp::now() + SignedDuration::from_hours(1);
    let fixture = fixture_with(MemoryStore::with_fiat_orders(vec![waiting]), None);
    let path = format!("/v1/fiat/orders/{:032x}/status", 1);
    let asked = || fixture.card.lookups.load(Ordering::Relaxed);
    assert_eq!(fixture.get_json(&format!("{path}?force=false")).await.0, 200);
    assert_eq!(asked(), 0);
    for _ in 0..3 {
        let (status, body) = fixture.get_json(&format!("{path}?force=true")).await;
        assert_eq!(status, 200, "{body}");
    }
    assert!(asked() >= 3);
    let response = fixture.get(&format!("{path}?force=true")).await;
    assert!(response.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    let (status, body) = super::read(response).await;
    assert_eq!(
        (status, &body["error"]["code"], &body["error"]["retryable"]),
        (429, &json!("RATE_LIMITED"), &json!(true))
    );
    assert_eq!(fixture.get_json(&path).await.0, 200, "the stored status is always available");
    assert_eq!(fixture.get_json(&format!("{path}?force=yes")).await.0, 400);
}

#[tokio::test]
async fn metadata_is_stored_unchanged() {
    let fixture = fixture();
    let quote = fixture.quote(&with(&json!({}))).await;
    let ask = json!({ "quoteId": quote["quoteId"], "author": WALLET, "metadata": { "cart": "<b>7</b>" } });
    assert_eq!(fixture.post("/v1/fiat/order", &ask).await.0, 200);
    let kept = fixture.store.fiat_orders.lock().unwrap()[0].metadata.clone();
    assert_eq!(kept.as_deref(), Some(r#"{"cart":"<b>7</b>"}"#));
}
