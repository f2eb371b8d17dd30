mod listen;
mod trigger;

use causeway_domain::ports::Subscription;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::client;
use super::client::failure::Failure;
use super::client::table::Table;
use super::operator::{OperatorArgs, OperatorClient, run_operator_command};
use crate::boot::config::Config;
use listen::ListenArgs;
use trigger::TriggerArgs;

/// Manages webhook endpoints.
#[derive(Debug, Subcommand)]
pub(crate) enum WebhooksCommand {
    /// Add an endpoint; prints the secret that verifies signatures
    Add(AddArgs),
    /// Show all endpoints and the state of their deliveries
    List {
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Remove an endpoint with its log and its pending deliveries
    Remove {
        name: String,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Rotate an endpoint's secret; the previous one also signs until the next rotation
    Rotate {
        name: String,
        /// The secret, instead of a random one
        #[arg(long, env = "CAUSEWAY_WEBHOOK_SECRET", hide_env_values = true)]
        secret: Option<String>,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Show the delivery attempts of an endpoint, newest first
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
    /// Receive events on this machine, for development: print each until Ctrl-C
    Listen(ListenArgs),
    /// Send a signed event to an endpoint in development, and show its answer
    Trigger(Box<TriggerArgs>),
    /// Send all events after an event again
    Replay {
        name: String,
        /// The id of an event; 0 starts with the oldest stored one
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
    /// Only orders with quotes of this integrator (X-Integrator-Id)
    #[arg(long, value_name = "ID")]
    integrator: Option<String>,
    /// What to receive events about
    #[arg(long, default_value = "orders", value_parser = subscriptions())]
    about: String,
    #[command(flatten)]
    service: OperatorArgs,
}

fn subscriptions() -> PossibleValuesParser {
    PossibleValuesParser::new(Subscription::ALL.map(Subscription::as_str))
}

pub(crate) fn webhooks(command: &WebhooksCommand, config: &Config) -> anyhow::Result<()> {
    match command {
        WebhooksCommand::Add(args) => run_operator_command(&args.service, config, |client| add(client, args)),
        WebhooksCommand::Listen(args) => {
            run_operator_command(&args.service, config, |client| listen::listen(client, args))
        }
        WebhooksCommand::Trigger(args) => {
            client::run(&args.service, |session| trigger::trigger(session, args))
        }
        WebhooksCommand::List { service } => run_operator_command(service, config, list),
        WebhooksCommand::Remove { name, service } => {
            run_operator_command(service, config, |client| remove(client, name))
        }
        WebhooksCommand::Rotate { name, secret, service } => {
            run_operator_command(service, config, |client| rotate(client, name, secret.as_deref()))
        }
        WebhooksCommand::Log { name, limit, cursor, service } => {
            run_operator_command(service, config, |client| log(client, name, *limit, *cursor))
        }
        WebhooksCommand::Replay { name, after, service } => {
            run_operator_command(service, config, |client| replay(client, name, *after))
        }
    }
}

async fn add(client: OperatorClient, args: &AddArgs) -> Result<(), Failure> {
    let AddArgs { name, to, secret, integrator, about, .. } = args;
    let body = json!({ "name": name, "url": to, "secret": secret, "integrator": integrator, "about": about });
    let added = client.post(&["webhooks"], &body).await?;
    client.print(&added, |added| format!("{name} receives events from now on.\n{}", format_secret(added)))
}

async fn list(client: OperatorClient) -> Result<(), Failure> {
    let answer = client.get(&["webhooks"], &[]).await?;
    client.print(&answer, |answer| {
        let mut table =
            Table::new(&["name", "enabled", ">waiting", ">given up", "about", "integrator", "source", "url"]);
        for webhook in rows(answer, "webhooks") {
            let enabled = if webhook["enabled"].as_bool() == Some(true) { "yes" } else { "no" };
            table.row([
                cell(&webhook["name"]),
                enabled.to_owned(),
                cell(&webhook["waiting"]),
                cell(&webhook["givenUp"]),
                cell(&webhook["about"]),
                cell(&webhook["integrator"]),
                cell(&webhook["source"]),
                cell(&webhook["url"]),
            ]);
        }
        if table.is_empty() {
            "There are no endpoints. `causeway webhooks add NAME URL` adds one.\n".to_owned()
        } else {
            table.to_string()
        }
    })
}

async fn remove(client: OperatorClient, name: &str) -> Result<(), Failure> {
    let answer = client.delete(&["webhooks", name]).await?;
    client.print(&answer, |_| format!("{name} is removed.\n"))
}

async fn rotate(client: OperatorClient, name: &str, secret: Option<&str>) -> Result<(), Failure> {
    let answer = client.post(&["webhooks", name, "rotate"], &json!({ "secret": secret })).await?;
    client.print(&answer, |answer| {
        format!("{}The previous secret also signs until the next rotation.\n", format_secret(answer))
    })
}

async fn log(client: OperatorClient, name: &str, limit: u32, cursor: Option<u64>) -> Result<(), Failure> {
    let mut query = vec![("limit", limit.to_string())];
    query.extend(cursor.map(|cursor| ("cursor", cursor.to_string())));
    let answer = client.get(&["webhooks", name, "log"], &query).await?;
    client.print(&answer, |answer| {
        let mut table = Table::new(&["at", "event", "order", ">attempt", "outcome", "message"]);
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

async fn replay(client: OperatorClient, name: &str, after: u64) -> Result<(), Failure> {
    let answer = client.post(&["webhooks", name, "replay"], &json!({ "after": after.to_string() })).await?;
    client.print(&answer, |answer| format!("{} events are sent to {name} again.\n", cell(&answer["events"])))
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

fn format_secret(answer: &Value) -> String {
    format!("Secret, shown this once: {}\n", cell(&answer["secret"]))
}
