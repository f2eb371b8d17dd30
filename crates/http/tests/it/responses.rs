use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use causeway_domain::ports::Filler;
use causeway_engine::QuoteOptions;
use causeway_testing::MemoryStore;
use serde_json::{Value, json};

use crate::filler::{FakeFiller, FillerBehavior};
use crate::service::{Service, bytes, get, get_json, json as body_json, router, router_with, send};

fn ask() -> Request<Body> {
    let ask = json!({
        "tradeType": "EXACT_INPUT",
        "fromChainId": 1, "fromToken": "0x0000000000000000000000000000000000000000",
        "toChainId": 8453, "toToken": "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        "amount": "1000000000000000000", "fromAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    });
    Request::post("/v1/quotes")
        .header("x-integrator-id", "wallet-0a1b2c3d")
        .body(Body::from(ask.to_string()))
        .unwrap()
}

#[tokio::test]
async fn chain_matches_the_contract() {
    let chains = get_json("/v1/chains").await;
    let base = chains.as_array().unwrap().iter().find(|chain| chain["id"] == 8453).unwrap();
    insta::assert_json_snapshot!(base);
}

#[tokio::test]
async fn token_matches_the_contract() {
    insta::assert_json_snapshot!(get_json("/v1/tokens/search?q=usdc&chainIds=8453").await["data"][0]);
}

#[tokio::test]
async fn autocomplete_matches_the_contract() {
    insta::assert_json_snapshot!(get_json("/v1/tokens/autocomplete/100%20usdc%20on%20base?limit=1").await);
}

#[tokio::test]
async fn every_token_has_a_logo_that_is_small_and_cacheable() {
    let tokens = get_json("/v1/tokens?limit=1000").await;
    for token in tokens["data"].as_array().unwrap() {
        let logo = token["logoURI"].as_str().unwrap();
        let path = logo.strip_prefix("https://swap.example").unwrap();
        assert_eq!(
            path,
            format!("/v1/token/{}/{}/icon", token["chainId"], token["address"].as_str().unwrap())
        );
    }
    let path = "/v1/token/8453/0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913/icon";
    let response = get(path).await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (200, &"image/svg+xml".parse().unwrap())
    );
    assert_eq!(response.headers()["cache-control"], "public, max-age=86400");
    let etag = response.headers()["etag"].clone();
    let request = Request::get(path).header("if-none-match", etag).body(Body::empty()).unwrap();
    assert_eq!(send(router(Arc::default()), request).await.status(), 304);
    for (path, status) in [
        ("/v1/token/8453/0x0000000000000000000000000000000000000bad/icon", 404),
        ("/v1/token/8453/EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v/icon", 404),
        ("/v1/token/x/0x12/icon", 400),
        ("/v1/token/8453/0x833589FCD6eDb6E08f4c7C32D4f71b54bdA02913/icon", 400),
        ("/v1/token/8453/%ff/icon", 400),
    ] {
        let response = get(path).await;
        assert_eq!(response.status(), status, "{path}");
        assert!(body_json(response).await["name"].is_string(), "{path}");
    }
}

#[tokio::test]
async fn the_buy_page_is_the_widgets_purchase_without_a_wallet() {
    let page = String::from_utf8(bytes(get("/buy").await).await).unwrap();
    assert!(page.contains("<causeway-widget methods=\"buy\"") && !page.contains("0x"), "{page}");
}

#[tokio::test]
async fn autocomplete_takes_any_keyword() {
    let keywords = [
        "eth%2Fusdc",
        "eth/usdc",
        "a/b/c",
        "100%25",
        "50%",
        "%F0%9F%92%B8",
        "%20",
        "a%0Ab",
        "..",
        "%2E%2E%2Fetc",
    ];
    for keyword in keywords {
        let response = get(&format!("/v1/tokens/autocomplete/{keyword}")).await;
        assert_eq!(response.status(), 200, "{keyword}");
    }
    let completion = get_json("/v1/tokens/autocomplete/eth%2Fusdc").await;
    assert_eq!(completion["data"][0]["token"]["symbol"], "ETH", "{completion}");
    assert_eq!(completion["data"][0]["toToken"]["symbol"], "USDC", "{completion}");
    assert_eq!(get_json("/v1/tokens/autocomplete/eth/usdc").await, completion);
}

