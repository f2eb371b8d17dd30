use std::time::Duration;

use causeway_client::{Client, Method};
use clap::Args;
use serde_json::Value;

use crate::boot::config::Config;
use crate::boot::parts::operator_token::find_token;
use crate::commands::client::directory::Directory;
use crate::commands::client::failure::Failure;
use crate::commands::client::output;
use crate::runtime;

/// The default timeout of a request, in seconds.
const TIMEOUT: u64 = 15;

/// The service to operate, and the output. The token comes from `CAUSEWAY_OPERATOR_TOKEN`, the configuration or the data
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

/// A client of the operator API of a running service.
pub(crate) struct OperatorClient {
    pub(crate) client: Client,
    pub(crate) json: bool,
}

impl OperatorClient {
    fn open(args: &OperatorArgs, config: &Config) -> Result<Self, Failure> {
        let token = find_token(config).map_err(|error| Failure::usage(format!("{error:#}")))?;
        let client = Client::builder(&args.url)
            .timeout(Duration::from_secs(args.timeout))
            .header("authorization", &format!("Bearer {token}"))
            .build()?;
        Ok(Self { client, json: args.json })
    }

    /// The service's chains and tokens by name.
    pub(crate) async fn directory(&self) -> Result<Directory, Failure> {
        Directory::load(&self.client).await
    }

    /// Sends a GET request under `/operator`.
    pub(crate) async fn get(
        &self,
        path: &[&str],
        query: &[(&'static str, String)],
    ) -> Result<Value, Failure> {
        self.call(Method::GET, path, query, None).await
    }

    /// Sends a POST request under `/operator`.
    pub(crate) async fn post(&self, path: &[&str], body: &Value) -> Result<Value, Failure> {
        self.call(Method::POST, path, &[], Some(body)).await
    }

    /// Sends a DELETE request under `/operator`.
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

    /// Prints an answer: raw with `--json`, else formatted.
    pub(crate) fn print(&self, answer: &Value, words: impl FnOnce(&Value) -> String) -> Result<(), Failure> {
        if self.json { output::print_json(answer) } else { output::print(&words(answer)) }
    }
}

/// Runs a command over the operator API; with `--json` a failure is a JSON document too.
pub(crate) fn run_operator_command<F>(
    args: &OperatorArgs,
    config: &Config,
    command: impl FnOnce(OperatorClient) -> F,
) -> anyhow::Result<()>
where
    F: Future<Output = Result<(), Failure>>,
{
    runtime::run(async {
        let done = match OperatorClient::open(args, config) {
            Ok(client) => command(client).await,
            Err(failure) => Err(failure),
        };
        let done = done.map_err(|failure| failure.at(&args.url));
        if let (Err(failure), true) = (&done, args.json) {
            // The message on standard error remains if this fails.
            let _ = output::print_json(&failure.json());
        }
        Ok(done?)
    })
}
