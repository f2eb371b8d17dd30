use std::sync::Arc;

use axum::body::Body;
use axum::http::Request;
use causeway_domain::OrderStatus::{Created, Deposited, Failed, Filled, Published, RefundPending, Refunded};
use causeway_domain::ports::Arrival;
use causeway_domain::{Address, Decision, Order, OrderEvent, OrderStatus, RefundCause, TokenId};
use causeway_http::StreamLimits;
use causeway_testing::MemoryStore;
use causeway_testing::sample::{WALLET, chain, order, raw, shown, with_history};
use serde_json::{Value, json};

use crate::service::{Service, json as body_json, send};

async fn ask(ledger: &Arc<MemoryStore>, path: &str) -> (u16, Value) {
    let router = Service { ledger: Arc::clone(ledger), ..Service::default() }.router();
    let response = send(router, Request::get(path).body(Body::empty()).unwrap()).await;
    (response.status().as_u16(), body_json(response).await)
}

async fn by_id(entry: (Order, Vec<OrderEvent>)) -> Value {
    let path = format!("/v1/orders/by-id/{}", entry.0.id);
    let (status, body) = ask(&Arc::new(MemoryStore::with_orders(vec![entry])), &path).await;
    assert_eq!(status, 200, "{body}");
    body
}

fn filled() -> (Order, Vec<OrderEvent>) {
    let mut order = order(1);
    order.decision = Some(Decision::Fill);
    order.evidence.deposit = Some(shown(8453, 6, order.src_amount));
    order.evidence.fill = Some(shown(1, 26, order.dest_amount));
    with_history(order, &[Created, Deposited, Published, Filled])
}

fn refunded(cause: RefundCause) -> (Order, Vec<OrderEvent>) {
    let mut order = order(2);
    order.decision = Some(Decision::Waive);
    order.failure_reason = Some("The filler gives the deposit back.".to_owned());
    order.evidence.deposit = Some(shown(8453, 6, order.src_amount));
    order.evidence.refund = Some((shown(8453, 28, order.src_amount), cause));
    with_history(order, &[Created, Deposited, RefundPending, Refunded])
}

#[tokio::test]
async fn filled_order_has_every_field_of_the_contract() {
    insta::assert_json_snapshot!(by_id(filled()).await);
}

#[tokio::test]
async fn refunded_order_has_reason_and_refund_transaction() {
    insta::assert_json_snapshot!(by_id(refunded(RefundCause::Waived)).await);
}

#[tokio::test]
async fn submitted_order_has_deposit_hash_but_no_transactions() {
    let mut order = order(3);
    order.submitted_tx = Some(format!("0x{}", "ab".repeat(32)));
    let body = by_id(with_history(order, &[Created])).await;
    assert_eq!(body["depositTxHash"], format!("0x{}", "ab".repeat(32)));
    assert_eq!(body["transactions"], json!({}));
    assert_eq!(body["stepsCompleted"], json!(["created"]));
    assert_eq!(body["providerStatus"], json!({ "provider": "house", "nativeStatus": "waiting" }));
    assert!(body.get("failureReason").is_none());
}

#[tokio::test]
async fn order_without_deposit_fails_with_time_and_reason() {
    let mut order = order(3);
    order.failure_reason = Some("No deposit came.".to_owned());
    let body = by_id(with_history(order, &[Created, Failed])).await;
    assert_eq!(body["timestamps"]["failedAt"], body["updatedAt"]);
    assert_eq!(body["failureReason"], "No deposit came.");
    assert_eq!(body["stepsCompleted"], json!(["created", "failed"]));
}

#[tokio::test]
async fn steps_are_derived_when_events_were_deleted() {
    for (entry, path) in [
        (filled(), json!(["created", "deposited", "published", "filled"])),
        (refunded(RefundCause::Waived), json!(["created", "deposited", "refund_pending", "refunded"])),
    ] {
        for kept in 0..entry.1.len() {
            let newest = entry.1[entry.1.len() - kept..].to_vec();
            assert_eq!(by_id((entry.0.clone(), newest)).await["stepsCompleted"], path, "{kept} lines kept");
        }
    }
}

