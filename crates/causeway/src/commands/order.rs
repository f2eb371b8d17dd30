use std::fmt::Write as _;

use causeway_client::wire::Token;
use clap::{Args, Subcommand};
use serde_json::Value;

use super::client::directory::Directory;
use super::client::parse::TokenRef;
use super::client::units;
use super::operator::{OperatorArgs, OperatorClient, run_operator_command};
use super::order_list::{self, FindArgs, ListArgs};
use crate::boot::config::Config;

/// What to do with an order.
#[derive(Debug, Subcommand)]
pub(crate) enum OrderCommand {
    /// List orders, newest first
    List(ListArgs),
    /// Find orders by an id, an address, a transaction or an intent
    Find(FindArgs),
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

/// Lists, finds or shows orders.
pub(crate) fn order(command: &OrderCommand, config: &Config) -> anyhow::Result<()> {
    match command {
        OrderCommand::List(args) => order_list::list(args, config),
        OrderCommand::Find(args) => order_list::find(args, config),
        OrderCommand::Show(args) => show(args, config),
    }
}

fn show(args: &ShowArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        let history = client.get(&["orders", &args.order], &[]).await?;
        let (directory, order) = (client.directory().await?, &history["order"]);
        let sides = Sides {
            from: Side::load(&client, &directory, &order["from"]).await,
            to: Side::load(&client, &directory, &order["to"]).await,
        };
        client.print(&history, |history| format_history(history, &sides, &directory))
    })
}

/// What is paid and what is delivered.
struct Sides {
    from: Side,
    to: Side,
}

/// A token of the order; without a token the service does not know it any more.
struct Side {
    token: Option<Token>,
    address: String,
    chain: String,
}

impl Side {
    async fn load(client: &OperatorClient, directory: &Directory, side: &Value) -> Self {
        let (address, chain) = (text(&side["token"]), side["chainId"].as_u64().unwrap_or_default());
        let place = TokenRef { token: address.clone(), chain: chain.to_string() };
        let token = directory.token(&client.client, &place).await.ok();
        Self { token, address, chain: directory.name(chain) }
    }

    /// An amount in human units with its symbol, or in raw units with the token's address.
    fn amount(&self, raw: &Value) -> String {
        match (&self.token, text(raw)) {
            (_, raw) if raw.is_empty() => raw,
            (Some(token), raw) => format!("{} {}", units::format_exact(&raw, token.decimals), token.symbol),
            (None, raw) => format!("{raw} of {}", self.address),
        }
    }

    fn with_chain(&self, raw: &Value) -> String {
        format!("{} on {}", self.amount(raw), self.chain)
    }
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

fn format_history(history: &Value, sides: &Sides, directory: &Directory) -> String {
    let mut out = String::new();
    head(&mut out, &history["order"], sides);
    section(&mut out, "Events");
    for event in list(history, "events") {
        line(&mut out, &text(&event["at"]), &[text(&event["status"]), text(&event["detail"])]);
    }
    evidence(&mut out, &history["evidence"], sides, directory);
    arrivals(&mut out, history, sides);
    sent(&mut out, history, directory);
    if let Some(terms) = history["terms"].as_object() {
        section(&mut out, "Terms, as hashed on chain");
        for (name, value) in terms {
            line(&mut out, name, &[text(value)]);
        }
    }
    waits(&mut out, history);
    out
}

/// The name of the chain in a field.
fn chain_name(value: &Value, directory: &Directory) -> String {
    value.as_u64().map_or_else(|| text(value), |id| directory.name(id))
}

fn head(out: &mut String, order: &Value, sides: &Sides) {
    let from = sides.from.with_chain(&order["from"]["amount"]);
    let to = sides.to.with_chain(&order["to"]["amount"]);
    // Writing to a string does not fail.
    let _ = writeln!(out, "{}: {from} → {to}", text(&order["status"]));
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

fn evidence(out: &mut String, evidence: &Value, sides: &Sides, directory: &Directory) {
    section(out, "On-chain evidence");
    for name in ["deposit", "fill", "claim", "refund"] {
        let shown = &evidence[name];
        if shown.is_null() {
            continue;
        }
        let side = if name == "fill" { &sides.to } else { &sides.from };
        let place = format!(
            "{} block {} at {}",
            chain_name(&shown["chainId"], directory),
            text(&shown["block"]),
            text(&shown["time"])
        );
        let cause = shown["cause"].as_str().map(|cause| format!("({cause})")).unwrap_or_default();
        line(out, name, &[side.amount(&shown["amount"]), place, text(&shown["txHash"]), cause]);
    }
}

fn arrivals(out: &mut String, history: &Value, sides: &Sides) {
    if list(history, "arrivals").next().is_some() {
        section(out, "Balances of the deposit address");
    }
    for arrival in list(history, "arrivals") {
        let is_input = arrival["token"] == history["order"]["from"]["token"];
        let balance = if is_input {
            sides.from.amount(&arrival["balance"])
        } else {
            format!("{} of {}", text(&arrival["balance"]), text(&arrival["token"]))
        };
        line(out, &format!("block {}", text(&arrival["block"])), &[balance, text(&arrival["txHash"])]);
    }
}

fn sent(out: &mut String, history: &Value, directory: &Directory) {
    if list(history, "sent").next().is_some() {
        section(out, "Sent transactions");
    }
    for sent in list(history, "sent") {
        let tries = sent["attempts"].as_array().map_or(0, Vec::len);
        let tries = if tries > 1 { format!("({tries} attempts)") } else { String::new() };
        let state = format!("{} on {}", text(&sent["state"]), chain_name(&sent["chainId"], directory));
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
        let token: Token = serde_json::from_value(json!({
            "chainId": 1, "address": "0xa", "name": "USD Coin", "symbol": "USDC", "decimals": 1,
        }))
        .unwrap();
        let side =
            |token, address: &str, chain: &str| Side { token, address: address.into(), chain: chain.into() };
        let sides = Sides { from: side(Some(token), "0xa", "Ethereum"), to: side(None, "0xb", "OP Mainnet") };
        let shown = format_history(&history, &sides, &Directory::default());
        for part in [
            "published: 0.5 USDC on Ethereum → 4 of 0xb on OP Mainnet",
            "0.5 USDC  chain 1 block 7",
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
