use std::fmt::Write as _;

use clap::Args;
use serde_json::Value;

use super::operator::{OperatorArgs, operate};
use crate::config::Config;

#[derive(Clone, Debug, Args)]
pub(crate) struct StuckArgs {
    /// Orders that have not moved for so many seconds, whatever is usual for their status
    #[arg(long, value_name = "SECONDS")]
    older_than: Option<u64>,

    #[command(flatten)]
    service: OperatorArgs,
}

/// Lists the orders that have not moved for longer than they should, each with the reason and what would move it.
pub(crate) fn stuck(args: &StuckArgs, config: &Config) -> anyhow::Result<()> {
    operate(&args.service, config, |door| async move {
        let query: Vec<_> =
            args.older_than.map(|seconds| ("olderThan", seconds.to_string())).into_iter().collect();
        let answer = door.get(&["stuck"], &query).await?;
        door.print(&answer, told)
    })
}

fn told(answer: &Value) -> String {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let mut out = String::new();
    for row in answer["data"].as_array().into_iter().flatten() {
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{}  {}  {} → {}  {}  since {}\n  reason      {}\n  moves when  {}",
            text(row, "orderId"),
            text(row, "status"),
            row["fromChainId"],
            row["toChainId"],
            text(row, "filler"),
            text(row, "unmovedSince"),
            text(row, "reason"),
            text(row, "remedy"),
        );
    }
    if out.is_empty() { "no order is stuck".to_owned() } else { out }
}
