//! Requests with API keys, and the operator API that makes and revokes them.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use causeway_domain::ports::Filler;
use causeway_domain::{Referral, RouteSeal};
use causeway_http::ApiKeys;
use causeway_testing::MemoryStore;
use causeway_testing::sample::quote_keys;
use serde_json::{Value, json};

use crate::filler::{FakeFiller, FillerBehavior};
use crate::operator_services::{READ_TOKEN, TOKEN};
use crate::service::{Service, json as body_json, send};

const REFERRER: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/// Replicas of one service.
struct Replicas {
    here: Router,
    there: Router,
}

fn replicas(api_keys: ApiKeys) -> Replicas {
    let ledger: Arc<MemoryStore> = Arc::default();
    let router = || {
        let north = FakeFiller::new("north", FillerBehavior::Offers("3500000000"), 0);
        let fillers = vec![north as Arc<dyn Filler>];
        Service { ledger: Arc::clone(&ledger), fillers, api_keys, ..Service::default() }.router()
    };
    Replicas { here: router(), there: router() }
}

async fn call(router: &Router, request: Request<Body>) -> (u16, Value) {
    let response = send(router.clone(), request).await;
    (response.status().as_u16(), body_json(response).await)
}

async fn operate(router: &Router, method: &str, path: &str, token: &str, body: &Value) -> (u16, Value) {
    let request = Request::builder().method(method).uri(format!("/operator/integrators{path}"));
    let request = request.header("authorization", format!("Bearer {token}"));
    call(router, request.body(Body::from(body.to_string())).unwrap()).await
}

/// A new integrator's key.
async fn key(router: &Router, body: &Value) -> String {
    let (status, answer) = operate(router, "POST", "", TOKEN, body).await;
    assert_eq!(status, 200, "{answer}");
    answer["key"].as_str().unwrap().to_owned()
}

fn ask() -> Value {
    json!({
        "tradeType": "EXACT_INPUT",
        "fromChainId": 1, "fromToken": "0x0000000000000000000000000000000000000000",
        "toChainId": 8453, "toToken": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "amount": "1000000000000000000", "fromAddress": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    })
}

fn keyed(method: &str, path: &str, key: Option<&str>, body: &Value) -> Request<Body> {
    let request = Request::builder().method(method).uri(path).header("x-integrator-id", "page-00ff00ff");
    let request = match key {
        Some(key) => request.header("x-api-key", key),
        None => request,
    };
    request.body(if body.is_null() { Body::empty() } else { Body::from(body.to_string()) }).unwrap()
}

async fn quote(router: &Router, key: Option<&str>, ask: &Value) -> (u16, Value) {
    call(router, keyed("POST", "/v1/quotes", key, ask)).await
}

/// What the first route is sealed with.
fn sealed(answer: &Value) -> (Option<Referral>, Option<String>) {
    let id = answer["quoteId"].as_str().unwrap().parse().unwrap();
    let route = answer["routes"][0]["routeId"].as_str().unwrap().parse().unwrap();
    let terms = RouteSeal::new(&quote_keys()).open(&id, &route).unwrap();
    (terms.referral, terms.integrator)
}

#[tokio::test]
async fn quotes_with_a_key_have_its_referrer_and_fee_and_belong_to_its_integrator() {
    let Replicas { here, .. } = replicas(ApiKeys::Optional);
    let shop = key(&here, &json!({ "name": "shop", "referrers": [REFERRER], "feeBps": 25 })).await;
    let (status, answer) = quote(&here, Some(&shop), &ask()).await;
    assert_eq!(status, 200, "{answer}");
    let (referral, integrator) = sealed(&answer);
    let referral = referral.unwrap();
    assert_eq!((referral.referrer.to_string().as_str(), referral.fee_bps()), (REFERRER, 25));
    assert_eq!(integrator.as_deref(), Some("shop"), "and not what its header says");

    let mut same = ask();
    same["referrer"] = json!(REFERRER);
    same["referrerFeeBps"] = json!(25);
    assert_eq!(quote(&here, Some(&shop), &same).await.0, 200);
    for (referrer, fee) in [(REFERRER, 26), ("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", 25)] {
        let mut other = ask();
        other["referrer"] = json!(referrer);
        other["referrerFeeBps"] = json!(fee);
        let (status, answer) = quote(&here, Some(&shop), &other).await;
        assert_eq!((status, &answer["name"]), (400, &json!("ValidationException")), "{answer}");
        let words = answer["details"]["issues"][0]["message"].as_str().unwrap();
        assert!(words.contains("shop is bound to") && words.contains("25 basis points"), "{words}");
        assert_eq!(quote(&here, None, &other).await.0, 200, "anybody may name a referrer without a key");
    }
    let plain = key(&here, &json!({ "name": "plain" })).await;
    let (_, answer) = quote(&here, Some(&plain), &same).await;
    assert_eq!(sealed(&answer).0.map(Referral::fee_bps), Some(25), "a key without a referrer binds to none");
    let (_, answer) = quote(&here, None, &ask()).await;
    assert_eq!(sealed(&answer), (None, Some("page-00ff00ff".to_owned())));
}

