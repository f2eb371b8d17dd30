use futures::future::join_all;
use serde_json::{Value, json};

use crate::service::{Service, data_dir};

/// Path, status, error name and a part of the message.
const BAD_INPUT: [(&str, u16, &str, &str); 18] = [
    ("/v1/chain/99999999999999999999/icon", 400, "ValidationException", "chain id"),
    ("/v1/chain/-1/icon", 400, "ValidationException", "chain id"),
    ("/v1/chain/1%2F2/icon", 400, "ValidationException", "chain id"),
    ("/v1/chain/%00/icon", 400, "ValidationException", "chain id"),
    ("/v1/chain/%FF/icon", 400, "ValidationException", "UTF-8"),
    ("/v1/chain/424242/icon", 404, "NotFoundException", "no icon"),
    ("/v1/tokens?limit=-1", 400, "ValidationException", "limit"),
    ("/v1/tokens?limit=0", 400, "ValidationException", "limit"),
    ("/v1/tokens?cursor=abc", 400, "ValidationException", "cursor"),
    ("/v1/tokens?cursor=99999999999999999999", 400, "ValidationException", "cursor"),
    ("/v1/tokens?chainIds=1,x", 400, "ValidationException", "`x` is not a chain id"),
    ("/v1/tokens?q=%00", 400, "ValidationException", "control"),
    ("/v1/tokens?q=a&q=b", 400, "ValidationException", "more than once"),
    ("/v1/tokens/search?q=%00", 400, "ValidationException", "control"),
    ("/v1/tokens/top?chainIds=99999999999999999999", 400, "ValidationException", "chain id"),
    ("/v1/tokens/autocomplete/eth?limit=x", 400, "ValidationException", "limit"),
    ("/no/such/path", 404, "NotFoundException", "/no/such/path"),
    ("/v1/chains/", 404, "NotFoundException", "/docs"),
];

#[tokio::test]
async fn invalid_input_gets_a_message_and_never_a_500() {
    let folder = data_dir();
    let service = Service::start(folder.path());
    for (path, status, name, word) in BAD_INPUT {
        let response = service.get(path).await;
        assert_eq!(response.status(), status, "{path}");
        assert!(response.headers().contains_key("x-request-id"), "{path}");
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["name"], name, "{path}");
        assert!(body["message"].as_str().unwrap().contains(word), "{path}: {body}");
    }
    let long = format!("/v1/tokens/autocomplete/{}", "k".repeat(10 * 1024));
    assert_eq!(service.get(&long).await.status(), 400);
}

#[tokio::test]
async fn all_issues_of_a_request_are_reported_together() {
    let folder = data_dir();
    let service = Service::start(folder.path());
    let body: Value = service.get("/v1/tokens?limit=x&cursor=y&chainIds=z&q=%00").await.json().await.unwrap();
    let paths: Vec<_> =
        body["details"]["issues"].as_array().unwrap().iter().map(|issue| issue["path"].clone()).collect();
    assert_eq!(paths, ["q", "chainIds", "limit", "cursor"]);
}

#[tokio::test]
async fn a_wrong_method_is_405_with_allow() {
    let folder = data_dir();
    let service = Service::start(folder.path());
    let response = service.client.delete(format!("{}/v1/chains", service.url)).send().await.unwrap();
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers()["allow"], "GET,HEAD");
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["name"], "MethodNotAllowedException");
}

#[tokio::test]
async fn bodies_are_limited_and_malformed_json_reports_its_position() {
    let folder = data_dir();
    let service = Service::start(folder.path());
    let post = async |body: String| {
        let response =
            service.client.post(format!("{}/v1/quotes", service.url)).body(body).send().await.unwrap();
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    };
    let (status, body) = post(" ".repeat(65 * 1024)).await;
    assert_eq!((status, &body["name"]), (413, &json!("PayloadTooLargeException")));
    let (status, body) = post("{\n \"amount\" 1 }".to_owned()).await;
    assert_eq!(status, 400);
    assert!(body["message"].as_str().unwrap().contains("line 2, column 11"), "{body}");
}

