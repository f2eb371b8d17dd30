//! `causeway mcp`: the service as tools of the Model Context Protocol, for software agents.

mod agent;
mod http;
mod journal;
mod limits;
mod server;
mod swap;

use std::net::SocketAddr;
use std::os::fd::AsFd as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rmcp::ServiceExt as _;

use super::failure::Failure;
use super::{ServiceArgs, Session};
use agent::Agent;
use server::ToolServer;

#[derive(Clone, Debug, Args)]
pub(crate) struct McpArgs {
    /// The file with the private key that the agent may sign with on EVM chains, readable by its owner alone
    ///
    /// Without a key the agent can look, quote and build, and cannot swap.
    #[arg(long, value_name = "FILE", requires = "limits")]
    key_file: Option<PathBuf>,

    /// The same for Solana: a keypair as `solana-keygen` writes it
    #[arg(long, value_name = "FILE", requires = "limits")]
    solana_key_file: Option<PathBuf>,

    /// The file with the limits of what the agent may spend, by token, amount, day and recipient
    #[arg(long, value_name = "FILE")]
    limits: Option<PathBuf>,

    /// The file that keeps what the agent spent, so that a restart does not renew the daily limit
    #[arg(long, value_name = "FILE", default_value = "causeway-agent.journal")]
    journal: PathBuf,

    /// Who decides about a swap within the limits
    #[arg(long, value_enum, default_value_t = Confirmation::Ask)]
    confirm: Confirmation,

    /// Your own JSON-RPC endpoint of a source chain [default: the sandbox's, if the service runs on this machine]
    #[arg(long = "rpc", value_name = "CHAIN=URL")]
    endpoints: Vec<String>,

    /// The escrow that deposits on a chain may go to [default: that of a published deployment, or of a sandbox here]
    #[arg(long = "escrow", value_name = "CHAIN=ADDRESS")]
    escrows: Vec<String>,

    /// Serve over HTTP at this address, not over standard input and output; clients send the token that is printed
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,

    #[command(flatten)]
    pub(crate) service: ServiceArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Confirmation {
    /// The client asks its user about every swap; without an answer nothing is signed
    Ask,
    /// The limits alone decide
    Limits,
}

/// Serves the tools until the client disconnects or Ctrl-C.
pub(crate) async fn mcp(session: Session, args: &McpArgs) -> Result<(), Failure> {
    let stop = session.interrupt.token.clone();
    let server = ToolServer::new(Agent::start(session, args).await?);
    if let Some(address) = args.http {
        return http::serve(server, address, stop).await;
    }
    let (input, output) = (owned(std::io::stdin().as_fd())?, owned(std::io::stdout().as_fd())?);
    let running = server
        .serve_with_ct((input, output), stop)
        .await
        .map_err(|error| Failure::Local(format!("the client did not start a session: {error}")))?;
    running.waiting().await.map_err(|error| Failure::Local(error.to_string()))?;
    Ok(())
}

/// A standard stream as a file of its own.
fn owned(stream: std::os::fd::BorrowedFd<'_>) -> Result<tokio::fs::File, Failure> {
    Ok(tokio::fs::File::from_std(std::fs::File::from(stream.try_clone_to_owned()?)))
}

/// Splits `CHAIN=VALUE`.
fn split_setting(text: &str) -> Result<(&str, &str), Failure> {
    text.split_once('=').ok_or_else(|| Failure::usage(format!("{text:?} is not CHAIN=VALUE, such as base=…")))
}
