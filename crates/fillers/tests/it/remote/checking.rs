use causeway_domain::RawAmount;
use causeway_fillers::remote::check::{CheckConfig, Report, check};
use serde_json::{Value, json};

use super::server::{AuthenticatedCall, ask, honest, offer, secret};

fn config(url: &str) -> CheckConfig {
    let ask = ask();
    CheckConfig {
        url: url.to_owned(),
        secret: secret(),
        from: ask.from.as_ref().clone(),
        to: ask.to.as_ref().clone(),
        amount: "1000000".parse::<RawAmount>().unwrap(),
        payer: ask.ask.from_address,
        recipient: ask.ask.recipient,
    }
}

async fn run_check(url: &str) -> Report {
    check(config(url)).await.unwrap()
}

/// The answers of a filler that follows every rule but one.
fn valid_answer(call: &AuthenticatedCall) -> Value {
    if call.path.ends_with("/orders") {
        return json!({ "status": "declined", "reason": "the fill deadline is over" });
    }
    let amount = call.body["amount"].as_str().map(str::to_owned).unwrap_or_default();
    if call.body["to"]["chainId"] != 1 {
        return json!({ "refusal": { "code": "PairNotServed" } });
    }
    if call.body["tradeType"] == "EXACT_OUTPUT" {
        return json!({ "refusal": { "code": "Other", "reason": "exact inputs only" } });
    }
    match amount.len() {
        1 => json!({ "refusal": { "code": "TooSmall", "minimum": "1000" } }),
        20.. => json!({ "refusal": { "code": "TooLarge", "maximum": "1000000000000" } }),
        _ => json!({ "offers": [offer(&call.body)] }),
    }
}

fn failed_rules(report: &Report) -> Vec<&str> {
    report.findings.iter().filter(|finding| finding.failure.is_some()).map(|finding| finding.rule).collect()
}

#[tokio::test]
async fn only_the_broken_rule_is_reported() {
    let report = run_check(&honest(|call| valid_answer(&call)).await).await;
    assert_eq!(failed_rules(&report), ["refuses an amount that is a number with 400"], "{report}");
    assert!(report.to_string().contains("1 of"), "{report}");
}

#[tokio::test]
async fn every_broken_rule_is_reported_with_what_to_change() {
    let accepts = |call: AuthenticatedCall| {
        if call.path.ends_with("/orders") { json!({ "status": "accepted" }) } else { valid_answer(&call) }
    };
    let report = run_check(&honest(accepts).await).await;
    assert!(failed_rules(&report).iter().any(|rule| rule.starts_with("declines an order whose")), "{report}");
    assert!(failed_rules(&report).iter().any(|rule| rule.contains("names another filler")), "{report}");
    let number = |call: AuthenticatedCall| {
        let mut answer = valid_answer(&call);
        if let Some(offer) = answer["offers"].get_mut(0) {
            offer["amountOut"] = json!(1);
        }
        answer
    };
    let report = run_check(&honest(number).await).await;
    assert!(report.to_string().contains("expected a string"), "{report}");
}

#[tokio::test]
async fn unreachable_filler_fails_every_rule_but_the_body_limit() {
    let report = run_check("http://127.0.0.1:1").await;
    assert!(!report.is_good());
    assert!(report.failed() + 1 >= report.findings.len(), "{report}");
}
