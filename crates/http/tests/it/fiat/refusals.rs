use causeway_testing::sample::WALLET;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{fixture, with};

const SOLANA_WALLET: &str = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";

/// Checks that both envelopes agree and returns the code.
fn error_code(body: &Value) -> &str {
    assert_eq!(body["message"], body["error"]["message"], "{body}");
    assert_eq!(body["details"], body["error"]["details"], "{body}");
    assert!(body["error"]["retryable"].is_boolean(), "{body}");
    body["error"]["code"].as_str().unwrap()
}

#[tokio::test]
async fn invalid_quote_requests_are_rejected_with_reason() {
    let fixture = fixture();
    for (change, field, message) in [
        (json!({ "fiatAmount": "0" }), "fiatAmount", "more than zero"),
        (json!({ "fiatAmount": "-5" }), "fiatAmount", "digits with at most one decimal point"),
        (json!({ "fiatAmount": "1e3" }), "fiatAmount", "digits with at most one decimal point"),
        (json!({ "fiatAmount": "12.345" }), "fiatAmount", "USD has 2 digits after the point"),
        (json!({ "fiatCurrency": "JPY", "fiatAmount": "100.5" }), "fiatAmount", "JPY has 0 digits"),
        (json!({ "fiatCurrency": "BTC" }), "fiatCurrency", "ISO 4217"),
        (json!({ "recipient": SOLANA_WALLET }), "recipient", ""),
        (json!({ "recipient": "0x0000000000000000000000000000000000000000" }), "recipient", "account"),
    ] {
        let (status, body) = fixture.post("/v1/fiat/quote", &with(&change)).await;
        assert_eq!((status, error_code(&body)), (400, "VALIDATION_ERROR"), "{change}: {body}");
        let issue = &body["details"]["issues"][0];
        assert_eq!(issue["path"], field, "{change}");
        assert!(issue["message"].as_str().unwrap().contains(message), "{change}: {issue}");
    }
    let yen = with(&json!({ "fiatCurrency": "JPY", "fiatAmount": "5000" }));
    assert_eq!(fixture.post("/v1/fiat/quote", &yen).await.0, 200);
}

#[tokio::test]
async fn all_issues_of_a_quote_request_are_returned_together() {
    let bad = json!({ "fiatCurrency": "usd", "fiatAmount": 1, "toChainId": "1", "slippageBps": 9_999, "country": "x" });
    let (status, body) = fixture().post("/v1/fiat/quote", &bad).await;
    assert_eq!(status, 400);
    insta::assert_json_snapshot!(body);
}

#[tokio::test]
async fn unknown_tokens_chains_and_providers_have_codes_of_their_own() {
    let fixture = fixture();
    for (change, code) in [
        (json!({ "toToken": "0x00000000000000000000000000000000DeaDBeef" }), "UNSUPPORTED_ASSET"),
        (json!({ "toChainId": 7 }), "UNSUPPORTED_ASSET"),
        (json!({ "provider": "nobody" }), "PROVIDER_DISABLED"),
    ] {
        let (status, body) = fixture.post("/v1/fiat/quote", &with(&change)).await;
        assert_eq!((status, error_code(&body)), (422, code), "{change}");
        insta::assert_json_snapshot!(
            format!("unknown_{}", change.as_object().unwrap().keys().next().unwrap()),
            body
        );
    }
}

#[tokio::test]
async fn unknown_and_expired_quotes_are_different_errors() {
    let fixture = fixture();
    for id in ["1f0a", "quote_7f", "<b>", &"0".repeat(44)] {
        let (status, body) =
            fixture.post("/v1/fiat/order", &json!({ "quoteId": id, "author": WALLET })).await;
        assert_eq!(
            (status, error_code(&body), &body["name"]),
            (404, "QUOTE_INVALID", &json!("QuoteNotFoundException"))
        );
    }
    let quote = fixture.quote(&json!({})).await;
    for kept in fixture.store.fiat_quotes.lock().unwrap().iter_mut() {
        kept.expires_at = Timestamp::now() - SignedDuration::from_secs(1);
    }
    let (status, body) =
        fixture.post("/v1/fiat/order", &json!({ "quoteId": quote["quoteId"], "author": WALLET })).await;
    assert_eq!(
        (status, error_code(&body), &body["name"]),
        (410, "QUOTE_EXPIRED", &json!("QuoteExpiredException"))
    );
}

#[tokio::test]
async fn metadata_of_five_kibibytes_is_rejected() {
    let fixture = fixture();
    let quote = fixture.quote(&json!({})).await;
    let metadata = json!({ "note": "x".repeat(5 * 1024) });
    let ask = json!({ "quoteId": quote["quoteId"], "author": WALLET, "metadata": metadata });
    let (status, body) = fixture.post("/v1/fiat/order", &ask).await;
    assert_eq!((status, error_code(&body)), (400, "VALIDATION_ERROR"));
    insta::assert_json_snapshot!(body);
}

#[tokio::test]
async fn malformed_order_ids_are_not_found() {
    let fixture = fixture();
    for id in [
        "..%2F..%2Fetc%2Fpasswd",
        "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "%00",
        "0f8fad5bd9cb469fa16570867728950e",
        "x",
    ] {
        for path in [format!("/v1/fiat/orders/{id}/status"), format!("/v1/fiat/order/{id}")] {
            let (status, body) = fixture.get_json(&path).await;
            let code = error_code(&body);
            assert!(
                matches!((status, code), (404, "ORDER_NOT_FOUND") | (400, "VALIDATION_ERROR")),
                "{path}: {body}"
            );
        }
    }
    let (_, body) = fixture.get_json("/v1/fiat/order/0f8fad5bd9cb469fa16570867728950e").await;
    insta::assert_json_snapshot!(body);
}

#[tokio::test]
async fn malformed_json_wrong_methods_and_unknown_paths_have_both_envelopes() {
    let fixture = fixture();
    let (status, body) = fixture.post("/v1/fiat/quote", &json!([])).await;
    assert_eq!((status, error_code(&body)), (400, "VALIDATION_ERROR"));
    let (status, body) = fixture.get_json("/v1/fiat/quote").await;
    assert_eq!(
        (status, error_code(&body), &body["name"]),
        (405, "METHOD_NOT_ALLOWED", &json!("MethodNotAllowedException"))
    );
    let (status, body) = fixture.get_json("/v1/fiat/nothing").await;
    assert_eq!((status, error_code(&body)), (404, "NOT_FOUND"));
    let (_, body) = fixture.get_json("/v1/nothing").await;
    assert_eq!(body.get("error"), None, "the swap API has one envelope");
}
