use std::sync::Arc;

use anyhow::{Context as _, bail};
use causeway_catalog::Catalog;
use causeway_domain::ports::{FillerAsk, ProviderPayments};
use causeway_domain::{Address, Ask, Family, RawAmount, Token, TokenId, TradeType};
use causeway_evm::orders::EvmProviderPayments;
use causeway_fillers::providers::check::{Outcome, check};
use clap::{Args, Subcommand};
use serde_json::json;

use super::client::failure::Failure;
use super::client::output;
use crate::boot::config::{Config, Mode};
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::liquidity::providers;

/// Holds nothing that matters: the check signs nothing.
const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// What to do with the liquidity providers of the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum LiquidityCommand {
    /// Check a provider: its contracts, a quote, and its transaction, simulated where an endpoint can
    ///
    /// Asks the configured service and moves no money. Exits with code 1 when a check fails.
    Check(CheckArgs),
}

/// The swap to check with.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The provider, as the configuration names it
    name: String,

    /// The input token
    #[arg(
        long,
        value_name = "TOKEN",
        default_value = "eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    )]
    from: TokenId,

    /// The output token
    #[arg(
        long,
        value_name = "TOKEN",
        default_value = "eip155:42161:0xaf88d065e77c8cC2239327C5EDb3A432268e5831"
    )]
    to: TokenId,

    /// The input amount, in raw units
    #[arg(long, value_name = "AMOUNT", default_value = "10000000")]
    amount: RawAmount,

    /// An address that holds the input, to simulate with
    #[arg(long, value_name = "ADDRESS", default_value = PAYER)]
    payer: String,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the checks and prints the results; fails if a check fails.
pub(crate) async fn liquidity(command: &LiquidityCommand, config: &Config) -> anyhow::Result<()> {
    let LiquidityCommand::Check(args) = command;
    let configured = providers(&config.liquidity)?;
    let Some(provider) = configured.iter().find(|provider| provider.provider.name() == args.name) else {
        let known: Vec<&str> = configured.iter().map(|provider| provider.provider.name()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        bail!(
            "there is no provider `{}` in [liquidity]; configured are: {known}. Name a file with --config",
            args.name
        );
    };
    let catalog = load_catalog(config)?;
    let ask = ask(args, &catalog)?;
    let sandbox = (config.mode == Mode::Sandbox).then(|| config.sandbox.rpc_address());
    let clients =
        ChainClients::connect(&catalog, sandbox.as_deref(), config.sandbox.fees.model(), &config.endpoints)?;
    let payments = clients.evm(args.from.chain()).map(|client| EvmProviderPayments::new(client.clone()));
    let payments = payments.as_ref().map(|payments| payments as &dyn ProviderPayments);
    let report = check(provider.provider.as_ref(), &ask, payments).await;
    let failed = report.count(Outcome::Failed);
    if args.json {
        output::print_json(
            &json!({ "provider": report.provider, "ok": failed == 0, "checks": report.checks }),
        )?;
    } else {
        output::print(&format!("{report}\n"))?;
    }
    if failed > 0 {
        let words = format!("{} fails {failed} of {} checks", report.provider, report.checks.len());
        return Err(Failure::Local(words).into());
    }
    Ok(())
}

fn ask(args: &CheckArgs, catalog: &Catalog) -> anyhow::Result<FillerAsk> {
    let payer = Address::parse(Family::Evm, &args.payer).context("--payer")?;
    let ask = Ask {
        trade_type: TradeType::ExactInput,
        from: args.from,
        to: args.to,
        amount: args.amount,
        from_address: payer,
        recipient: payer,
        refund_to: payer,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
        deposit_window: None,
    };
    Ok(FillerAsk { ask, from: Arc::new(token(catalog, args.from)?), to: Arc::new(token(catalog, args.to)?) })
}

fn token(catalog: &Catalog, id: TokenId) -> anyhow::Result<Token> {
    let snapshot = catalog.snapshot();
    let listed = snapshot.token(&id).with_context(|| format!("the catalog has no token {id}"))?;
    Ok(listed.token.clone())
}
