//! Compares the bundled facts about chains, tokens and price feeds with the chains themselves.

mod chain;
mod feeds;
mod report;
mod tokens;

use anyhow::{Context as _, bail, ensure};
use causeway_domain::{Chain, ChainId, Family, Token};
use causeway_prices::KnownFeeds;
use clap::{Args, Subcommand};

use self::report::ChainReport;
use crate::boot::config::{Config, Mode};
use crate::boot::logging;
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::chain_clients::ChainClients;
use crate::runtime;

/// How many tokens a page of the catalog has here.
const PAGE: usize = 1_000;

/// What to do with the catalog.
#[derive(Debug, Subcommand)]
pub(crate) enum CatalogCommand {
    /// Compare the bundled facts with the chains: ids, finality tags, contracts, tokens, price feeds
    ///
    /// Asks the configured endpoints, or with --sandbox-rpc the sandbox's, whose tokens and feeds are its own. Reads only.
    /// Exits with code 1 when a fact differs or an endpoint does not answer.
    Check(CheckArgs),
}

/// What is compared.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Only this chain; give it once per chain
    #[arg(long = "chain", value_name = "ID")]
    chains: Vec<u64>,
    /// Every token of the catalog, not only the well-known ones: many calls
    #[arg(long)]
    all_tokens: bool,
}

pub(crate) fn catalog(command: &CatalogCommand, config: &Config) -> anyhow::Result<()> {
    let CatalogCommand::Check(args) = command;
    runtime::run(check(args, config))
}

async fn check(args: &CheckArgs, config: &Config) -> anyhow::Result<()> {
    logging::start(&config.log)?;
    let catalog = load_catalog(config)?;
    let rpc = (config.mode == Mode::Sandbox).then(|| config.sandbox.rpc_address());
    let clients =
        ChainClients::connect(&catalog, rpc.as_deref(), config.sandbox.fees.model(), &config.endpoints)?;
    let snapshot = catalog.snapshot();
    let chains: Vec<&Chain> = snapshot.chains().iter().filter(|chain| is_asked(args, chain)).collect();
    ensure!(!chains.is_empty(), "none of the chains is enabled; see causeway config");
    let feeds = KnownFeeds::load()?;
    let (mut differences, mut unreached) = (0, 0);
    for chain in chains {
        let tokens = if args.all_tokens {
            all_tokens(&snapshot, chain.id)
        } else {
            snapshot.top(&[chain.id]).into_iter().map(|listed| listed.token).collect()
        };
        let mut report = ChainReport::new(chain);
        match chain.family() {
            Family::Evm => {
                let client =
                    clients.evm(chain.id).with_context(|| format!("chain {} has no endpoint", chain.id))?;
                chain::check(client, chain, &mut report).await;
                tokens::check(client, &tokens, &mut report).await;
                // The sandbox's chains have no aggregators.
                if config.mode == Mode::Production {
                    let here = feeds.chainlink.iter().filter(|feed| feed.chain == chain.id);
                    feeds::check(client, &here.collect::<Vec<_>>(), &mut report).await;
                }
            }
            Family::Solana => {
                let rpc = clients.solana.as_ref().context("Solana has no endpoint")?;
                tokens::check_mints(rpc, &tokens, &mut report).await;
            }
            Family::Bitcoin | Family::Tron => continue,
        }
        report.print()?;
        differences += report.differences.len();
        unreached += report.unreached.len();
    }
    if differences + unreached > 0 {
        bail!("{differences} facts differ, {unreached} could not be read");
    }
    Ok(())
}

fn is_asked(args: &CheckArgs, chain: &Chain) -> bool {
    chain.enabled && (args.chains.is_empty() || args.chains.contains(&chain.id.get()))
}

fn all_tokens(snapshot: &causeway_catalog::Snapshot, chain: ChainId) -> Vec<&Token> {
    let chains = [chain];
    let filter = causeway_catalog::TokenFilter { q: None, chains: &chains };
    let (mut tokens, mut cursor) = (Vec::new(), None);
    loop {
        let page = snapshot.tokens(filter, cursor, PAGE);
        tokens.extend(page.tokens.into_iter().map(|listed| listed.token));
        cursor = page.next;
        if cursor.is_none() {
            return tokens;
        }
    }
}
