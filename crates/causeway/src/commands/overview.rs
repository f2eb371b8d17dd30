use std::fmt::Write as _;

use clap::Args;
use serde_json::Value;

use super::client::directory::Directory;
use super::client::table::Table;
use super::client::units;
use super::operator::{OperatorArgs, run_operator_command};
use crate::boot::config::Config;

#[derive(Clone, Debug, Args)]
pub(crate) struct OverviewArgs {
    #[command(flatten)]
    service: OperatorArgs,
}

/// Shows at a glance whether all is well.
pub(crate) fn overview(args: &OverviewArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        let answer = client.get(&["overview"], &[]).await?;
        let directory = client.directory().await?;
        client.print(&answer, |answer| format_overview(answer, &directory))
    })
}

fn format_overview(answer: &Value, directory: &Directory) -> String {
    let mut out = String::new();
    for (title, table) in [
        ("Orders", orders(answer)),
        ("Unclaimed value", unclaimed(answer, directory)),
        ("Inventory and gas", inventory(answer, directory)),
        ("Chains", chains(answer)),
        ("Attesters", attesters(answer)),
        ("Open breakers", breakers(answer, directory)),
        ("Prices", prices(answer)),
        ("Price sources", price_sources(answer)),
        ("On-ramps", on_ramps(answer)),
    ] {
        if !table.is_empty() {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{title}\n{table}");
        }
    }
    out
}

fn rows<'a>(answer: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    answer[name].as_array().into_iter().flatten()
}

/// A value as text; null is a dash.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn chain(row: &Value, name: &str, directory: &Directory) -> String {
    row[name].as_u64().map_or_else(|| cell(&row[name]), |id| directory.name(id))
}

fn marked(value: &Value, is_low: &Value) -> String {
    let mark = if is_low == &Value::Bool(true) { " low" } else { "" };
    format!("{}{mark}", cell(value))
}

fn orders(answer: &Value) -> Table {
    let mut table = Table::new(&["filler", "status", ">orders"]);
    for row in rows(answer, "orders") {
        table.row([cell(&row["filler"]), cell(&row["status"]), cell(&row["orders"])]);
    }
    table
}

fn unclaimed(answer: &Value, directory: &Directory) -> Table {
    let mut table =
        Table::new(&["filler", "chain", ">orders", ">amount", "token", ">$", ">refund may come in"]);
    for row in rows(answer, "unclaimed") {
        let decimals = row["decimals"].as_u64().and_then(|decimals| u8::try_from(decimals).ok());
        let raw = cell(&row["amount"]);
        let amount = decimals.map_or_else(|| raw.clone(), |decimals| units::format_exact(&raw, decimals));
        let token = if row["symbol"].is_null() { &row["token"] } else { &row["symbol"] };
        table.row([
            cell(&row["filler"]),
            chain(row, "chainId", directory),
            cell(&row["orders"]),
            amount,
            cell(token),
            cell(&row["usd"]),
            format!("{} s", cell(&row["secondsLeft"])),
        ]);
    }
    table
}

fn inventory(answer: &Value, directory: &Directory) -> Table {
    let mut table = Table::new(&["filler", "chain", ">gas $", ">stock $", "largest"]);
    for row in rows(answer, "inventory") {
        let largest = rows(row, "largest").map(|one| format!("{} ${}", cell(&one["symbol"]), one["usd"]));
        table.row([
            cell(&row["filler"]),
            chain(row, "chainId", directory),
            marked(&row["gasUsd"], &row["isGasLow"]),
            marked(&row["stockUsd"], &row["isStockLow"]),
            largest.collect::<Vec<_>>().join(", "),
        ]);
    }
    table
}

fn chains(answer: &Value) -> Table {
    let mut table = Table::new(&["chain", ">final block", ">seconds ago", "endpoints", "state"]);
    for row in rows(answer, "chains") {
        let own = |one: &&Value| one["chain"] == row["chainId"];
        let endpoints: Vec<&Value> = rows(answer, "endpoints").filter(own).collect();
        let serving = endpoints.iter().filter(|one| one["up"] == 1).count();
        let is_halted = rows(answer, "haltedChains").any(|one| one["chain"] == row["chainId"]);
        let state = if is_halted {
            "halted"
        } else if row["enabled"] == false {
            "off"
        } else {
            ""
        };
        table.row([
            cell(&row["name"]),
            cell(&row["block"]),
            cell(&row["lagSeconds"]),
            format!("{serving} of {}", endpoints.len()),
            state.to_owned(),
        ]);
    }
    table
}

