use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use causeway_catalog::Catalog;
use causeway_client::{EvmTransaction, LocalWallet, Wallet as _};
use causeway_domain::ports::{FillerAsk, LiquidityProvider, ProviderPayments};
use causeway_domain::{Address, Ask, ChainId, Family, RawAmount, SOLANA_CHAIN_ID, Token, TokenId, TradeType};
use causeway_fillers::providers::check::swap::{
    Prepared, follow, note_end, note_payment, note_unpaid, prepare,
};
use causeway_fillers::providers::check::{Outcome, Report, check};
use clap::{Args, Subcommand};
use serde_json::json;

use super::client::failure::Failure;
use super::client::key::Key;
use super::client::output;
use crate::boot::config::{Config, Mode};
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::chain_clients::{ChainClients, rpc_urls};
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::liquidity::{payments_on, providers};
use crate::boot::parts::onramp_providers::payout_watches;

/// Holds nothing that matters: the check signs nothing.
const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const SOLANA_PAYER: &str = "GkwFnmMDvn3HGMpJpWBg8tgJxr3NxNvg3AXxvXVPbRGJ";

/// What to do with the liquidity providers of the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum LiquidityCommand {
    /// Check a provider: its contracts, a quote, and its transaction, simulated where an endpoint can
    ///
    /// Asks the configured service and moves no money, unless --swap says so. Exits with code 1 when a check fails.
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
    ///
    /// Without it a well-known address is taken, so that the simulation fails where it holds nothing.
    #[arg(long, value_name = "ADDRESS")]
    payer: Option<String>,

    /// Pay one real swap of --amount from the wallet of --key-file to itself, once all checks have passed
    ///
    /// The input must be on an EVM chain. What the provider does with the money then is up to it: take an amount that may be lost.
    #[arg(long, requires = "ceiling", requires = "yes")]
    swap: bool,

    /// The file with the payer's private key, readable by its owner alone; `-` reads standard input
    ///
    /// Without it the key is taken from the environment variable `CAUSEWAY_KEY`.
    #[arg(long, value_name = "FILE", requires = "swap")]
    key_file: Option<PathBuf>,

    /// The most that a real swap may cost, in raw units of the input; --amount must not exceed it
    #[arg(long, value_name = "AMOUNT", requires = "swap")]
    ceiling: Option<RawAmount>,

    /// For how many minutes the end of a real swap is waited for
    #[arg(long, value_name = "MINUTES", default_value = "30", requires = "swap")]
    wait: u32,

    /// Pay without asking; required for a real swap
    #[arg(long, requires = "swap")]
    yes: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the checks and prints the results; fails if a check fails.
pub(crate) async fn liquidity(command: &LiquidityCommand, config: &Config) -> anyhow::Result<()> {
    let LiquidityCommand::Check(args) = command;
    let configured = providers(&config.liquidity, None)?;
    let Some(provider) = configured.iter().find(|provider| provider.provider.name() == args.name) else {
        let known: Vec<&str> = configured.iter().map(|provider| provider.provider.name()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        bail!(
            "there is no provider `{}` in [liquidity]; configured are: {known}. Name a file with --config",
            args.name
        );
    };
    let catalog = load_catalog(config)?;
    let wallet = if args.swap { Some(payer(args)?) } else { None };
    let usual = if args.from.chain() == SOLANA_CHAIN_ID { SOLANA_PAYER } else { PAYER };
    let given = args.payer.clone().unwrap_or_else(|| usual.to_owned());
    let payer = wallet.as_ref().map_or(given, LocalWallet::address);
    let ask = ask(args, &payer, &catalog)?;
    let sandbox = (config.mode == Mode::Sandbox).then(|| config.sandbox.rpc_address());
    let clients =
        ChainClients::connect(&catalog, sandbox.as_deref(), config.sandbox.fees.model(), &config.endpoints)?;
    let payments = payments_on(&clients, args.from.chain());
    let payments = payments.as_deref();
    let mut report = check(provider.provider.as_ref(), &ask, payments).await;
    if let Some(wallet) = wallet {
        let chain = args.from.chain();
        let snapshot = catalog.snapshot();
        let known = snapshot.chain(chain).with_context(|| format!("the catalog has no chain {chain}"))?;
        let urls = rpc_urls(known, sandbox.as_deref(), &config.endpoints);
        let url = urls.first().with_context(|| format!("no endpoint of {chain} is configured"))?;
        let wallet = wallet.with_endpoint(chain.get(), url)?;
        let watches = payout_watches(&clients, &ChainPolicies::of(config.mode, &catalog))?;
        let paying = Paying { provider: provider.provider.as_ref(), ask: &ask, wallet: &wallet };
        if report.count(Outcome::Failed) > 0 {
            note_unpaid(&mut report, "a check has failed");
        } else if let Some(payments) = payments {
            let paid = paying.pay(payments).await;
            note_payment(&mut report, &paid.as_ref().map(|(_, tx)| tx.clone()).map_err(Clone::clone));
            if let Ok((prepared, tx)) = paid {
                let patience = Duration::from_secs(u64::from(args.wait).saturating_mul(60));
                let end = follow(paying.provider, &ask, &prepared, &tx, &watches, patience).await;
                note_end(&mut report, end);
            }
        } else {
            note_unpaid(&mut report, "the source chain is none of the service's EVM chains");
        }
    }
    print_report(args, &report)
}

fn print_report(args: &CheckArgs, report: &Report) -> anyhow::Result<()> {
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

/// The wallet that pays a real swap, within its ceiling.
fn payer(args: &CheckArgs) -> Result<LocalWallet, Failure> {
    if args.ceiling.is_none_or(|ceiling| args.amount > ceiling) {
        return Err(Failure::usage(format!(
            "--amount {} exceeds --ceiling, so nothing was asked and nothing is paid",
            args.amount
        )));
    }
    if args.from.chain().family() != Family::Evm {
        let chain = args.from.chain();
        return Err(Failure::usage(format!("--swap pays on EVM chains only, and the input is on {chain}")));
    }
    let key = Key::read(args.key_file.as_ref())?;
    LocalWallet::new(key.reveal()).map_err(|error| Failure::usage(error.to_string()))
}

/// A swap that the operator wants to be paid.
struct Paying<'a> {
    provider: &'a dyn LiquidityProvider,
    ask: &'a FillerAsk,
    wallet: &'a LocalWallet,
}

impl Paying<'_> {
    /// Sends what the swap needs, and returns it with the transaction that paid. Each is named before the next one is sent.
    async fn pay(&self, payments: &dyn ProviderPayments) -> Result<(Prepared, String), String> {
        let prepared = prepare(self.provider, self.ask, payments).await?;
        let chain: ChainId = self.ask.ask.from.chain();
        let mut last = None;
        for transaction in &prepared.transactions {
            let sent = EvmTransaction {
                chain_id: chain.get(),
                to: transaction.to,
                data: transaction.data.clone(),
                value: transaction.value,
                // The next call is estimated after the allowance is there.
                gas: None,
            };
            let tx = self.wallet.send(&sent).await.map_err(|error| error.to_string())?;
            output::notice(&format!("sent {tx} on {chain}"));
            self.wallet.wait_for_receipt(chain.get(), &tx).await.map_err(|error| error.to_string())?;
            last = Some(tx);
        }
        let tx = last.ok_or_else(|| "there is nothing to send".to_owned())?;
        Ok((prepared, tx))
    }
}

fn ask(args: &CheckArgs, payer: &str, catalog: &Catalog) -> anyhow::Result<FillerAsk> {
    let payer = Address::parse(args.from.chain().family(), payer).context("--payer")?;
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
