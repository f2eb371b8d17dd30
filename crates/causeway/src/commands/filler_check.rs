use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use causeway_catalog::Catalog;
use causeway_domain::{Address, Family, RawAmount, Token, TokenId};
use causeway_fillers::remote::Secret;
use causeway_fillers::remote::check::{CheckConfig, check};
use clap::Args;

use super::serve::load_catalog;
use crate::config::Config;

/// Holds the secret, unless a file does.
const SECRET_VARIABLE: &str = "CAUSEWAY_FILLER_SECRET";

/// What asks in the check; nobody pays or is paid.
const EVM_PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const SOLANA_PAYER: &str = "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96";

#[derive(Clone, Debug, Args)]
pub(crate) struct CheckArgs {
    /// Where the filler answers
    url: String,

    /// A file with the secret that both sides sign with; `CAUSEWAY_FILLER_SECRET` otherwise
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,

    /// A token that the filler takes
    #[arg(
        long,
        value_name = "TOKEN",
        default_value = "eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    )]
    from: TokenId,

    /// A token that it gives for it
    #[arg(
        long,
        value_name = "TOKEN",
        default_value = "eip155:42161:0xaf88d065e77c8cC2239327C5EDb3A432268e5831"
    )]
    to: TokenId,

    /// An amount that it would take, in raw units
    #[arg(long, value_name = "AMOUNT", default_value = "100000000")]
    amount: RawAmount,
}

/// Runs the suite against a filler's server and prints what it found. A rule that is not kept is a failure.
pub(crate) async fn check_filler(args: &CheckArgs, config: &Config) -> anyhow::Result<()> {
    let catalog = load_catalog(config)?;
    let report = check(CheckConfig {
        url: args.url.clone(),
        secret: Secret::new(&read_secret(args)?)?,
        from: token(&catalog, args.from)?,
        to: token(&catalog, args.to)?,
        amount: args.amount,
        payer: somebody(args.from)?,
        recipient: somebody(args.to)?,
    })
    .await?;
    writeln!(std::io::stdout(), "{report}")?;
    if !report.is_good() {
        bail!("{} of {} rules are not kept by {}", report.failed(), report.findings.len(), args.url);
    }
    Ok(())
}

/// Never an argument: those are seen by everybody on the machine.
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

fn somebody(token: TokenId) -> anyhow::Result<Address> {
    let text = match token.chain().family() {
        Family::Evm => EVM_PAYER,
        Family::Solana => SOLANA_PAYER,
    };
    Ok(Address::parse(token.chain().family(), text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_ask_in_the_check_have_addresses_of_both_families() {
        for id in [
            "eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
            "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        ] {
            assert!(somebody(id.parse().unwrap()).is_ok(), "{id}");
        }
    }
}