#[tokio::test]
async fn keys_are_checked_wherever_they_are_sent_and_ignored_where_they_are_off() {
    let fiat = || keyed("GET", "/v1/fiat/providers", None, &Value::Null);
    for (api_keys, without, wrong) in
        [(ApiKeys::Off, 200, 200), (ApiKeys::Optional, 200, 401), (ApiKeys::Required, 401, 401)]
    {
        let Replicas { here, .. } = replicas(api_keys);
        assert_eq!(quote(&here, None, &ask()).await.0, without, "{api_keys:?}");
        assert_eq!(quote(&here, Some("cwk_made_up"), &ask()).await.0, wrong, "{api_keys:?}");
        assert_eq!(call(&here, fiat()).await.0, without, "{api_keys:?}");
        let chains = keyed("GET", "/v1/chains", None, &Value::Null);
        assert_eq!(call(&here, chains).await.0, 200, "reading needs no key");
        let submit = keyed("PUT", "/v1/deposit/submit", None, &json!({}));
        assert_eq!(call(&here, submit).await.0, 400, "a submit needs no key");
    }
    let Replicas { here, .. } = replicas(ApiKeys::Required);
    let (_, answer) = quote(&here, None, &ask()).await;
    assert_eq!(answer["name"], "UnauthorizedException");
    assert!(answer["message"].as_str().unwrap().contains("x-api-key"), "{answer}");
    let (_, answer) = call(&here, fiat()).await;
    assert_eq!(answer["error"]["code"], "UNAUTHORIZED", "{answer}");
}

#[tokio::test]
async fn a_key_is_good_for_its_scopes_alone() {
    let Replicas { here, .. } = replicas(ApiKeys::Optional);
    let reader = key(&here, &json!({ "name": "reader", "scopes": ["quotes"] })).await;
    assert_eq!(quote(&here, Some(&reader), &ask()).await.0, 200);
    for (method, path, scope) in
        [("POST", "/v1/deposit/build", "builds"), ("GET", "/v1/fiat/providers", "fiat")]
    {
        let (status, answer) = call(&here, keyed(method, path, Some(&reader), &json!({}))).await;
        assert_eq!(status, 401, "{path}: {answer}");
        let expected = format!("lacks the scope `{scope}`");
        assert!(answer["message"].as_str().unwrap().contains(&expected), "{answer}");
    }
}