#[tokio::test]
async fn events_ahead_of_the_order_are_ignored() {
    let (mut order, history) = filled();
    order.status = Deposited;
    let body = by_id((order, history)).await;
    assert_eq!(body["stepsCompleted"], json!(["created", "deposited"]));
    assert!(body["timestamps"].get("publishedAt").is_none());
}

#[tokio::test]
async fn unannounced_order_is_not_found() {
    let mut hidden = order(4);
    hidden.announced = false;
    let id = hidden.id.clone();
    let ledger = Arc::new(MemoryStore::with_orders(vec![with_history(hidden, &[Created])]));
    for unknown in [id.as_str(), &"0".repeat(32), "nonsense"] {
        let (status, body) = ask(&ledger, &format!("/v1/orders/by-id/{unknown}")).await;
        assert_eq!((status, body["name"].as_str()), (404, Some("OrderNotFoundException")), "{unknown}");
    }
    let (_, page) = ask(&ledger, &format!("/v1/orders/{WALLET}")).await;
    assert_eq!(page, json!({ "data": [] }));
}

fn ids(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|order| order["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn orders_of_an_author_are_paged_newest_first() {
    let ledger =
        Arc::new(MemoryStore::with_orders((1..=5).map(|n| with_history(order(n), &[Created])).collect()));
    let names: Vec<String> = (1..=5).rev().map(|n| format!("{n:032x}")).collect();
    for author in [WALLET.to_owned(), WALLET.to_lowercase(), WALLET.to_uppercase()] {
        let mut seen = Vec::new();
        let mut cursor = String::new();
        loop {
            let (status, page) = ask(&ledger, &format!("/v1/orders/{author}?limit=2{cursor}")).await;
            assert_eq!(status, 200, "{page}");
            seen.extend(ids(&page).into_iter().map(str::to_owned));
            let Some(next) = page["cursor"].as_u64() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(seen, names, "{author}");
    }
    let (_, whole) = ask(&ledger, &format!("/v1/orders/{WALLET}?limit=5")).await;
    assert!(ids(&whole).len() == 5 && whole.get("cursor").is_none(), "a last page that is full: {whole}");
}

#[tokio::test]
async fn orders_are_filtered_by_ids_and_unknown_ids_match_nothing() {
    let ledger =
        Arc::new(MemoryStore::with_orders((1..=3).map(|n| with_history(order(n), &[Created])).collect()));
    let id = |n: u8| format!("{n:032x}");
    let page = async |query: String| ask(&ledger, &format!("/v1/orders/{WALLET}?{query}")).await.1;
    assert_eq!(ids(&page(format!("orderIds={},{}", id(1), id(3))).await), [id(3), id(1)]);
    assert_eq!(ids(&page(format!("orderIds={}&orderIds=x", id(2))).await), [id(2)]);
    for nobodys in [id(9), "nonsense".to_owned(), String::new()] {
        assert_eq!(page(format!("orderIds={nobodys}")).await, json!({ "data": [] }), "{nobodys}");
    }
    let many = vec![id(1); 101].join(",");
    assert_eq!(page(format!("orderIds={many}")).await["name"], "ValidationException");
}

#[tokio::test]
async fn malformed_address_is_rejected() {
    let ledger = Arc::default();
    for path in ["/v1/orders/0x12?limit=0", "/v1/orders/by-deposit-address/0x12", "/v1/intents/0x12"] {
        let (status, body) = ask(&ledger, path).await;
        assert_eq!((status, body["name"].as_str()), (400, Some("ValidationException")), "{path}");
        assert!(body["message"].as_str().unwrap().contains("neither an EVM address"), "{body}");
    }
    let (_, both) = ask(&ledger, "/v1/orders/0x12?limit=0").await;
    assert_eq!(both["details"]["issues"].as_array().unwrap().len(), 2, "all at once: {both}");
}

/// An order that waits at a deposit address, and what lies there.
fn waiting(status: OrderStatus, arrived: &[(u64, u64)]) -> (Arc<MemoryStore>, String) {
    let address = Address::parse_any("0x2d5f5bd9d4c0b1b1c8c8e4b8b3bd3c1c5e1a7a11").unwrap();
    let mut order = order(5);
    order.deposit_address = Some(address);
    let (order, events) = with_history(order, &[status]);
    let arrival = |(balance, gained): &(u64, u64)| Arrival {
        order: order.id.clone(),
        address,
        token: order.from,
        balance: raw(*balance),
        gained: raw(*gained),
        block: 44,
        tx: Some(format!("0x{}", "cd".repeat(32))),
    };
    let mut arrivals: Vec<Arrival> = arrived.iter().map(arrival).collect();
    let other = TokenId::native(chain(8453));
    arrivals.push(Arrival { token: other, balance: raw(7), gained: raw(7), tx: None, ..arrival(&(0, 0)) });
    let ledger = MemoryStore::with_orders(vec![(order, events)]);
    *ledger.arrivals.lock().unwrap() = arrivals;
    (Arc::new(ledger), format!("/v1/orders/by-deposit-address/{address}"))
}

#[tokio::test]
async fn deposit_address_lists_its_orders_and_observed_deposits() {
    let (ledger, path) =
        waiting(Created, &[(400_000_000, 400_000_000), (1_000_000_000, 600_000_000), (0, 0)]);
    insta::assert_json_snapshot!(ask(&ledger, &path).await.1);
}

#[tokio::test]
async fn step_of_a_transfer_follows_status_and_received_amount() {
    for (status, lies, step) in [
        (Created, 0, "awaiting_deposit"),
        (Created, 999_999_999, "awaiting_more"),
        (Created, 1_000_000_000, "sweeping"),
        (Deposited, 0, "asking_filler"),
        (Published, 0, "filling"),
        (Filled, 0, "filled"),
        (RefundPending, 0, "refunding"),
        (Refunded, 0, "refunded"),
        (Failed, 5, "expired"),
    ] {
        let (ledger, path) = waiting(status, &[(lies, lies)]);
        assert_eq!(ask(&ledger, &path).await.1["data"][0]["step"], step);
    }
}

#[tokio::test]
async fn address_without_orders_has_empty_lists() {
    let (status, body) = ask(&Arc::default(), &format!("/v1/orders/by-deposit-address/{WALLET}")).await;
    assert_eq!((status, body), (200, json!({ "data": [], "observedDeposits": [] })));
}

async fn events(entry: (Order, Vec<OrderEvent>), last: Option<&str>) -> (u16, String) {
    let path = format!("/v1/orders/by-id/{}/events", entry.0.id);
    let ledger = Arc::new(MemoryStore::with_orders(vec![entry]));
    let router = Service { ledger, ..Service::default() }.router();
    let request = Request::get(path);
    let request = last.into_iter().fold(request, |request, last| request.header("last-event-id", last));
    let response = send(router, request.body(Body::empty()).unwrap()).await;
    let status = response.status().as_u16();
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn event_stream_replays_history_and_ends_with_terminal_status() {
    let (status, body) = events(filled(), None).await;
    assert_eq!(status, 200);
    insta::assert_snapshot!(body);
}

#[tokio::test]
async fn interrupted_stream_resumes_after_last_event_id() {
    let (order, history) = filled();
    let key = |line: usize| history[line].key.get().to_string();
    let (status, body) = events((order.clone(), history.clone()), Some(&key(2))).await;
    assert_eq!(status, 200);
    let ids: Vec<&str> = body.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    assert_eq!(ids, [key(3), key(4)]);
    let (status, body) = events((order, history.clone()), Some(&key(4))).await;
    assert_eq!((status, body.as_str()), (204, ""), "so that a browser does not ask again");
}

#[tokio::test(start_paused = true)]
async fn event_without_wakeup_is_still_sent() {
    let (mut order, history) = filled();
    order.status = Published;
    let (before, last) = (history[..4].to_vec(), history[4].clone());
    let path = format!("/v1/orders/by-id/{}/events", order.id);
    let ledger = Arc::new(MemoryStore::with_orders(vec![(order, before)]));
    let router = Service { ledger: Arc::clone(&ledger), ..Service::default() }.router();
    let response = send(router, Request::get(path).body(Body::empty()).unwrap()).await;
    let body = tokio::spawn(axum::body::to_bytes(response.into_body(), usize::MAX));
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    ledger.orders.lock().unwrap()[0].1.push(last.clone());
    let body = String::from_utf8(body.await.unwrap().unwrap().to_vec()).unwrap();
    assert!(body.contains(&format!("id: {}", last.key.get())), "{body}");
}

#[tokio::test]
async fn event_streams_are_bounded_and_free_again_when_they_end() {
    let (mut order, history) = filled();
    order.status = Published;
    let path = format!("/v1/orders/by-id/{}/events", order.id);
    let ledger = Arc::new(MemoryStore::with_orders(vec![(order, history[..4].to_vec())]));
    let streams = StreamLimits { total: 2, per_address: 9, trusted_proxies: 0 };
    let router = Service { ledger, streams, ..Service::default() }.router();
    let open = async || send(router.clone(), Request::get(&path).body(Body::empty()).unwrap()).await;
    let (first, _second) = (open().await, open().await);
    let refused = open().await;
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    drop(first);
    assert_eq!(open().await.status(), 200);
}

#[tokio::test]
async fn malformed_last_event_id_is_rejected() {
    let (status, body) = events(filled(), Some("yesterday")).await;
    assert_eq!(status, 400);
    assert!(body.contains("Last-Event-ID"), "{body}");
}

#[tokio::test]
async fn an_order_is_found_by_any_of_its_hashes_and_addresses() {
    let (refund, cause) = (order(2), RefundCause::Waived);
    let ledger = Arc::new(MemoryStore::with_orders(vec![filled(), refunded(cause)]));
    let find = async |q: &str| {
        let (status, body) = ask(&ledger, &format!("/v1/orders/search?q={q}")).await;
        assert_eq!(status, 200, "{q}: {body}");
        let ids =
            body["data"].as_array().unwrap().iter().map(|order| order["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let (first, second) = (order(1).id.to_string(), refund.id.to_string());
    let fill = filled().0.evidence.fill.unwrap().tx;
    let returned = refunded(cause).0.evidence.refund.unwrap().0.tx;
    assert_eq!(find(&fill).await, [first.as_str()]);
    assert_eq!(find(&fill.to_uppercase().replace("0X", "0x")).await, [first.as_str()]);
    assert_eq!(find(&returned).await, [second.as_str()]);
    assert_eq!(find(&first).await, [first.as_str()], "its own id");
    assert_eq!(find(&refund.intent_id.to_string()).await, [second.as_str()], "the id of its intent");
    assert_eq!(find(&order(1).author.to_string()).await, [second.as_str(), first.as_str()], "newest first");
    assert_eq!(find(&format!("0x{}", "00".repeat(32))).await, Vec::<String>::new());
    let (_, page) = ask(&ledger, &format!("/v1/orders/search?q={}&limit=1", order(1).author)).await;
    let next = format!("/v1/orders/search?q={}&limit=1&cursor={}", order(1).author, page["cursor"]);
    assert_eq!(ask(&ledger, &next).await.1["data"][0]["id"], json!(first), "{page}");
    for bad in
        ["/v1/orders/search", "/v1/orders/search?q=", "/v1/orders/search?q=usdc", "/v1/orders/search?q=0x12"]
    {
        let (status, body) = ask(&ledger, bad).await;
        assert_eq!((status, &body["name"]), (400, &json!("ValidationException")), "{bad}: {body}");
    }
}
