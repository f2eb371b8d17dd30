use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use causeway_catalog::Catalog;
use causeway_domain::{Address, Family, RawAmount, Token, TokenId};
use causeway_fillers::remote::Secret;
use causeway_fillers::remote::check::{CheckConfig, check};
use clap::Args;

use crate::boot::config::Config;
use crate::boot::parts::catalog::load_catalog;

/// The environment variable of the secret, unless a file is given.
const SECRET_VARIABLE: &str = "CAUSEWAY_FILLER_SECRET";

/// Placeholder addresses; the check moves no money.
const EVM_PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const SOLANA_PAYER: &str = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";

#[derive(Clone, Debug, Args)]
pub(crate) struct CheckArgs {
    /// The URL of the filler
    url: String,

    /// A file with the shared secret; otherwise `CAUSEWAY_FILLER_SECRET`
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,

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
    #[arg(long, value_name = "AMOUNT", default_value = "100000000")]
    amount: RawAmount,
}

/// Runs the conformance suite against a filler's server and prints the report. A violated rule is a failure.
pub(crate) async fn check_filler(args: &CheckArgs, config: &Config) -> anyhow::Result<()> {
    let catalog = load_catalog(config)?;
    let report = check(CheckConfig {
        url: args.url.clone(),
        secret: Secret::new(&read_secret(args)?)?,
        from: token(&catalog, args.from)?,
        to: token(&catalog, args.to)?,
        amount: args.amount,
        payer: placeholder_payer(args.from)?,
        recipient: placeholder_payer(args.to)?,
    })
    .await?;
    writeln!(std::io::stdout(), "{report}")?;
    if !report.is_good() {
        bail!("{} violates {} of {} rules", args.url, report.failed(), report.findings.len());
    }
    Ok(())
}

/// Never an argument, which every user of the machine can read.
fn read_secret(args: &CheckArgs) -> anyhow::Result<String> {
    let text = match &args.secret_file {
        Some(file) => {
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?
        }
        None => std::env::var(SECRET_VARIABLE).with_context(|| {
            format!("give the filler's secret with --secret-file or in {SECRET_VARIABLE}")
        })?,
    };
    Ok(text.trim().to_owned())
}

fn token(catalog: &Catalog, id: TokenId) -> anyhow::Result<Token> {
    let snapshot = catalog.snapshot();
    let listed = snapshot.token(&id).with_context(|| format!("the catalog has no token {id}"))?;
    Ok(listed.token.clone())
}

fn placeholder_payer(token: TokenId) -> anyhow::Result<Address> {
    let text = match token.chain().family() {
        Family::Evm => EVM_PAYER,
        Family::Solana => SOLANA_PAYER,
        Family::Bitcoin | Family::Tron => {
            anyhow::bail!("swaps from this chain are for liquidity providers only")
        }
    };
    Ok(Address::parse(token.chain().family(), text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_has_placeholder_addresses_of_both_families() {
        for id in [
            "eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        ] {
            assert!(placeholder_payer(id.parse().unwrap()).is_ok(), "{id}");
        }
    }
}
