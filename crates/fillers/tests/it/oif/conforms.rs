//! Our requests against the framework's OpenAPI document (openintentsframework/oif-specs, `specs/openapi.yaml` and
//! `schemas/typescript/types.ts`, read 2026-11-16): required members, types, patterns and words, written down here as facts.

use causeway_domain::ports::Filler as _;
use serde_json::Value;

use super::solver::{Solver, ask, quotes};
use crate::fixture::{BASE, ETHEREUM, buy, dai, usdc};

fn is_address(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    let digits = text.strip_prefix("0x0001").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_amount(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The members of an object, all of which must be known to the document.
fn members<'a>(value: &'a Value, required: &[&str], optional: &[&str]) -> &'a serde_json::Map<String, Value> {
    let object = value.as_object().unwrap();
    for name in required {
        assert!(object.contains_key(*name), "{name} is missing in {value}");
    }
    for name in object.keys() {
        let known = required.contains(&name.as_str()) || optional.contains(&name.as_str());
        assert!(known, "{name} is unknown to the document");
    }
    object
}

fn check_quote_request(body: &Value) {
    let request = members(body, &["user", "intent", "supportedTypes"], &[]);
    assert!(is_address(&request["user"]));
    assert!(request["supportedTypes"].as_array().unwrap().iter().all(Value::is_string));
    let optional = [
        "swapType",
        "minValidUntil",
        "preference",
        "originSubmission",
        "failureHandling",
        "partialFill",
        "metadata",
    ];
    let intent = members(&request["intent"], &["intentType", "inputs", "outputs"], &optional);
    assert_eq!(intent["intentType"], "oif-swap");
    for input in intent["inputs"].as_array().unwrap() {
        let input = members(input, &["user", "asset"], &["amount", "lock"]);
        assert!(is_address(&input["user"]) && is_address(&input["asset"]));
        assert!(input.get("amount").is_none_or(is_amount));
    }
    for output in intent["outputs"].as_array().unwrap() {
        let output = members(output, &["receiver", "asset"], &["amount", "calldata"]);
        assert!(is_address(&output["receiver"]) && is_address(&output["asset"]));
        assert!(output.get("amount").is_none_or(is_amount));
    }
    let word =
        |name: &str, words: &[&str]| assert!(words.contains(&intent[name].as_str().unwrap()), "{name}");
    word("swapType", &["exact-input", "exact-output"]);
    word("preference", &["price", "speed", "input-priority", "trust-minimization"]);
    assert!(intent["minValidUntil"].is_number() && intent["partialFill"].is_boolean());
    let submission = members(&intent["originSubmission"], &["mode"], &["schemes"]);
    assert!(["user", "protocol"].contains(&submission["mode"].as_str().unwrap()));
    let handling = ["refund-automatic", "refund-claim", "needs-new-signature"];
    let modes = intent["failureHandling"].as_array().unwrap();
    assert!(modes.iter().all(|mode| handling.contains(&mode.as_str().unwrap())));
    assert!(intent["metadata"].is_object());
}

#[tokio::test]
async fn quote_requests_match_the_specification() {
    let solver = Solver::with_quotes(200, quotes(|_| {})).await;
    let filler = solver.filler();
    for ask in [ask(), buy(&usdc(ETHEREUM), &dai(BASE), "998.5")] {
        filler.quote(&ask).await.unwrap();
    }
    let requests = solver.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!(request.endpoint, "POST /api/v1/quotes");
        check_quote_request(&request.body);
    }
}

#[tokio::test]
async fn metadata_holds_our_contracts() {
    let solver = Solver::with_quotes(200, quotes(|_| {})).await;
    solver.filler().quote(&ask()).await.unwrap();
    let metadata = solver.requests()[0].body["intent"]["metadata"].clone();
    let metadata =
        members(&metadata, &["originSettler", "destinationSettler", "orderDataType", "filler", "payee"], &[])
            .clone();
    assert_eq!(metadata["originSettler"], format!("0x00010000010114{}", "e5".repeat(20)));
    assert_eq!(metadata["destinationSettler"], format!("0x0001000002210514{}", "5e".repeat(20)));
    assert!(metadata["orderDataType"].as_str().unwrap().len() == 66);
    assert!(is_address(&metadata["filler"]) && is_address(&metadata["payee"]));
}
