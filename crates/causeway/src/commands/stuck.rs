use std::fmt::Write as _;

use clap::Args;
use serde_json::Value;

use super::client::directory::Directory;
use super::operator::{OperatorArgs, run_operator_command};
use crate::boot::config::Config;

#[derive(Clone, Debug, Args)]
pub(crate) struct StuckArgs {
    /// Orders and purchases without progress for this many seconds, instead of the usual time of their status
    #[arg(long, value_name = "SECONDS")]
    older_than: Option<u64>,

    #[command(flatten)]
    service: OperatorArgs,
}

/// Lists the orders and purchases without progress, each with the reason and the remedy.
pub(crate) fn stuck(args: &StuckArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        let query: Vec<_> =
            args.older_than.map(|seconds| ("olderThan", seconds.to_string())).into_iter().collect();
        let answer = client.get(&["stuck"], &query).await?;
        let directory = client.directory().await?;
        client.print(&answer, |answer| {
            let mut out = format_orders(answer, &directory);
            out.push_str(&format_purchases(answer));
            if out.is_empty() { "no order and no purchase is stuck".to_owned() } else { out }
        })
    })
}

fn format_purchases(answer: &Value) -> String {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let mut out = String::new();
    for row in answer["purchases"].as_array().into_iter().flatten() {
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{}  {}  purchase from {}  since {}\n  reason      {}\n  remedy      {}",
            text(row, "purchaseId"),
            text(row, "status"),
            text(row, "provider"),
            text(row, "unmovedSince"),
            text(row, "reason"),
            text(row, "remedy"),
        );
    }
    out
}

fn format_orders(answer: &Value, directory: &Directory) -> String {
    let chain = |row: &Value, name: &str| directory.name(row[name].as_u64().unwrap_or_default());
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let mut out = String::new();
    for row in answer["data"].as_array().into_iter().flatten() {
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{}  {}  {} → {}  {}  since {}\n  reason      {}\n  remedy      {}",
            text(row, "orderId"),
            text(row, "status"),
            chain(row, "fromChainId"),
            chain(row, "toChainId"),
            text(row, "filler"),
            text(row, "unmovedSince"),
            text(row, "reason"),
            text(row, "remedy"),
        );
    }
    out
}
