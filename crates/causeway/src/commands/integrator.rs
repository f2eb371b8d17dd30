use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::client::table::Table;
use super::operator::{OperatorArgs, run_operator_command};
use crate::boot::config::Config;

const DAY_SECONDS: u64 = 86_400;
const HOUR_SECONDS: u64 = 3_600;

/// What to do with integrators.
#[derive(Debug, Subcommand)]
pub(crate) enum IntegratorCommand {
    /// Add an integrator and print its API key, once
    New(NewArgs),
    /// Show all integrators with their keys and their quotes of today
    List {
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Make another key and print it, once; the one before stays valid for a while
    Rotate {
        name: String,
        /// How long the key before stays valid
        #[arg(long, value_name = "HOURS", default_value_t = 168, value_parser = clap::value_parser!(u64).range(0..=8_760))]
        keep_old: u64,
        /// After how many days the new key expires; by default never
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(1..=3_650))]
        expires_in: Option<u64>,
        #[command(flatten)]
        service: OperatorArgs,
    },
    /// Revoke a key, or all keys of an integrator; every replica refuses it within about a second
    Revoke {
        name: String,
        /// The id of the key, as `list` shows it; by default all
        #[arg(long, value_name = "ID")]
        key: Option<String>,
        #[command(flatten)]
        service: OperatorArgs,
    },
}

/// What a key may be used for.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Scope {
    /// Ask for quotes of swaps
    Quotes,
    /// Build deposits
    Builds,
    /// Everything of the fiat API
    Fiat,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct NewArgs {
    /// A name of your choice: letters, digits, `-`, `_` and `.`; orders and webhooks have it as integrator
    name: String,

    /// What its keys may be used for; by default everything
    #[arg(long, value_delimiter = ',')]
    scopes: Vec<Scope>,

    /// Who gets the fee of its swaps: an address on EVM chains, on Solana, or one of each
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',')]
    referrer: Vec<String>,

    /// The fee in basis points
    #[arg(long, value_name = "BPS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=1_000))]
    fee_bps: u64,

    /// How many quotes a day; by default as many as the rate limits let through
    #[arg(long, value_name = "NUMBER")]
    quotes_per_day: Option<u64>,

    /// After how many days the key expires; by default never
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(1..=3_650))]
    expires_in: Option<u64>,

    #[command(flatten)]
    service: OperatorArgs,
}

/// Manages integrators and their API keys.
pub(crate) fn integrator(command: &IntegratorCommand, config: &Config) -> anyhow::Result<()> {
    match command {
        IntegratorCommand::New(args) => run_operator_command(&args.service, config, |client| async move {
            let answer = client.post(&["integrators"], &new(args)).await?;
            client.print(&answer, issued)
        }),
        IntegratorCommand::List { service } => run_operator_command(service, config, |client| async move {
            let answer = client.get(&["integrators"], &[]).await?;
            client.print(&answer, table)
        }),
        IntegratorCommand::Rotate { name, keep_old, expires_in, service } => {
            let body = json!({
                "keepOldSeconds": keep_old.saturating_mul(HOUR_SECONDS),
                "expiresInSeconds": days(*expires_in),
            });
            run_operator_command(service, config, |client| async move {
                let answer = client.post(&["integrators", name, "keys"], &body).await?;
                client.print(&answer, issued)
            })
        }
        IntegratorCommand::Revoke { name, key, service } => {
            run_operator_command(service, config, |client| async move {
                let answer = match key {
                    Some(id) => client.delete(&["integrators", name, "keys", id]).await?,
                    None => client.delete(&["integrators", name]).await?,
                };
                client.print(&answer, |answer| {
                    format!(
                        "revoked {} of {name}; every replica refuses it within about a second",
                        keys(answer)
                    )
                })
            })
        }
    }
}

fn new(args: &NewArgs) -> Value {
    let scope = |scope: &Scope| match scope {
        Scope::Quotes => "quotes",
        Scope::Builds => "builds",
        Scope::Fiat => "fiat",
    };
    let scopes: Vec<&str> = args.scopes.iter().map(scope).collect();
    json!({
        "name": args.name,
        "scopes": (!scopes.is_empty()).then_some(scopes),
        "referrers": args.referrer,
        "feeBps": args.fee_bps,
        "quotesPerDay": args.quotes_per_day,
        "expiresInSeconds": days(args.expires_in),
    })
}

fn days(days: Option<u64>) -> Option<u64> {
    days.map(|days| days.saturating_mul(DAY_SECONDS))
}

/// The key stands alone on its line, so that a script can take it.
fn issued(answer: &Value) -> String {
    let text = |name: &str| answer[name].as_str().unwrap_or("-").to_owned();
    let ends = answer["expiresAt"].as_str().map_or_else(String::new, |at| format!(" until {at}"));
    format!(
        "{}\nis key {} of {}, valid{ends}; it is shown only now. Clients send it in the header x-api-key.",
        text("key"),
        text("id"),
        text("integrator"),
    )
}

fn keys(answer: &Value) -> String {
    match answer["revoked"].as_u64().unwrap_or_default() {
        1 => "1 key".to_owned(),
        count => format!("{count} keys"),
    }
}

fn table(answer: &Value) -> String {
    let text = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let list = |value: &Value| {
        let items: Vec<String> = value.as_array().into_iter().flatten().map(text).collect();
        if items.is_empty() { "-".to_owned() } else { items.join(",") }
    };
    let mut table = Table::new(&[
        "name",
        "scopes",
        ">fee bps",
        "referrers",
        ">quotes today",
        ">a day",
        "key",
        "state",
        "expires",
    ]);
    for row in answer["data"].as_array().into_iter().flatten() {
        for (index, key) in row["keys"].as_array().into_iter().flatten().enumerate() {
            let once = |cell: String| if index == 0 { cell } else { String::new() };
            table.row([
                once(text(&row["name"])),
                once(list(&row["scopes"])),
                once(text(&row["feeBps"])),
                once(list(&row["referrers"])),
                once(text(&row["quotesToday"])),
                once(text(&row["quotesPerDay"])),
                text(&key["id"]),
                text(&key["state"]),
                text(&key["expiresAt"]),
            ]);
        }
    }
    if table.is_empty() { "there are no integrators".to_owned() } else { table.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_integrator_is_named_once_and_each_key_has_a_line() {
        let key = |id: &str, state: &str| json!({ "id": id, "state": state, "expiresAt": null });
        let shown = table(&json!({ "data": [{
            "name": "shop", "scopes": ["quotes"], "feeBps": 25, "referrers": [], "quotesToday": 7, "quotesPerDay": null,
            "keys": [key("0a0b0c0d", "revoked"), key("01020304", "valid")],
        }] }));
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 3, "{shown}");
        assert!(lines[1].starts_with("shop  quotes") && lines[1].contains("0a0b0c0d  revoked"), "{shown}");
        assert!(!lines[2].contains("shop") && lines[2].contains("01020304  valid"), "{shown}");
    }

    #[test]
    fn a_new_key_stands_alone_on_the_first_line() {
        let shown = issued(&json!({ "key": "cwk_1_2", "id": "1", "integrator": "shop", "expiresAt": null }));
        assert_eq!(shown.lines().next(), Some("cwk_1_2"));
        assert!(shown.contains("is key 1 of shop, valid; it is shown only now"), "{shown}");
    }
}
