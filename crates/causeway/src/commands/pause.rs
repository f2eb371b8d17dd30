use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::client::directory::Directory;
use super::client::failure::Failure;
use super::client::parse::TokenRef;
use super::client::table::Table;
use super::operator::{OperatorArgs, OperatorClient, run_operator_command};
use crate::boot::config::Config;

/// What can be paused.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Kind {
    /// By its name or number, such as base or 8453
    Chain,
    /// By symbol and chain or by its identifier, such as usdc@base or eip155:8453:0x8335…
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
        let name = client.resolve(args.kind, &args.name).await?;
        pause_one(&client, args.kind.as_str(), (&name, &args.name), &args.reason).await
    })
}

/// Ends a pause.
pub(crate) fn resume(args: &ResumeArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        let name = client.resolve(args.kind, &args.name).await?;
        resume_one(&client, args.kind.as_str(), (&name, &args.name)).await
    })
}

/// Shows what is paused.
pub(crate) fn pauses(args: &PausesArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        let answer = client.get(&["pauses"], &[]).await?;
        let directory = client.directory().await?;
        client.print(&answer, |answer| table(answer, &directory))
    })
}

pub(super) async fn pause_one(
    client: &OperatorClient,
    kind: &str,
    (name, typed): (&str, &str),
    reason: &str,
) -> Result<(), Failure> {
    let body = json!({ "kind": kind, "name": name, "reason": reason });
    let answer = client.post(&["pauses"], &body).await?;
    client.print(&answer, |_| format!("{kind} {typed} is paused: no new orders use it; open orders continue"))
}

pub(super) async fn resume_one(
    client: &OperatorClient,
    kind: &str,
    (name, typed): (&str, &str),
) -> Result<(), Failure> {
    let answer = client.delete(&["pauses", kind, name]).await?;
    client.print(&answer, |_| format!("{kind} {typed} is resumed"))
}

impl OperatorClient {
    /// The identifier of what was named: chains and tokens have names of their own on the command line.
    async fn resolve(&self, kind: Kind, name: &str) -> Result<String, Failure> {
        match kind {
            Kind::Chain => Ok(self.directory().await?.chain(name)?.id.to_string()),
            Kind::Token => match name.split_once('@') {
                Some((token, chain)) => {
                    let place = TokenRef { token: token.to_owned(), chain: chain.to_owned() };
                    self.directory().await?.token_id(&self.client, &place).await
                }
                None => Ok(name.to_owned()),
            },
            Kind::Filler | Kind::Onramp => Ok(name.to_owned()),
        }
    }
}

fn table(answer: &Value, directory: &Directory) -> String {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let mut table = Table::new(&["what", "name", "since", "reason"]);
    for row in answer["data"].as_array().into_iter().flatten() {
        let name = text(row, "name");
        let name = match (row["kind"].as_str(), name.parse().ok().and_then(|id| directory.by_id(id))) {
            (Some("chain"), Some(chain)) => format!("{} ({name})", chain.name),
            _ => name,
        };
        table.row([text(row, "kind"), name, text(row, "since"), text(row, "reason")]);
    }
    if table.is_empty() { "nothing is paused".to_owned() } else { table.to_string() }
}
