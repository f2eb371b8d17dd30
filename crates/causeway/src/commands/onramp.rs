use std::io::Write as _;

use anyhow::{Context as _, bail, ensure};
use causeway_catalog::Catalog;
use causeway_domain::fiat::FiatAmount;
use causeway_domain::{Address, Token};
use causeway_onramps::conformance::{CheckPlan, check};
use clap::{Args, Subcommand};

use crate::boot::config::Config;
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::onramp_providers::providers;
use crate::runtime;

/// What to do with the on-ramps of the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum OnrampCommand {
    /// Check an account with a provider: asset lists, prices, an unpaid checkout, rejection of forged webhooks
    ///
    /// Uses the configured keys and buys nothing. Exits with code 1 when a check fails.
    Check(CheckArgs),
}

/// The purchase to check with.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The provider, as the configuration names it: transak, moonpay, coinbase or banxa
    provider: String,
    /// A token that it sells, on a chain by name or number
    #[arg(long, value_name = "TOKEN@CHAIN", default_value = "USDC@base")]
    asset: String,
    /// The fiat amount
    #[arg(long, value_name = "AMOUNT", default_value = "100")]
    amount: String,
    /// The fiat currency
    #[arg(long, value_name = "CURRENCY", default_value = "USD")]
    currency: String,
    /// Your address for the delivery
    #[arg(long, value_name = "ADDRESS")]
    wallet: String,
    /// The payment method
    #[arg(long, value_name = "METHOD")]
    method: Option<String>,
    /// The payer's country: DE, or US-NY
    #[arg(long, value_name = "COUNTRY")]
    country: Option<String>,
}

/// Runs the checks and prints the results.
pub(crate) fn onramp(command: &OnrampCommand, config: &Config) -> anyhow::Result<()> {
    let OnrampCommand::Check(args) = command;
    let catalog = load_catalog(config)?;
    let plan = plan(args, &catalog)?;
    let ramps = providers(&config.onramps, &catalog, None)?;
    let named = ramps.iter().find(|ramp| ramp.profile().id == args.provider);
    let Some(ramp) = named else {
        let known: Vec<String> = ramps.iter().map(|ramp| ramp.profile().id.clone()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        bail!(
            "there is no [onramps.{}] in the configuration; configured are: {known}. Name a file with --config",
            args.provider
        );
    };
    runtime::run(async {
        let report = check(ramp.as_ref(), &plan).await;
        writeln!(std::io::stdout(), "{report}")?;
        ensure!(report.is_good(), "{} fails the conformance checks", report.provider);
        Ok(())
    })
}

fn plan(args: &CheckArgs, catalog: &Catalog) -> anyhow::Result<CheckPlan> {
    let asset = asset(&args.asset, catalog)?;
    let currency = args.currency.to_ascii_uppercase().parse();
    let currency = currency.with_context(|| format!("`{}` is no currency such as USD", args.currency))?;
    let pays = FiatAmount::parse(currency, &args.amount)
        .with_context(|| format!("`{}` is no amount of {currency}", args.amount))?;
    let family = asset.id.chain().family();
    let wallet = Address::parse(family, &args.wallet).context("--wallet")?;
    Ok(CheckPlan { asset, pays, wallet, method: args.method.clone(), country: args.country.clone() })
}

/// `USDC@base`, from the well-known tokens of the chain.
fn asset(text: &str, catalog: &Catalog) -> anyhow::Result<Token> {
    let snapshot = catalog.snapshot();
    let (symbol, place) = text.split_once('@').context("--asset: expected TOKEN@CHAIN, such as USDC@base")?;
    let is_meant = |chain: &&causeway_domain::Chain| {
        chain.name.eq_ignore_ascii_case(place) || chain.id.to_string() == place
    };
    let chain = snapshot.chains().iter().find(is_meant);
    let chain = chain.with_context(|| format!("--asset: no chain is called `{place}`"))?;
    let tokens = snapshot.top(&[chain.id]);
    let token = tokens.into_iter().find(|listed| listed.token.symbol.eq_ignore_ascii_case(symbol));
    let token = token.with_context(|| format!("--asset: {} has no well-known `{symbol}`", chain.name))?;
    Ok(token.token.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asset_is_a_symbol_at_a_chain() {
        let catalog = Catalog::bundled().unwrap();
        for text in ["USDC@base", "usdc@8453", "ETH@Ethereum"] {
            let token = asset(text, &catalog).unwrap();
            assert!(text.to_lowercase().starts_with(&token.symbol.to_lowercase()));
        }
        for (text, words) in [("USDC", "TOKEN@CHAIN"), ("USDC@nowhere", "nowhere"), ("NONE@base", "NONE")] {
            assert!(asset(text, &catalog).unwrap_err().to_string().contains(words), "{text}");
        }
    }
}
