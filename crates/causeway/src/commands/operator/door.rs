use std::time::Duration;

use causeway_client::{Client, Method};
use clap::Args;
use serde_json::Value;

use super::token::find_token;
use crate::commands::client::failure::Failure;
use crate::commands::client::output;
use crate::config::Config;
use crate::runtime;

/// How long a request may take unless told otherwise, in seconds.
const TIMEOUT: u64 = 15;

/// Which service to operate, and how to answer. The token comes from `CAUSEWAY_OPERATOR_TOKEN`, the configuration or the data
/// folder.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "The service to operate, and the answer")]
pub(crate) struct OperatorArgs {
    /// Where the service is
    #[arg(long, env = "CAUSEWAY_URL", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    url: String,

    /// How long a request may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,

    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl OperatorArgs {
    /// For commands whose `--url` means something else.
    pub(crate) fn of(url: &str, json: bool) -> Self {
        Self { url: url.to_owned(), timeout: TIMEOUT, json }
    }
}

/// The operator's door of a running service.
pub(crate) struct Door {
    client: Client,
    pub(crate) json: bool,
}

impl Door {
    fn open(args: &OperatorArgs, config: &Config) -> Result<Self, Failure> {
        let token = find_token(config).map_err(|error| Failure::usage(format!("{error:#}")))?;
        let client = Client::builder(&args.url)
            .timeout(Duration::from_secs(args.timeout))
            .header("authorization", &format!("Bearer {token}"))
            .build()?;
        Ok(Self { client, json: args.json })
    }

    /// Reads what lies under `/operator` there.
    pub(crate) async fn get(
        &self,
        path: &[&str],
        query: &[(&'static str, String)],
    ) -> Result<Value, Failure> {
        self.call(Method::GET, path, query, None).await
    }

    /// Asks for something to be made or done.
    pub(crate) async fn post(&self, path: &[&str], body: &Value) -> Result<Value, Failure> {
        self.call(Method::POST, path, &[], Some(body)).await
    }

    /// Asks for something to be taken away.
    pub(crate) async fn delete(&self, path: &[&str]) -> Result<Value, Failure> {
        self.call(Method::DELETE, path, &[], None).await
    }

    async fn call(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&'static str, String)],
        body: Option<&Value>,
    ) -> Result<Value, Failure> {
        let path: Vec<&str> = std::iter::once("operator").chain(path.iter().copied()).collect();
        Ok(self.client.call(method, &path, query, body).await?)
    }

    /// Prints an answer: as it came with `--json`, else in words.
    pub(crate) fn print(&self, answer: &Value, words: impl FnOnce(&Value) -> String) -> Result<(), Failure> {
        if self.json { output::print_json(answer) } else { output::print(&words(answer)) }
    }
}

/// Runs a command over the operator's door; with `--json` a failure is a document too.
pub(crate) fn operate<F>(
    args: &OperatorArgs,
    config: &Config,
    command: impl FnOnce(Door) -> F,
) -> anyhow::Result<()>
where
    F: Future<Output = Result<(), Failure>>,
{
    runtime::run(async {
        let done = match Door::open(args, config) {
            Ok(door) => command(door).await,
            Err(failure) => Err(failure),
        };
        if let (Err(failure), true) = (&done, args.json) {
            // What is told on standard error counts, should this be impossible.
            let _ = output::print_json(&failure.json());
        }
        Ok(done?)
    })
}
