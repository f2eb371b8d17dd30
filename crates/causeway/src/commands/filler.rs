use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::client::failure::Failure;
use super::client::table::Table;
use super::filler_check::{CheckArgs, check_filler};
use super::operator::{Door, OperatorArgs, operate};
use super::pause::{pause_one, resume_one};
use crate::config::Config;

/// What to do with fillers.
#[derive(Debug, Subcommand)]
pub(crate) enum FillerCommand {
    /// Let a filler elsewhere join, or change how it is spoken to; it is asked from the next quote on
    Add(AddArgs),
    /// Ask a filler no more for now; its open orders go on
    Pause {
        name: String,
        /// Why, for those who ask for a quote meanwhile
        #[arg(long, default_value = "")]
        reason: String,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Ask a filler again
    Resume {
        name: String,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Remove a filler that joined; its open orders are followed to their end
    Remove {
        name: String,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Try a filler's server against every rule of the protocol, without a service and without money
    Check(CheckArgs),
    /// Show all fillers and how they stand
    List {
        #[command(flatten)]
        service: OperatorArgs,
    },
}

/// How a filler is spoken to.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Protocol {
    /// Our own two calls, signed with a secret that both know
    Remote,
    /// The interface of the Open Intents Framework
    Oif,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct AddArgs {
    /// A name of your choice: letters, digits, `-`, `_` and `.`
    name: String,

    /// How it is spoken to
    #[arg(long)]
    kind: Protocol,

    /// Where the filler answers
    #[arg(long, value_name = "URL")]
    url: String,

    /// A file with the secret that its calls are signed with; without it `CAUSEWAY_FILLER_SECRET` is read
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,

    /// How long it may take to answer, in milliseconds
    #[arg(long, value_name = "MILLISECONDS")]
    deadline: Option<u64>,

    /// Where the service is
    #[arg(long, env = "CAUSEWAY_URL", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    service: String,

    /// Print the answer as JSON
    #[arg(long)]
    json: bool,
}

/// Changes which fillers are asked.
pub(crate) fn filler(command: &FillerCommand, config: &Config) -> anyhow::Result<()> {
    match command {
        FillerCommand::Add(args) => {
            let service = OperatorArgs::of(&args.service, args.json);
            operate(&service, config, |door| async move { add(&door, args).await })
        }
        FillerCommand::Pause { name, reason, service } => {
            operate(service, config, |door| async move { pause_one(&door, "filler", name, reason).await })
        }
        FillerCommand::Resume { name, service } => {
            operate(service, config, |door| async move { resume_one(&door, "filler", name).await })
        }
        FillerCommand::Remove { name, service } => operate(service, config, |door| async move {
            let answer = door.delete(&["fillers", name]).await?;
            door.print(&answer, |_| {
                format!("{name} is asked no more; its open orders are followed to their end")
            })
        }),
        FillerCommand::Check(args) => crate::runtime::run(check_filler(args, config)),
        FillerCommand::List { service } => operate(service, config, |door| async move {
            let answer = door.get(&["fillers"], &[]).await?;
            door.print(&answer, table)
        }),
    }
}

async fn add(door: &Door, args: &AddArgs) -> Result<(), Failure> {
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
    let answer = door.post(&["fillers"], &body).await?;
    door.print(&answer, |_| format!("{} is asked from the next quote on", args.name))
}

/// Never an argument: those are seen by everybody on the machine.
fn secret(args: &AddArgs) -> Result<Option<String>, Failure> {
    let Some(file) = &args.secret_file else { return Ok(std::env::var("CAUSEWAY_FILLER_SECRET").ok()) };
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))?;
    Ok(Some(text.trim().to_owned()))
}

fn table(answer: &Value) -> String {
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or("-").to_owned();
    let mut table = Table::new(&["name", "type", "state", "spoken to as", "at", "why"]);
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
