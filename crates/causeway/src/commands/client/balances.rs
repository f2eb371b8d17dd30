use alloy_primitives::U256;
use causeway_client::wire::Token;
use clap::Args;
use serde_json::json;

use super::directory::Directory;
use super::failure::Failure;
use super::table::Table;
use super::tokens::plain;
use super::{ServiceArgs, Session, output, units};

#[derive(Clone, Debug, Args)]
pub(crate) struct BalancesArgs {
    /// An address of an EVM chain or of Solana
    address: String,

    /// Only this chain, by name or number; may be given several times
    #[arg(long, value_name = "CHAIN")]
    chain: Vec<String>,

    #[command(flatten)]
    pub(crate) service: ServiceArgs,
}

/// Shows what an address holds, over all chains, the most valuable first.
pub(crate) async fn balances(session: Session, args: &BalancesArgs) -> Result<(), Failure> {
    let progress = session.progress();
    progress.waiting("Asking the chains");
    let directory = session.directory().await?;
    let chain_ids = directory.chain_ids(&args.chain)?;
    let held = session.client.balances(&args.address, &chain_ids).await?;
    progress.clear();
    if session.args.json {
        return output::print_json(
            &json!({ "tokens": held.tokens, "silentChains": held.unavailable_chains }),
        );
    }
    for chain in &held.unavailable_chains {
        output::notice(&format!(
            "{} did not answer; what it holds there is not shown",
            directory.name(*chain)
        ));
    }
    output::print(&show(&held.tokens, &directory))
}

fn show(tokens: &[Token], directory: &Directory) -> String {
    let mut worth: Vec<(Option<U256>, &Token, &str)> = Vec::new();
    for token in tokens {
        let Some(extensions) = &token.extensions else { continue };
        let Some(raw) = extensions.balance.as_deref() else { continue };
        let price = extensions.price.as_ref();
        worth.push((price.and_then(|price| units::cents(raw, token.decimals, &price.usd)), token, raw));
    }
    worth.sort_by_key(|(cents, ..)| std::cmp::Reverse(*cents));
    let mut table = Table::new(&[">balance", "token", "chain", ">worth", "address"]);
    for (cents, token, raw) in &worth {
        table.row([
            units::format_amount(raw, token.decimals),
            plain(&token.symbol),
            directory.name(token.chain_id),
            cents.map(dollars).unwrap_or_default(),
            token.address.clone(),
        ]);
    }
    if table.is_empty() {
        return "Nothing of the well-known tokens.".to_owned();
    }
    let total = worth.iter().filter_map(|(cents, ..)| *cents).fold(U256::ZERO, U256::saturating_add);
    format!("{table}\n{} in all", dollars(total))
}

fn dollars(cents: U256) -> String {
    let text = format!("{cents:0>3}");
    let (whole, rest) = text.split_at_checked(text.len().saturating_sub(2)).unwrap_or((&text, ""));
    format!("${whole}.{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cents_are_written_as_dollars() {
        for (cents, text) in [(0, "$0.00"), (5, "$0.05"), (12345, "$123.45")] {
            assert_eq!(dollars(U256::from(cents)), text);
        }
    }
}
