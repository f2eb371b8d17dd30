use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::client::failure::Failure;
use super::client::table::Table;
use super::operator::{Door, OperatorArgs, operate};
use crate::config::Config;

/// What to do with the addresses that are told what happens to orders.
#[derive(Debug, Subcommand)]
pub(crate) enum WebhooksCommand {
    /// Tell an address from now on; prints the secret that its receiver checks signatures with
    Add(AddArgs),
    /// Show all endpoints and how their deliveries stand
    List {
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Remove an endpoint with its log and all that is on its way to it
    Remove {
        name: String,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Give an endpoint another secret; the one before signs beside it until the next change
    Rotate {
        name: String,
        /// The secret, instead of a random one
        #[arg(long, env = "CAUSEWAY_WEBHOOK_SECRET", hide_env_values = true)]
        secret: Option<String>,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Show how deliveries to an endpoint went, newest first
    Log {
        name: String,
        /// How many attempts
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=500))]
        limit: u32,
        /// Only attempts before this one, by its key
        #[arg(long, value_name = "KEY")]
        cursor: Option<u64>,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Send everything that came after an event again
    Replay {
        name: String,
        /// The id of an event; 0 begins with the oldest that is kept
        #[arg(long, value_name = "EVENT")]
        after: u64,
        #[command(flatten)]
        service: OperatorArgs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// A name of your choice: lower-case letters, digits, `-`, `_` and `.`
    name: String,
    /// Where to send: https, or http on this machine in the sandbox
    to: String,
    /// The secret, instead of a random one
    #[arg(long, env = "CAUSEWAY_WEBHOOK_SECRET", hide_env_values = true)]
    secret: Option<String>,
    /// Only orders whose quotes this integrator asked for (X-Integrator-Id)
    #[arg(long, value_name = "ID")]
    integrator: Option<String>,
    #[command(flatten)]
    service: OperatorArgs,
}

pub(crate) fn webhooks(command: &WebhooksCommand, config: &Config) -> anyhow::Result<()> {
    match command {
        WebhooksCommand::Add(args) => operate(&args.service, config, |door| add(door, args)),
        WebhooksCommand::List { service } => operate(service, config, list),
        WebhooksCommand::Remove { name, service } => operate(service, config, |door| remove(door, name)),
        WebhooksCommand::Rotate { name, secret, service } => {
            operate(service, config, |door| rotate(door, name, secret.as_deref()))
        }
        WebhooksCommand::Log { name, limit, cursor, service } => {
            operate(service, config, |door| log(door, name, *limit, *cursor))
        }
        WebhooksCommand::Replay { name, after, service } => {
            operate(service, config, |door| replay(door, name, *after))
        }
    }
}

async fn add(door: Door, args: &AddArgs) -> Result<(), Failure> {
    let AddArgs { name, to, secret, integrator, .. } = args;
    let body = json!({ "name": name, "url": to, "secret": secret, "integrator": integrator });
    let added = door.post(&["webhooks"], &body).await?;
    door.print(&added, |added| format!("{name} is told from now on.\n{}", secret_words(added)))
}

async fn list(door: Door) -> Result<(), Failure> {
    let answer = door.get(&["webhooks"], &[]).await?;
    door.print(&answer, |answer| {
        let mut table = Table::new(&["name", "told", ">waiting", ">given up", "integrator", "source", "url"]);
        for webhook in rows(answer, "webhooks") {
            let told = if webhook["enabled"].as_bool() == Some(true) { "yes" } else { "no" };
            table.row([
                cell(&webhook["name"]),
                told.to_owned(),
                cell(&webhook["waiting"]),
                cell(&webhook["givenUp"]),
                cell(&webhook["integrator"]),
                cell(&webhook["source"]),
                cell(&webhook["url"]),
            ]);
        }
        if table.is_empty() {
            "Nobody is told. `causeway webhooks add NAME URL` adds an endpoint.\n".to_owned()
        } else {
            table.to_string()
        }
    })
}

async fn remove(door: Door, name: &str) -> Result<(), Failure> {
    let answer = door.delete(&["webhooks", name]).await?;
    door.print(&answer, |_| format!("{name} is told nothing more.\n"))
}

async fn rotate(door: Door, name: &str, secret: Option<&str>) -> Result<(), Failure> {
    let answer = door.post(&["webhooks", name, "rotate"], &json!({ "secret": secret })).await?;
    door.print(&answer, |answer| {
        format!("{}The secret before signs beside it until the next change.\n", secret_words(answer))
    })
}

async fn log(door: Door, name: &str, limit: u32, cursor: Option<u64>) -> Result<(), Failure> {
    let mut query = vec![("limit", limit.to_string())];
    query.extend(cursor.map(|cursor| ("cursor", cursor.to_string())));
    let answer = door.get(&["webhooks", name, "log"], &query).await?;
    door.print(&answer, |answer| {
        let mut table = Table::new(&["at", "event", "order", ">attempt", "outcome", "words"]);
        for attempt in rows(answer, "attempts") {
            table.row([
                cell(&attempt["at"]),
                cell(&attempt["eventId"]),
                cell(&attempt["orderId"]),
                cell(&attempt["attempt"]),
                cell(&attempt["outcome"]),
                cell(&attempt["words"]),
            ]);
        }
        if table.is_empty() { "Nothing was sent yet.\n".to_owned() } else { table.to_string() }
    })
}

async fn replay(door: Door, name: &str, after: u64) -> Result<(), Failure> {
    let answer = door.post(&["webhooks", name, "replay"], &json!({ "after": after.to_string() })).await?;
    door.print(&answer, |answer| {
        format!("{} events are on their way to {name} again.\n", cell(&answer["events"]))
    })
}

fn rows<'a>(answer: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    answer[name].as_array().into_iter().flatten()
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    }
}

fn secret_words(answer: &Value) -> String {
    format!("Secret, shown this once: {}\n", cell(&answer["secret"]))
}