#[tokio::test]
async fn unknown_tokens_and_chains_are_422_with_their_details() {
    let folder = data_dir();
    let service = Service::start(folder.path());
    let ask = |chain: u64, token: &str| {
        json!({
            "tradeType": "EXACT_INPUT", "fromChainId": chain, "fromToken": token, "toChainId": 8453,
            "toToken": format!("0x{}", "e".repeat(40)), "amount": "1",
            "fromAddress": format!("0x{}", "1".repeat(40)),
        })
    };
    let post = async |body: Value| {
        let request = service.client.post(format!("{}/v1/quotes", service.url)).body(body.to_string());
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    };
    let (status, body) = post(ask(424_242, &format!("0x{}", "0".repeat(40)))).await;
    assert_eq!((status, &body["name"]), (422, &json!("NotSupportedChainException")));
    assert_eq!(body["details"], json!({ "chainId": 424_242 }));
    let unknown = format!("0x{}", "12".repeat(20));
    let (status, body) = post(ask(1, &unknown)).await;
    assert_eq!((status, &body["name"]), (422, &json!("NotSupportedTokenException")));
    assert_eq!(body["details"], json!({ "chainId": 1, "address": unknown }));
    let (status, body) = post(ask(1, &format!("0x{}", "0".repeat(40)))).await;
    assert_eq!((status, &body["routes"]), (200, &json!([])));
}

#[tokio::test]
async fn cors_is_open_to_every_origin_and_header() {
    let folder = data_dir();
    let service = Service::start(folder.path());
    let preflight = service
        .client
        .request(reqwest::Method::OPTIONS, format!("{}/v1/quotes", service.url))
        .header("origin", "https://wallet.example")
        .header("access-control-request-method", "PUT")
        .header("access-control-request-headers", "x-svc-sdk-version,x-anything")
        .send()
        .await
        .unwrap();
    assert_eq!(preflight.status(), 200);
    let header = |name: &str| preflight.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("access-control-allow-origin"), "*");
    assert_eq!(header("access-control-allow-methods"), "GET,POST,PUT");
    assert_eq!(header("access-control-allow-headers"), "x-svc-sdk-version,x-anything");
    let answer = service.get("/v1/chains").await;
    let exposed = answer.headers()["access-control-expose-headers"].to_str().unwrap().to_owned();
    assert_eq!(
        exposed,
        "x-request-id,idempotency-replayed,x-partial-chains,retry-after,link,deprecation,sunset"
    );
}

#[tokio::test]
async fn the_rate_limiter_answers_429_with_retry_after_when_it_is_on() {
    let folder = data_dir();
    let file = folder.path().join("c.toml");
    std::fs::write(
        &file,
        "[sandbox]\nenabled = false\n[server.rate_limit]\nenabled = true\nper_second = 1\nburst = 3\n",
    )
    .unwrap();
    let service = Service::start_with(folder.path(), &["--config", file.to_str().unwrap()]);
    for _ in 0..3 {
        assert_eq!(service.get("/v1/chains").await.status(), 200, "within the burst");
    }
    // All at once: a busy machine would answer them one after the other more slowly than the limit.
    let responses = join_all((0..20).map(|_| service.get("/v1/chains"))).await;
    let refused: Vec<_> = responses.iter().filter(|response| response.status() == 429).collect();
    assert!(!refused.is_empty(), "{responses:?}");
    assert!(refused.iter().all(|response| response.headers()["retry-after"] == "1"), "{refused:?}");
}

#[tokio::test]
async fn chains_are_the_nineteen_of_the_specification_in_order() {
    let folder = data_dir();
    let service = Service::start(folder.path());
    let chains = service.get_json("/v1/chains").await;
    let ids: Vec<u64> =
        chains.as_array().unwrap().iter().map(|chain| chain["id"].as_u64().unwrap()).collect();
    assert_eq!(
        ids,
        [
            1,
            10,
            56,
            130,
            137,
            143,
            324,
            2741,
            5000,
            8453,
            16661,
            42161,
            43114,
            59144,
            80094,
            747_474,
            4_278_608,
            5_734_951,
            20_011_000_000
        ]
    );
    let solana = chains.as_array().unwrap().last().unwrap();
    assert_eq!(solana["caip2"], "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp");
    for chain in chains.as_array().unwrap() {
        let icon = service.client.get(chain["icon"].as_str().unwrap()).send().await.unwrap();
        assert_eq!(icon.headers()["content-type"], "image/svg+xml");
        assert_eq!(icon.headers()["cache-control"], "public, max-age=86400");
        let etag = icon.headers()["etag"].clone();
        let again = service.client.get(chain["icon"].as_str().unwrap()).header("if-none-match", etag);
        assert_eq!(again.send().await.unwrap().status(), 304);
    }
}

