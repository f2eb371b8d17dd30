use causeway_domain::RawAmount;
use causeway_fillers::remote::check::{CheckConfig, Report, check};
use serde_json::{Value, json};

use super::server::{Admitted, ask, honest, offer, secret};

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

async fn checked(url: &str) -> Report {
    check(config(url)).await.unwrap()
}

/// A filler that does everything right.
fn right(call: &Admitted) -> Value {
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

fn failed(report: &Report) -> Vec<&str> {
    report.findings.iter().filter(|finding| finding.failure.is_some()).map(|finding| finding.rule).collect()
}

#[tokio::test]
async fn a_filler_that_does_everything_right_but_take_numbers_hears_of_that_alone() {
    let report = checked(&honest(|call| right(&call)).await).await;
    assert_eq!(failed(&report), ["refuses an amount that is a number with 400"], "{report}");
    assert!(report.to_string().contains("1 of"), "{report}");
}

#[tokio::test]
async fn each_thing_done_wrong_is_named_with_what_to_change() {
    let accepts = |call: Admitted| {
        if call.path.ends_with("/orders") { json!({ "status": "accepted" }) } else { right(&call) }
    };
    let report = checked(&honest(accepts).await).await;
    assert!(failed(&report).iter().any(|rule| rule.starts_with("declines an order whose")), "{report}");
    assert!(failed(&report).iter().any(|rule| rule.contains("names another filler")), "{report}");
    let number = |call: Admitted| {
        let mut answer = right(&call);
        if let Some(offer) = answer["offers"].get_mut(0) {
            offer["amountOut"] = json!(1);
        }
        answer
    };
    let report = checked(&honest(number).await).await;
    assert!(report.to_string().contains("expected a string"), "{report}");
}

#[tokio::test]
async fn nobody_there_fails_every_rule_but_being_overwhelmed() {
    let report = checked("http://127.0.0.1:1").await;
    assert!(!report.is_good());
    assert!(report.failed() + 1 >= report.findings.len(), "{report}");
}
