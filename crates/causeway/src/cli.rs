use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Arg, Args, CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::boot::config::Overrides;
use crate::commands::audit::AuditArgs;
use crate::commands::catalog::CatalogCommand;
use crate::commands::client::balances::BalancesArgs;
use crate::commands::client::buy::BuyArgs;
use crate::commands::client::failure::EXIT_CODES;
use crate::commands::client::health::HealthArgs;
use crate::commands::client::mcp::McpArgs;
use crate::commands::client::qr::QrArgs;
use crate::commands::client::quote::QuoteArgs;
use crate::commands::client::swap::SwapArgs;
use crate::commands::client::tokens::TokensArgs;
use crate::commands::client::track::TrackArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::erase::EraseArgs;
use crate::commands::filler::FillerCommand;
use crate::commands::init::InitArgs;
use crate::commands::integrator::IntegratorCommand;
use crate::commands::key::KeyCommand;
use crate::commands::liquidity::LiquidityCommand;
use crate::commands::onramp::OnrampCommand;
use crate::commands::order::OrderCommand;
use crate::commands::overview::OverviewArgs;
use crate::commands::pause::{PauseArgs, PausesArgs, ResumeArgs};
use crate::commands::recover::RecoverArgs;
use crate::commands::results::ResultsArgs;
use crate::commands::stuck::StuckArgs;
use crate::commands::webhooks::WebhooksCommand;

/// Causeway moves value across chains for wallets and dApps.
///
/// Without a command it starts the service: the swap API, QR codes, the API reference and the start page, on one
/// address, without other dependencies. Its data is in the data folder and survives a kill.
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
  causeway init /etc/causeway                make a production configuration and its keys
  causeway doctor                            check all that the service needs
  causeway backup /backups/today.db          copy the store of a running service
  causeway deploy --chain 8453               deploy the contracts on Base; CAUSEWAY_DEPLOYER_KEY pays
  causeway sandbox --listen 127.0.0.1:8545   the chains alone; then, in another terminal:
  causeway --sandbox-rpc http://127.0.0.1:8545

And of a running service, at --url:
  causeway quote 25 USDC@base ETH@arbitrum
  causeway swap 25 USDC@base ETH@arbitrum --key-file key
  causeway qr --to 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045 25 USDC@base

The service ends with exit code 0 on Ctrl-C or SIGTERM, after open requests are answered (at most 10 s).";

/// Commands that ask a running service: no setting of this machine's service concerns them.
const CLIENT_COMMANDS: [&str; 9] =
    ["quote", "swap", "track", "tokens", "balances", "buy", "mcp", "qr", "health"];
/// Commands for the operator of a running service, who may need its folder or configuration for the token.
const OPERATOR_COMMANDS: [&str; 12] = [
    "overview",
    "erase",
    "pause",
    "resume",
    "pauses",
    "filler",
    "integrator",
    "order",
    "results",
    "stuck",
    "audit",
    "webhooks",
];
const TOKEN_SETTINGS: [&str; 2] = ["data_dir", "config"];

