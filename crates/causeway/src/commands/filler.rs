use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::client::failure::Failure;
use super::client::table::Table;
use super::filler_check::{CheckArgs, check_filler};
use super::operator::{OperatorArgs, OperatorClient, run_operator_command};
use super::pause::{pause_one, resume_one};
use crate::boot::config::Config;

/// What to do with fillers.
#[derive(Debug, Subcommand)]
pub(crate) enum FillerCommand {
    /// Add a remote filler, or change its settings; it is asked from the next quote on
    Add(AddArgs),
    /// Pause a filler; its open orders continue
    Pause {
        name: String,
        /// The reason, shown to clients that request quotes
        #[arg(long, default_value = "")]
        reason: String,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Resume a paused filler
    Resume {
        name: String,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Remove an added filler; its open orders are followed to their end
    Remove {
        name: String,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Check a filler's server against every rule of the protocol, without a service or money
    Check(CheckArgs),
    /// Show all fillers and their state
    List {
        #[command(flatten)]
        service: OperatorArgs,
    },
}

/// The protocol of a filler.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Protocol {
    /// Our own protocol, signed with a shared secret
    Remote,
    /// The interface of the Open Intents Framework
    Oif,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct AddArgs {
    /// A name of your choice: letters, digits, `-`, `_` and `.`
    name: String,

    /// The protocol
    #[arg(long)]
    kind: Protocol,

    /// The URL of the filler
    #[arg(long, value_name = "URL")]
    url: String,

    /// A file with the secret that signs calls; otherwise `CAUSEWAY_FILLER_SECRET`
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,

    /// Its deadline, in milliseconds
    #[arg(long, value_name = "MILLISECONDS")]
    deadline: Option<u64>,

    /// Where the service is
    #[arg(long, env = "CAUSEWAY_URL", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    service: String,

    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// Manages fillers.
pub(crate) fn filler(command: &FillerCommand, config: &Config) -> anyhow::Result<()> {
    match command {
        FillerCommand::Add(args) => {
            let service = OperatorArgs::of(&args.service, args.json);
            run_operator_command(&service, config, |client| async move { add(&client, args).await })
        }
        FillerCommand::Pause { name, reason, service } => {
            run_operator_command(service, config, |client| async move {
                pause_one(&client, "filler", (name, name), reason).await
            })
        }
        FillerCommand::Resume { name, service } => {
            run_operator_command(service, config, |client| async move {
                resume_one(&client, "filler", (name, name)).await
            })
        }
        FillerCommand::Remove { name, service } => {
            run_operator_command(service, config, |client| async move {
                let answer = client.delete(&["fillers", name]).await?;
                client.print(&answer, |_| {
                    format!("{name} is asked no more; its open orders are followed to their end")
                })
            })
        }
        FillerCommand::Check(args) => crate::runtime::run(check_filler(args, config)),
        FillerCommand::List { service } => run_operator_command(service, config, |client| async move {
            let answer = client.get(&["fillers"], &[]).await?;
            client.print(&answer, table)
        }),
    }
}

async fn add(client: &OperatorClient, args: &AddArgs) -> Result<(), Failure> {
    let kind = match args.kind {
        Protocol::Remote => "remote",
        Protocol::Oif => "oif",
    };
    let body = json!({
        "name": args.name,
        "kind": kind,
        "url": args.url,
        "secret": secret(args)?,
        "deadlineMs": args.deadline,
    });
    let answer = client.post(&["fillers"], &body).await?;
    client.print(&answer, |_| format!("{} is asked from the next quote on", args.name))
}

/// Never an argument, which every user of the machine can read.
fn secret(args: &AddArgs) -> Result<Option<String>, Failure> {
    let Some(file) = &args.secret_file else { return Ok(std::env::var("CAUSEWAY_FILLER_SECRET").ok()) };
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))?;
    Ok(Some(text.trim().to_owned()))
}

fn table(answer: &Value) -> String {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or("-").to_owned();
    let mut table = Table::new(&["name", "type", "state", "protocol", "url", "reason"]);
    for row in answer["data"].as_array().into_iter().flatten() {
        table.row([
            text(row, "name"),
            text(row, "kind"),
            text(row, "state"),
            text(row, "protocol"),
            text(row, "url"),
            text(row, "reason"),
        ]);
    }
    if table.is_empty() { "there are no fillers".to_owned() } else { table.to_string() }
}