#[tokio::test]
async fn empty_query_values_are_as_if_absent() {
    let all = get_json("/v1/tokens?limit=5").await;
    for query in ["q=", "chainIds=", "q=&chainIds[]=", "q=%20&chainIds=,"] {
        assert_eq!(get_json(&format!("/v1/tokens?limit=5&{query}")).await, all, "{query}");
    }
    let base = get_json("/v1/tokens/top?chainIds=8453").await;
    for query in ["chainIds[]=8453", "chainIds%5B%5D=8453", "chainIds=8453&chainIds=8453", "chainIds=,8453"] {
        assert_eq!(get_json(&format!("/v1/tokens/top?{query}")).await, base, "{query}");
    }
    for query in ["", "?q="] {
        let found = get_json(&format!("/v1/tokens/search{query}")).await;
        assert!(!found["data"].as_array().unwrap().is_empty(), "{query}");
    }
}

#[tokio::test]
async fn addresses_in_mixed_case_need_their_eip_55_checksum_in_paths() {
    let wrong = "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    for path in ["/v1/tokens/balances/", "/v1/orders/", "/v1/intents/", "/v1/orders/by-deposit-address/"] {
        let response = get(&format!("{path}{wrong}")).await;
        assert_eq!(response.status(), 400, "{path}");
        let message = body_json(response).await["message"].as_str().unwrap().to_owned();
        assert!(message.contains("EIP-55"), "{path}: {message}");
        assert_eq!(get(&format!("{path}{}", wrong.to_lowercase())).await.status(), 200, "{path}");
        let capitals = wrong.to_uppercase().replace("0X", "0x");
        assert_eq!(get(&format!("{path}{capitals}")).await.status(), 200, "{path}");
    }
}

#[tokio::test]
async fn status_describes_the_running_service() {
    insta::assert_json_snapshot!(get_json("/status.json").await, { ".version" => "[version]", ".tokens" => "[tokens]" });
}

#[tokio::test]
async fn a_service_that_can_swap_nothing_is_not_ready_and_says_what_is_missing() {
    let response = get("/readyz").await;
    assert_eq!(response.status(), 503);
    let words = String::from_utf8(bytes(response).await).unwrap();
    assert!(words.contains("causeway deploy"), "{words}");
    let response = get("/readyz?verbose").await;
    assert_eq!(response.status(), 503);
    let checks = body_json(response).await;
    let failed = checks.as_array().unwrap().iter().filter(|check| check["ok"] == false);
    let names: Vec<_> = failed.map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["contracts", "fillers"], "{checks}");
}

#[tokio::test]
async fn a_quote_without_fillers_is_empty() {
    let answer = body_json(send(router(Arc::default()), ask()).await).await;
    assert_eq!((answer["quoteId"].as_str().unwrap().len(), &answer["routes"]), (44, &json!([])));
}

#[tokio::test]
async fn stream_without_answers_is_200_and_empty() {
    let mut request = ask();
    *request.uri_mut() = "/v1/quotes?mode=stream".parse().unwrap();
    request.headers_mut().insert("accept-encoding", "gzip".parse().unwrap());
    let response = send(router(Arc::default()), request).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/x-ndjson");
    assert!(!response.headers().contains_key("content-encoding"), "streams are not compressed");
    assert!(crate::service::bytes(response).await.is_empty());
}

#[tokio::test]
async fn unknown_mode_is_rejected() {
    let mut request = ask();
    *request.uri_mut() = "/v1/quotes?mode=fast".parse().unwrap();
    assert_eq!(send(router(Arc::default()), request).await.status(), 400);
}

#[tokio::test]
async fn failing_store_is_a_500_with_request_id_and_no_internals() {
    let ledger: Arc<MemoryStore> = Arc::default();
    let router = Service { ledger: Arc::clone(&ledger), ..Service::default() }.router();
    ledger.set_unavailable(true);
    let path = format!("/v1/orders/by-id/{}", "0".repeat(32));
    let response = send(router, Request::get(path).body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), 500);
    let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
    let body = body_json(response).await;
    assert_eq!(body["name"], "InternalErrorException");
    assert_eq!(body["details"], json!({ "requestId": id }));
    assert!(!body.to_string().contains("switched off"));
}

#[tokio::test]
async fn slow_request_times_out_with_an_error() {
    let fillers = vec![FakeFiller::new("hangs", FillerBehavior::Hangs, 0) as Arc<dyn Filler>];
    let options = QuoteOptions { deadline: Duration::from_secs(5), ..QuoteOptions::default() };
    let response = send(router_with(Arc::default(), fillers, &options), ask()).await;
    assert_eq!(response.status(), 500);
    let body: Value = body_json(response).await;
    assert!(body["message"].as_str().unwrap().contains("took longer"), "{body}");
}