fn attesters(answer: &Value) -> Table {
    let mut table = Table::new(&["attester", ">readable chains"]);
    for row in rows(answer, "attesters") {
        table.row([cell(&row["attester"]), cell(&row["readableChains"])]);
    }
    table
}

fn breakers(answer: &Value, directory: &Directory) -> Table {
    let mut table = Table::new(&["filler", "chain", "breaker"]);
    for row in rows(answer, "breakers") {
        table.row([
            cell(&row["filler"]),
            chain(row, "chain", directory),
            cell(&row["breaker"]).replace('_', " "),
        ]);
    }
    table
}

fn prices(answer: &Value) -> Table {
    let mut table = Table::new(&["token", ">$", ">sources", ">seconds old", ">% apart", "problem"]);
    for row in rows(answer, "prices") {
        let spread = row["spreadMillionths"].as_u64();
        let percent = |spread: u64| format!("{}.{:04}", spread / 10_000, spread % 10_000);
        table.row([
            cell(&row["symbol"]),
            cell(&row["usd"]),
            cell(&row["sources"]),
            cell(&row["ageSeconds"]),
            spread.map_or_else(|| "-".to_owned(), percent),
            row["problem"].as_str().unwrap_or_default().to_owned(),
        ]);
    }
    table
}

fn price_sources(answer: &Value) -> Table {
    let mut table = Table::new(&["source", ">reads", ">failed"]);
    for row in rows(answer, "priceSources") {
        table.row([cell(&row["source"]), cell(&row["reads"]), cell(&row["faults"])]);
    }
    table
}

fn on_ramps(answer: &Value) -> Table {
    let mut table = Table::new(&["on-ramp", ">answers", ">faults", "last fault", "paused"]);
    for row in rows(answer, "onRamps") {
        table.row([
            cell(&row["provider"]),
            cell(&row["answers"]),
            cell(&row["faults"]),
            cell(&row["lastFault"]),
            row["paused"].as_str().unwrap_or_default().to_owned(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_overview_shows_every_part_that_has_something_and_marks_what_runs_low() {
        let answer = json!({
            "orders": [{ "filler": "north", "status": "filled", "orders": 7 }],
            "unclaimed": [{
                "filler": "north", "chainId": 1, "token": "0xa", "symbol": "USDC", "decimals": 6, "orders": 2,
                "amount": "2500000", "usd": "2.5", "secondsLeft": 90,
            }],
            "inventory": [{
                "filler": "north", "chainId": 1, "gasUsd": 3, "isGasLow": true, "stockUsd": 500, "isStockLow": false,
                "largest": [{ "symbol": "USDC", "usd": 500 }],
            }],
            "chains": [{ "chainId": 1, "name": "Ethereum", "enabled": true, "block": 9, "lagSeconds": 12 }],
            "endpoints": [{ "chain": 1, "endpoint": "a", "up": 1 }, { "chain": 1, "endpoint": "b", "up": 0 }],
            "haltedChains": [{ "chain": 1 }],
            "attesters": [],
            "breakers": [{ "filler": "north", "chain": 1, "breaker": "hourly_fees" }],
            "prices": [{ "symbol": "ETH", "usd": "3000", "sources": 3, "ageSeconds": 4, "spreadMillionths": 1500 }],
            "priceSources": [{ "source": "one", "reads": 5, "faults": null }],
            "onRamps": [{ "provider": "card", "answers": 4, "faults": 1, "lastFault": "timed out", "paused": "its bank" }],
        });
        let shown = format_overview(&answer, &Directory::default());
        for part in [
            "north   filled       7",
            "2.5  USDC",
            "90 s",
            "3 low",
            "500  USDC $500",
            "1 of 2     halted",
            "hourly fees",
            "0.1500",
            "timed out   its bank",
        ] {
            assert!(shown.contains(part), "{part} is missing in\n{shown}");
        }
        assert!(!shown.contains("Attesters") && !shown.contains("500 low"), "{shown}");
    }
}