#[tokio::test]
async fn the_catalog_pages_through_every_token_once() {
    let folder = data_dir();
    let service = Service::start(folder.path());
    let mut seen = std::collections::BTreeSet::new();
    let mut cursor = String::new();
    loop {
        let page = service.get_json(&format!("/v1/tokens?limit=1000{cursor}")).await;
        for token in page["data"].as_array().unwrap() {
            assert!(seen.insert(token["id"].as_str().unwrap().to_owned()), "{token} came twice");
        }
        match page["cursor"].as_u64() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let status = service.get_json("/status.json").await;
    assert_eq!(seen.len() as u64, status["tokens"].as_u64().unwrap());
    assert!(seen.len() >= 3_000);
}

#[tokio::test]
async fn metrics_with_a_listener_of_their_own_are_there_alone() {
    let folder = data_dir();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let file = folder.path().join("causeway.toml");
    std::fs::write(&file, format!("[server]\nmetrics_listen = \"{free}\"\n[sandbox]\nenabled = false\n"))
        .unwrap();
    let service = Service::start_with(folder.path(), &["--config", file.to_str().unwrap()]);
    let refused = service.get("/metrics").await;
    assert_eq!(refused.status(), 404);
    assert!(refused.text().await.unwrap().contains("server.metrics_listen"));

    let get = |path: &str| service.client.get(format!("http://{free}{path}")).send();
    let metrics = get("/metrics").await.unwrap().text().await.unwrap();
    assert!(metrics.contains("causeway_http_errors_total{name=\"NotFoundException\"} 1"), "{metrics}");
    assert_eq!(get("/v1/chains").await.unwrap().status(), 404);
}

#[tokio::test]
async fn health_readiness_and_metrics_answer() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    assert_eq!(service.get("/healthz").await.text().await.unwrap(), "ok");
    assert_eq!(service.get("/readyz").await.text().await.unwrap(), "ready");
    let checks = service.get_json("/readyz?verbose").await;
    for name in ["catalog", "store", "contracts", "fillers", "prices", "onramps"] {
        let check = checks.as_array().unwrap().iter().find(|check| check["name"] == name);
        assert_eq!(check.unwrap_or_else(|| panic!("{name} is not in {checks}"))["ok"], true, "{checks}");
    }
    let request =
        service.client.get(format!("{}/v1/chains", service.url)).header("x-svc-sdk-version", "ts-1.2.3");
    assert_eq!(request.send().await.unwrap().status(), 200);
    service.get("/nowhere").await;
    let metrics = service.get("/metrics").await.text().await.unwrap();
    for line in [
        "causeway_http_request_seconds_bucket{le=\"0.00025\",method=\"GET\",route=\"/v1/chains\",status=\"200\"}",
        "causeway_http_in_flight 1",
        "causeway_http_errors_total{name=\"NotFoundException\"} 1",
        "causeway_http_requests_by_sdk_total{version=\"ts-1.2.3\"} 1",
        "causeway_store_commits_total",
        "causeway_store_up 1",
        "causeway_build_info{version=",
        "causeway_chain_halted{chain=\"8453\"} 0",
        "# TYPE causeway_orders gauge",
        "# TYPE causeway_unclaimed_usd gauge",
        "process_open_fds ",
    ] {
        assert!(metrics.contains(line), "{line} is missing from\n{metrics}");
    }
}

#[tokio::test]
async fn readiness_fails_when_the_store_is_gone() {
    let folder = data_dir();
    let service = Service::start(folder.path());
    std::fs::rename(folder.path().join("causeway.db"), folder.path().join("elsewhere.db")).unwrap();
    let response = service.get("/readyz").await;
    assert_eq!(response.status(), 503);
    assert_eq!(response.text().await.unwrap(), "the store does not answer");
}

#[tokio::test]
async fn answers_are_compressed_when_asked() {
    let folder = data_dir();
    let service = Service::start(folder.path());
    let request = service.client.get(format!("{}/v1/chains", service.url)).header("accept-encoding", "gzip");
    assert_eq!(request.send().await.unwrap().headers()["content-encoding"], "gzip");
}