/// The command line. Settings of the service are accepted everywhere, and shown where they have an effect.
pub(crate) fn command() -> clap::Command {
    let root = Cli::command();
    let settings = || root.get_arguments().filter(|setting| setting.is_global_set()).cloned();
    let all: Vec<Arg> = settings().map(|setting| setting.hide(true)).collect();
    let others = |setting: &Arg| !TOKEN_SETTINGS.contains(&setting.get_id().as_str());
    let most: Vec<Arg> = settings().filter(others).map(|setting| setting.hide(true)).collect();
    let named = CLIENT_COMMANDS.iter().map(|name| (name, &all));
    let named = named.chain(OPERATOR_COMMANDS.iter().map(|name| (name, &most)));
    named.fold(root.clone(), |root, (name, hidden)| root.mut_subcommand(name, |sub| sub.args(hidden)))
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Settings of the service")]
pub(crate) struct CommonOptions {
    /// Address to answer on [default: 127.0.0.1:8080]
    #[arg(long, global = true, env = "CAUSEWAY_LISTEN", value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<SocketAddr>,

    /// Folder for all data [default: data]
    #[arg(long, global = true, env = "CAUSEWAY_DATA_DIR", value_name = "FOLDER")]
    pub(crate) data_dir: Option<PathBuf>,

    /// Configuration file in TOML [default: causeway.toml, if it exists]
    #[arg(long, global = true, env = "CAUSEWAY_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Use the chains of a `causeway sandbox` at this address instead of chains inside the process
    #[arg(long, global = true, env = "CAUSEWAY_SANDBOX_RPC", value_name = "URL")]
    pub(crate) sandbox_rpc: Option<String>,

    /// Reset the sandbox's chains and delete their stored state
    #[arg(long, global = true)]
    pub(crate) fresh: bool,
}

impl CommonOptions {
    /// The flags as configuration overrides.
    pub(crate) fn overrides(&self) -> Overrides {
        Overrides {
            file: self.config.clone(),
            listen: self.listen,
            data_dir: self.data_dir.clone(),
            sandbox_rpc: self.sandbox_rpc.clone(),
            fresh: self.fresh,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Request a quote for a swap
    #[command(after_help = EXIT_CODES)]
    Quote(QuoteArgs),
    /// Swap with a local key, and follow the order until it is filled
    ///
    /// Results go to standard output, progress to standard error. Ctrl-C stops tracking, not the order: `causeway
    /// track ORDER` continues.
    #[command(after_help = EXIT_CODES)]
    Swap(Box<SwapArgs>),
    /// Follow an order until it is filled, refunded or failed
    #[command(after_help = EXIT_CODES)]
    Track(TrackArgs),
    /// Find or list tokens
    #[command(after_help = EXIT_CODES)]
    Tokens(TokensArgs),
    /// Show what an address holds, over all chains
    #[command(after_help = EXIT_CODES)]
    Balances(BalancesArgs),
    /// Buy with fiat: opens the checkout and follows the purchase
    #[command(after_help = EXIT_CODES)]
    Buy(BuyArgs),
    /// Offer quotes, swaps and purchases to software agents, as a server of the Model Context Protocol
    ///
    /// It speaks over standard input and output unless --http is given. It signs only with the key files that you name, and
    /// only within the limits that you write down.
    #[command(after_help = EXIT_CODES)]
    Mcp(Box<McpArgs>),
    /// Draw a text or a payment as a QR code, in the terminal or to a file
    #[command(after_help = EXIT_CODES)]
    Qr(QrArgs),
    /// Show whether all is well: orders, unclaimed value, inventory, chains, attesters, prices, on-ramps
    #[command(after_help = EXIT_CODES)]
    Overview(OverviewArgs),
    /// Pause a chain, token, filler or on-ramp for new orders; open orders continue
    #[command(after_help = EXIT_CODES)]
    Pause(PauseArgs),
    /// End a pause
    #[command(after_help = EXIT_CODES)]
    Resume(ResumeArgs),
    /// Show what is paused
    #[command(after_help = EXIT_CODES)]
    Pauses(PausesArgs),
    /// Add, pause and remove fillers while the service runs
    Filler {
        #[command(subcommand)]
        command: FillerCommand,
    },
    /// Erase the personal data of purchases that are over; what was paid and delivered stays
    #[command(after_help = EXIT_CODES)]
    Erase(EraseArgs),
    /// Manage integrators and their API keys while the service runs
    Integrator {
        #[command(subcommand)]
        command: IntegratorCommand,
    },
    /// List, find and show orders
    Order {
        #[command(subcommand)]
        command: OrderCommand,
    },
    /// Show what each filler has won and spent, gas included, at the prices of now
    #[command(after_help = EXIT_CODES)]
    Results(ResultsArgs),
    /// List orders and purchases without progress, each with the reason and the remedy
    #[command(after_help = EXIT_CODES)]
    Stuck(StuckArgs),
    /// Check that a running service is ready
    #[command(after_help = EXIT_CODES)]
    Health(HealthArgs),
    /// Print the completions of a shell: source <(causeway completions bash)
    Completions { shell: Shell },
    /// Write the manual pages to a folder
    Man { folder: PathBuf },
    /// Print the effective configuration, secrets redacted
    Config,
    /// Print the API document (OpenAPI 3.1, JSON)
    Openapi,
    /// Make a production configuration, its keys and a list of what is left to do
    ///
    /// Asks on a terminal for what no flag says. Overwrites nothing. `causeway doctor` checks the result.
    Init(Box<InitArgs>),
    /// Deploy the contracts at the same addresses on every chain, and write deployment records
    Deploy {
        /// The chain's id; give it once per chain
        #[arg(long = "chain", value_name = "ID", required = true)]
        chains: Vec<u64>,
    },
    /// Check everything that the service needs, and change nothing
    ///
    /// Prints one line per check. Exit code 1 says that a check failed.
    Doctor(DoctorArgs),
    /// Compare the bundled chains, tokens and price feeds with the chains themselves
    #[command(subcommand)]
    Catalog(CatalogCommand),
    /// Make, show and import the keys that all processes on one database share
    #[command(subcommand)]
    Key(KeyCommand),
    /// Run an attester: watch the chains over its own endpoints and sign the outcome of orders
    Attester,
    /// Run the sandbox's chains in their own process
    Sandbox,
    /// Check the liquidity providers of the configuration
    #[command(subcommand)]
    Liquidity(LiquidityCommand),
    /// Check the accounts with on-ramp providers
    #[command(subcommand)]
    Onramp(OnrampCommand),
    /// Show the audit log: orders that the screening refused
    Audit(AuditArgs),
    /// Rebuild a lost store from contract events; the service must not run
    Recover(RecoverArgs),
    /// Manage webhooks for order events
    Webhooks {
        #[command(subcommand)]
        command: WebhooksCommand,
    },
    /// Copy the SQLite store to FILE, consistently, while the service runs
    Backup {
        /// The file to create; it must not exist yet
        file: PathBuf,
    },
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn settings_of_the_service_are_shown_where_they_have_an_effect_and_accepted_everywhere() {
        let help = |names: &[&str]| {
            let mut root = command();
            root.build();
            let found = names.iter().try_fold(&mut root, |sub, name| sub.find_subcommand_mut(name));
            found.unwrap().render_long_help().to_string()
        };
        for (names, settings) in [
            (&["doctor"][..], ["--listen", "--data-dir", "--fresh"].as_slice()),
            (&["webhooks", "list"], &["--data-dir"]),
            (&["swap"], &[]),
        ] {
            let shown = help(names);
            for setting in ["--listen", "--data-dir", "--fresh"] {
                assert_eq!(shown.contains(setting), settings.contains(&setting), "{names:?}: {setting}");
            }
        }
        for line in [
            "causeway --data-dir here health",
            "causeway health --data-dir here",
            "causeway pauses --data-dir here",
        ] {
            let matches = command().get_matches_from(line.split(' '));
            let folder = Cli::from_arg_matches(&matches).unwrap().options.data_dir;
            assert_eq!(folder, Some(PathBuf::from("here")), "{line}");
        }
    }
}