#[tokio::test]
async fn native_token_is_accepted_as_eeee_address() {
    let path = format!("/v1/tokens/search?q=0x{}&chainIds=1", "E".repeat(40));
    let found = get_json(&path).await;
    assert_eq!(found["data"][0]["address"], format!("0x{}", "0".repeat(40)));
    assert_eq!(found["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn typos_are_forgiven() {
    for (typo, symbol) in [("ethreum", "ETH"), ("usdcoin", "USDC"), ("etheruem", "ETH"), ("solanna", "SOL")] {
        let found = get_json(&format!("/v1/tokens/search?q={typo}")).await;
        assert_eq!(found["data"][0]["symbol"], symbol, "{typo}");
    }
}

#[tokio::test]
async fn icons_are_cached_by_their_tag() {
    let first = get("/v1/chain/1/icon").await;
    let tag = first.headers()["etag"].to_str().unwrap().to_owned();
    for (header, status) in
        [(tag.clone(), 304), (format!("W/{tag}"), 304), ("*".to_owned(), 304), ("\"x\"".to_owned(), 200)]
    {
        let request =
            Request::get("/v1/chain/1/icon").header("if-none-match", &header).body(Body::empty()).unwrap();
        let response = send(router(Arc::default()), request).await;
        assert_eq!(response.status(), status, "{header}");
        assert_eq!(response.headers()["etag"], tag.as_str());
    }
}

#[tokio::test]
async fn pages_have_a_strict_content_security_policy() {
    for path in ["/", "/docs", "/swap"] {
        let response = get(path).await;
        assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
        let policy = response.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    }
}

#[tokio::test]
async fn pages_name_their_files_by_version_and_browsers_keep_those_for_good() {
    let service = router(Arc::default());
    let get = async |path: &str| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        send(service.clone(), request).await
    };
    for page in ["/", "/docs", "/docs/orders", "/docs/reference", "/explorer"] {
        let response = get(page).await;
        assert_eq!(response.headers()["cache-control"], "no-cache", "{page}");
        let tag = response.headers()["etag"].clone();
        let html = String::from_utf8(bytes(response).await).unwrap();
        let files =
            html.split('"').filter(|text| text.starts_with("/assets/") || text.starts_with("/widget.js?"));
        let files: Vec<&str> = files.collect();
        assert!(files.len() > 2, "{page}: {files:?}");
        for file in files {
            let (path, _) = file.split_once("?v=").unwrap_or_else(|| panic!("{page}: {file}"));
            assert_eq!(
                get(file).await.headers()["cache-control"],
                "public, max-age=31536000, immutable",
                "{file}"
            );
            for older in [path.to_owned(), format!("{path}?v=0")] {
                let response = get(&older).await;
                assert_eq!(response.status(), 200, "{older}");
                assert!(
                    !response.headers()["cache-control"].to_str().unwrap().contains("immutable"),
                    "{older}"
                );
            }
        }
        let request = Request::get(page).header("if-none-match", tag).body(Body::empty()).unwrap();
        let response = send(service.clone(), request).await;
        assert_eq!(response.status(), 304, "{page}");
        assert!(response.headers().contains_key("content-security-policy"), "{page}");
    }
}

#[tokio::test]
async fn other_sites_may_load_the_widget_and_cache_it_by_its_tag() {
    for path in ["/widget.js", "/widget.mjs", "/widget/de.js", "/widget/test-wallet.js"] {
        let first = get(path).await;
        assert_eq!(first.status(), 200, "{path}");
        let headers = first.headers();
        assert_eq!(headers["content-type"], "text/javascript; charset=utf-8", "{path}");
        assert_eq!(headers["access-control-allow-origin"], "*", "{path}");
        assert_eq!(headers["cross-origin-resource-policy"], "cross-origin", "{path}");
        let tag = headers["etag"].to_str().unwrap().to_owned();
        for (header, status) in [(tag.as_str(), 304), ("\"x\"", 200)] {
            let request = Request::get(path)
                .header("origin", "https://dapp.example")
                .header("if-none-match", header)
                .body(Body::empty())
                .unwrap();
            let response = send(router(Arc::default()), request).await;
            assert_eq!(response.status(), status, "{path} {header}");
        }
    }
    assert_eq!(get("/widget/xx.js").await.status(), 404);
}
