use clap::Args;
use serde_json::Value;

use super::client::table::Table;
use super::operator::{OperatorArgs, run_operator_command};
use crate::boot::config::Config;

#[derive(Clone, Debug, Args)]
pub(crate) struct ResultsArgs {
    /// How many hours back
    #[arg(long, default_value_t = 24)]
    hours: u32,

    #[command(flatten)]
    service: OperatorArgs,
}

/// Shows what each filler has won and spent.
pub(crate) fn results(args: &ResultsArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        let answer = client.get(&["results"], &[("hours", args.hours.to_string())]).await?;
        client.print(&answer, table)
    })
}

fn table(answer: &Value) -> String {
    let mut table = Table::new(&[
        "filler",
        ">filled",
        ">volume $",
        ">referrers $",
        ">margin $",
        ">gas $",
        ">result $",
        ">unpriced",
    ]);
    for row in answer["fillers"].as_array().into_iter().flatten() {
        let cell = |name: &str| row[name].as_str().map_or_else(|| row[name].to_string(), str::to_owned);
        table.row([
            cell("filler"),
            cell("filled"),
            cell("volumeUsd"),
            cell("referrersUsd"),
            cell("marginUsd"),
            cell("gasUsd"),
            cell("resultUsd"),
            cell("unpriced"),
        ]);
    }
    if table.is_empty() { "No order has ended in this time.".to_owned() } else { table.to_string() }
}
