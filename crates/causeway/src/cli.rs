use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Causeway moves value across chains for wallets and dApps.
///
/// Without a command it starts the service: the swap API, QR codes, the API reference and the start page, on one
/// address, with nothing else needed. What it keeps lies in the data folder and survives a kill.
#[derive(Debug, Parser)]
#[command(version, after_long_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: CommonOptions,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const AFTER_HELP: &str = "\
Where settings come from, later ones winning: built-in defaults, the configuration file, the environment, the flags.
The environment also takes CAUSEWAY_DATABASE_URL, so that a password needs no file, and CAUSEWAY_LOG (a filter such
as `info` or `causeway=debug`).

Examples:
  causeway                                   start on http://127.0.0.1:8080, data in ./data
  causeway --listen 0.0.0.0:80 --config /etc/causeway.toml
  causeway config                            show every setting with its effective value
  causeway backup /backups/today.db          copy the store of a running service
  causeway deploy --chain 8453               put the contracts on Base; CAUSEWAY_DEPLOYER_KEY pays
  causeway sandbox --listen 127.0.0.1:8545   the chains alone; then, beside it:
  causeway --sandbox-rpc http://127.0.0.1:8545

The service ends with exit code 0 on Ctrl-C or SIGTERM, after open requests are answered (at most 10 s).";

#[derive(Debug, Args)]
pub(crate) struct CommonOptions {
    /// Address to answer on [default: 127.0.0.1:8080]
    #[arg(long, global = true, env = "CAUSEWAY_LISTEN", value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,

    /// Folder for everything that is kept [default: data]
    #[arg(long, global = true, env = "CAUSEWAY_DATA_DIR", value_name = "FOLDER")]
    pub(crate) data_dir: Option<PathBuf>,

    /// Configuration file in TOML [default: causeway.toml, if it is there]
    #[arg(long, global = true, env = "CAUSEWAY_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Use the chains of a `causeway sandbox` at this address instead of chains inside the process
    #[arg(long, global = true, env = "CAUSEWAY_SANDBOX_RPC", value_name = "URL")]
    pub(crate) sandbox_rpc: Option<String>,

    /// Begin the sandbox's chains anew, forgetting what is kept of them
    #[arg(long, global = true)]
    pub(crate) fresh: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the effective configuration, secrets redacted
    Config,
    /// Print the API document (OpenAPI 3.1, JSON)
    Openapi,
    /// Put the contracts on chains, at the same addresses everywhere, and record where they lie
    Deploy {
        /// The chain's id; give it once per chain
        #[arg(long = "chain", value_name = "ID", required = true)]
        chains: Vec<u64>,
    },
    /// Look at the chains through endpoints of its own and sign what became of orders
    Attester,
    /// Run the sandbox's chains alone, in a process of their own
    Sandbox,
    /// Copy the SQLite store to FILE, consistently, while the service runs
    Backup {
        /// The file to create; it must not exist yet
        file: PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
