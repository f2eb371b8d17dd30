use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::client::failure::Failure;
use super::client::table::Table;
use super::operator::{OperatorArgs, OperatorClient, run_operator_command};
use crate::boot::config::Config;

/// What can be paused.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Kind {
    /// By its number, such as 8453
    Chain,
    /// By its identifier, such as eip155:8453:0x8335…
    Token,
    /// By its name
    Filler,
    /// By its id
    Onramp,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Token => "token",
            Self::Filler => "filler",
            Self::Onramp => "onramp",
        }
    }
}

#[derive(Clone, Debug, Args)]
pub(crate) struct PauseArgs {
    kind: Kind,
    /// Which one
    name: String,

    /// The reason, shown to clients that request quotes
    #[arg(long, default_value = "")]
    reason: String,

    #[command(flatten)]
    service: OperatorArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ResumeArgs {
    kind: Kind,
    /// Which one
    name: String,

    #[command(flatten)]
    service: OperatorArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct PausesArgs {
    #[command(flatten)]
    service: OperatorArgs,
}

/// Pauses a part of the service for new orders.
pub(crate) fn pause(args: &PauseArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        pause_one(&client, args.kind.as_str(), &args.name, &args.reason).await
    })
}

/// Ends a pause.
pub(crate) fn resume(args: &ResumeArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        resume_one(&client, args.kind.as_str(), &args.name).await
    })
}

/// Shows what is paused.
pub(crate) fn pauses(args: &PausesArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        let answer = client.get(&["pauses"], &[]).await?;
        client.print(&answer, table)
    })
}

pub(super) async fn pause_one(
    client: &OperatorClient,
    kind: &str,
    name: &str,
    reason: &str,
) -> Result<(), Failure> {
    let body = json!({ "kind": kind, "name": name, "reason": reason });
    let answer = client.post(&["pauses"], &body).await?;
    client.print(&answer, |_| format!("{kind} {name} is paused: no new orders use it; open orders continue"))
}

pub(super) async fn resume_one(client: &OperatorClient, kind: &str, name: &str) -> Result<(), Failure> {
    let answer = client.delete(&["pauses", kind, name]).await?;
    client.print(&answer, |_| format!("{kind} {name} is resumed"))
}

fn table(answer: &Value) -> String {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let mut table = Table::new(&["what", "name", "since", "reason"]);
    for row in answer["data"].as_array().into_iter().flatten() {
        table.row([text(row, "kind"), text(row, "name"), text(row, "since"), text(row, "reason")]);
    }
    if table.is_empty() { "nothing is paused".to_owned() } else { table.to_string() }
}
