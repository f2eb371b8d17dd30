//! The client commands, which call a running service over the SDK.

pub(crate) mod balances;
pub(crate) mod buy;
pub(crate) mod directory;
mod draw;
pub(crate) mod failure;
pub(crate) mod health;
pub(crate) mod interrupt;
mod interrupted;
pub(crate) mod key;
pub(crate) mod mcp;
mod order;
pub(crate) mod output;
mod pair;
pub(crate) mod parse;
mod progress;
mod purchase;
pub(crate) mod qr;
pub(crate) mod quote;
pub(crate) mod swap;
pub(crate) mod table;
pub(crate) mod tokens;
pub(crate) mod track;
pub(crate) mod units;

use std::time::Duration;

use causeway_client::Client;
use clap::Args;

use crate::runtime;
use directory::Directory;
use failure::Failure;
use interrupt::Interrupt;
use progress::Progress;

/// The service to call, and the output.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "The service to ask, and the answer")]
pub(crate) struct ServiceArgs {
    /// Where the service is
    #[arg(long, env = "CAUSEWAY_URL", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    url: String,

    /// How long a request may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,

    /// Print the answer as JSON, raw amounts and all
    #[arg(long)]
    pub(crate) json: bool,

    /// Show no progress on standard error
    #[arg(long, short)]
    quiet: bool,
}

/// A connection to a service.
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) interrupt: Interrupt,
    pub(crate) args: ServiceArgs,
}

impl Session {
    fn open(args: &ServiceArgs) -> Result<Self, Failure> {
        let interrupt = Interrupt::listen()?;
        let mut client = Client::builder(&args.url).timeout(Duration::from_secs(args.timeout));
        if let Some(key) = api_key() {
            client = client.api_key(&key);
        }
        let client = client.build()?;
        let client = client.with_cancellation(interrupt.token.clone());
        Ok(Self { client, interrupt, args: args.clone() })
    }

    pub(crate) async fn directory(&self) -> Result<Directory, Failure> {
        Directory::load(&self.client).await
    }

    pub(crate) fn progress(&self) -> Progress {
        Progress::start(self.args.quiet)
    }

    /// A client that ignores Ctrl-C, for requests after it.
    pub(crate) fn without_interrupt(&self) -> Client {
        self.client.with_cancellation(causeway_client::CancellationToken::new())
    }

    /// The command that continues to track an order.
    pub(crate) fn resume(&self, order_id: &str) -> String {
        let elsewhere = self.args.url.trim_end_matches('/') != "http://127.0.0.1:8080";
        let url = if elsewhere { format!(" --url {}", self.args.url) } else { String::new() };
        format!("causeway track {order_id}{url}")
    }
}

/// Never an argument, which every user of the machine can read.
fn api_key() -> Option<String> {
    std::env::var("CAUSEWAY_API_KEY").ok().map(|key| key.trim().to_owned()).filter(|key| !key.is_empty())
}

/// Runs a client command; with `--json` a failure is a JSON document too.
pub(crate) fn run<F>(args: &ServiceArgs, command: impl FnOnce(Session) -> F) -> anyhow::Result<()>
where
    F: Future<Output = Result<(), Failure>>,
{
    runtime::run(async {
        let done = match Session::open(args) {
            Ok(session) => command(session).await,
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