#[tokio::test]
async fn two_keys_are_valid_while_one_is_rotated_and_a_revoked_one_is_refused_on_every_replica() {
    let Replicas { here, there } = replicas(ApiKeys::Required);
    let first = key(&here, &json!({ "name": "shop" })).await;
    let keep = json!({ "keepOldSeconds": 3600 });
    let (status, answer) = operate(&here, "POST", "/shop/keys", TOKEN, &keep).await;
    assert_eq!(status, 200, "{answer}");
    let second = answer["key"].as_str().unwrap().to_owned();
    for key in [&first, &second] {
        assert_eq!(quote(&here, Some(key), &ask()).await.0, 200);
    }
    let (status, answer) = operate(&here, "POST", "/shop/keys", TOKEN, &keep).await;
    assert_eq!((status, &answer["name"]), (400, &json!("BadRequestException")), "{answer}");

    // A list synchronizes as the ticker does each second.
    let (_, list) = operate(&there, "GET", "", TOKEN, &Value::Null).await;
    let shown = |list: &Value| {
        let keys = list["data"][0]["keys"].as_array().unwrap();
        keys.iter().map(|key| key["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown(&list), ["valid", "valid"]);
    assert!(!list.to_string().contains(&first[13..]), "a key is shown once");
    assert_eq!(quote(&there, Some(&first), &ask()).await.0, 200);

    let id = &first[4..12];
    let (status, answer) = operate(&here, "DELETE", &format!("/shop/keys/{id}"), TOKEN, &Value::Null).await;
    assert_eq!((status, &answer["revoked"]), (200, &json!(1)), "{answer}");
    assert_eq!(quote(&here, Some(&first), &ask()).await.0, 401);
    let (_, list) = operate(&there, "GET", "", TOKEN, &Value::Null).await;
    assert_eq!(shown(&list), ["revoked", "valid"]);
    assert_eq!(quote(&there, Some(&first), &ask()).await.0, 401);
    assert_eq!(quote(&there, Some(&second), &ask()).await.0, 200);
    assert_eq!(operate(&here, "DELETE", "/shop", TOKEN, &Value::Null).await.1["revoked"], 1);
    assert_eq!(quote(&here, Some(&second), &ask()).await.0, 401);
    assert_eq!(operate(&here, "DELETE", "/shop", TOKEN, &Value::Null).await.0, 404);
}

#[tokio::test]
async fn a_quota_ends_the_quotes_of_the_day_with_the_time_until_the_next() {
    let Replicas { here, .. } = replicas(ApiKeys::Optional);
    let shop = key(&here, &json!({ "name": "shop", "quotesPerDay": 2 })).await;
    let mut refused = None;
    // Midnight may come in between.
    for _ in 0..6 {
        let response = send(here.clone(), keyed("POST", "/v1/quotes", Some(&shop), &ask())).await;
        if response.status() == 429 {
            refused = Some(response);
            break;
        }
    }
    let refused = refused.expect("the quota is used up");
    let wait: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&wait), "{wait}");
    let answer = body_json(refused).await;
    assert_eq!(answer["name"], "RateLimitedException");
    assert!(answer["message"].as_str().unwrap().contains("shop has no more quotes today"), "{answer}");
    let (_, list) = operate(&here, "GET", "", TOKEN, &Value::Null).await;
    assert!(list["data"][0]["quotesToday"].as_u64().unwrap() <= 2, "{list}");
    assert_eq!(quote(&here, None, &ask()).await.0, 200, "others are not concerned");
}

#[tokio::test]
async fn every_change_needs_the_role_and_is_in_the_audit_log() {
    let Replicas { here, .. } = replicas(ApiKeys::Optional);
    let body = json!({ "name": "shop", "feeBps": 5, "referrers": [REFERRER] });
    assert_eq!(operate(&here, "POST", "", READ_TOKEN, &body).await.0, 403);
    let shop = key(&here, &body).await;
    operate(&here, "POST", "/shop/keys", TOKEN, &json!({ "keepOldSeconds": 0 })).await;
    operate(&here, "DELETE", "/shop", TOKEN, &Value::Null).await;
    let request = Request::get("/operator/audit").header("authorization", format!("Bearer {TOKEN}"));
    let (_, log) = call(&here, request.body(Body::empty()).unwrap()).await;
    let lines: Vec<&str> =
        log["events"].as_array().unwrap().iter().map(|line| line["detail"].as_str().unwrap()).collect();
    let expected = [
        "DELETE /operator/integrators/shop null".to_owned(),
        "POST /operator/integrators/shop/keys {\"keepOldSeconds\":0}".to_owned(),
        format!("POST /operator/integrators {body}"),
        format!("POST /operator/integrators {body} (refused)"),
    ];
    assert_eq!(lines, expected);
    assert!(!log.to_string().contains(&shop[13..]));
}

#[tokio::test]
async fn what_is_wrong_with_a_new_integrator_is_said_by_field() {
    let Replicas { here, .. } = replicas(ApiKeys::Optional);
    for (body, path) in [
        (json!({}), "name"),
        (json!({ "name": "a shop" }), "name"),
        (json!({ "name": "shop", "scopes": [] }), "scopes"),
        (json!({ "name": "shop", "scopes": ["everything"] }), "scopes"),
        (json!({ "name": "shop", "feeBps": 1001 }), "feeBps"),
        (json!({ "name": "shop", "feeBps": 10 }), "referrers"),
        (json!({ "name": "shop", "referrers": ["0x70997970c51812dc3a010c7d01b50e0d17dc79C8"] }), "referrers"),
        (json!({ "name": "shop", "expiresInSeconds": u64::MAX }), "expiresInSeconds"),
    ] {
        let (status, answer) = operate(&here, "POST", "", TOKEN, &body).await;
        assert_eq!(
            (status, &answer["details"]["issues"][0]["path"]),
            (400, &json!(path)),
            "{body}: {answer}"
        );
    }
}
