use std::fmt::Write as _;

use clap::{Args, Subcommand};
use serde_json::Value;

use super::operator::{OperatorArgs, run_operator_command};
use crate::boot::config::Config;

/// What to do with an order.
#[derive(Debug, Subcommand)]
pub(crate) enum OrderCommand {
    /// Show an order's history: events, on-chain evidence, sent transactions, and what blocks it
    Show(ShowArgs),
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ShowArgs {
    /// The order's id
    order: String,

    #[command(flatten)]
    service: OperatorArgs,
}

/// Shows an order to its operator.
pub(crate) fn order(command: &OrderCommand, config: &Config) -> anyhow::Result<()> {
    let OrderCommand::Show(args) = command;
    run_operator_command(&args.service, config, |client| async move {
        let history = client.get(&["orders", &args.order], &[]).await?;
        client.print(&history, format_history)
    })
}

/// A JSON value as text; null is empty.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn list<'a>(history: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    history[name].as_array().into_iter().flatten()
}

fn format_history(history: &Value) -> String {
    let mut out = String::new();
    head(&mut out, &history["order"]);
    section(&mut out, "Events");
    for event in list(history, "events") {
        line(&mut out, &text(&event["at"]), &[text(&event["status"]), text(&event["detail"])]);
    }
    evidence(&mut out, &history["evidence"]);
    arrivals(&mut out, history);
    sent(&mut out, history);
    if let Some(terms) = history["terms"].as_object() {
        section(&mut out, "Terms, as hashed on chain");
        for (name, value) in terms {
            line(&mut out, name, &[text(value)]);
        }
    }
    waits(&mut out, history);
    out
}

fn head(out: &mut String, order: &Value) {
    let side = |side: &Value| {
        format!("{} of {} on chain {}", text(&side["amount"]), text(&side["token"]), text(&side["chainId"]))
    };
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}: {} → {}", text(&order["status"]), side(&order["from"]), side(&order["to"]));
    for (name, key) in [
        ("order", "id"),
        ("intent", "intentId"),
        ("quote", "quoteId"),
        ("filler", "filler"),
        ("deposit by", "depositMethod"),
        ("deposit to", "depositAddress"),
        ("author", "author"),
        ("recipient", "recipient"),
        ("refund to", "refundTo"),
        ("decision", "decision"),
        ("reason", "failureReason"),
        ("created", "createdAt"),
        ("updated", "updatedAt"),
    ] {
        if !order[key].is_null() {
            line(out, name, &[text(&order[key])]);
        }
    }
}

fn evidence(out: &mut String, evidence: &Value) {
    section(out, "On-chain evidence");
    for name in ["deposit", "fill", "claim", "refund"] {
        let shown = &evidence[name];
        if shown.is_null() {
            continue;
        }
        let place = format!(
            "chain {} block {} at {}",
            text(&shown["chainId"]),
            text(&shown["block"]),
            text(&shown["time"])
        );
        let cause = shown["cause"].as_str().map(|cause| format!("({cause})")).unwrap_or_default();
        line(out, name, &[text(&shown["amount"]), place, text(&shown["txHash"]), cause]);
    }
}

fn arrivals(out: &mut String, history: &Value) {
    if list(history, "arrivals").next().is_some() {
        section(out, "Balances of the deposit address");
    }
    for arrival in list(history, "arrivals") {
        let balance = format!("{} of {}", text(&arrival["balance"]), text(&arrival["token"]));
        line(out, &format!("block {}", text(&arrival["block"])), &[balance, text(&arrival["txHash"])]);
    }
}

fn sent(out: &mut String, history: &Value) {
    if list(history, "sent").next().is_some() {
        section(out, "Sent transactions");
    }
    for sent in list(history, "sent") {
        let tries = sent["attempts"].as_array().map_or(0, Vec::len);
        let tries = if tries > 1 { format!("({tries} attempts)") } else { String::new() };
        let state = format!("{} on chain {}", text(&sent["state"]), text(&sent["chainId"]));
        line(out, &text(&sent["purpose"]), &[state, text(&sent["txHash"]), tries]);
    }
}

fn waits(out: &mut String, history: &Value) {
    let (problem, wait) = (&history["trouble"], &history["wait"]);
    if wait.is_null() {
        return;
    }
    section(out, "Blocked by");
    line(out, "reason", &[text(&wait["reason"])]);
    line(out, "remedy", &[text(&wait["remedy"])]);
    if !problem.is_null() {
        line(out, "problem", &[text(&problem["words"]), format!("since {}", text(&problem["since"]))]);
    }
}

fn section(out: &mut String, title: &str) {
    let _ = writeln!(out, "\n{title}");
}

fn line(out: &mut String, name: &str, parts: &[String]) {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let _ = writeln!(out, "  {name:<20} {}", parts.join("  "));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn order_history_prints_every_section_and_omits_absent_values() {
        let history = json!({
            "order": {
                "id": "0f", "intentId": "0x1", "status": "published", "filler": "north", "depositAddress": null,
                "from": { "chainId": 1, "token": "0xa", "amount": "5" },
                "to": { "chainId": 10, "token": "0xb", "amount": "4" },
            },
            "terms": { "epoch": "1" },
            "events": [{ "at": "2026-11-16T00:00:00Z", "status": "created", "detail": "Built as CONTRACT_CALL." }],
            "evidence": {
                "deposit": { "chainId": 1, "txHash": "0xdd", "block": 7, "time": "2026-11-16T00:00:05Z", "amount": "5" },
                "fill": null, "claim": null, "refund": null,
            },
            "sent": [{ "purpose": "fill", "chainId": 10, "state": "open", "txHash": "0xee", "attempts": [{}, {}] }],
            "arrivals": [],
            "trouble": { "kind": "waits", "words": "delivering: gas is too dear", "since": "2026-11-16T00:01:00Z" },
            "wait": { "reason": "delivering: gas is too dear", "remedy": "it passes by itself" },
        });
        let shown = format_history(&history);
        for part in [
            "published: 5 of 0xa on chain 1 → 4 of 0xb on chain 10",
            "Built as",
            "block 7",
            "(2 attempts)",
            "0xee",
            "epoch",
            "gas is too dear",
            "remedy",
        ] {
            assert!(shown.contains(part), "{part} is missing in\n{shown}");
        }
        assert!(
            !shown.contains("deposit to") && !shown.contains("claim") && !shown.contains("null"),
            "{shown}"
        );
    }
}
