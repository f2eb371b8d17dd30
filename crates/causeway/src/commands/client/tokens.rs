use causeway_client::TokenQuery;
use causeway_client::wire::{Page, Token};
use clap::Args;

use super::directory::{Directory, is_risky};
use super::failure::Failure;
use super::table::Table;
use super::{ServiceArgs, Session, output};

#[derive(Clone, Debug, Args)]
pub(crate) struct TokensArgs {
    /// A name, symbol or address, typos forgiven; without it the catalog is listed, well-known tokens first
    query: Vec<String>,

    /// Only this chain, by name or number; may be given several times
    #[arg(long, value_name = "CHAIN")]
    chain: Vec<String>,

    /// How many to show, at most 1000
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,

    /// The cursor of the previous page
    #[arg(long, value_name = "CURSOR", conflicts_with = "query")]
    cursor: Option<u64>,

    #[command(flatten)]
    pub(crate) service: ServiceArgs,
}

/// Finds or lists tokens.
pub(crate) async fn tokens(session: Session, args: &TokensArgs) -> Result<(), Failure> {
    let directory = session.directory().await?;
    let chain_ids = directory.chain_ids(&args.chain)?;
    let page = if args.query.is_empty() {
        let (limit, cursor) = (Some(args.limit), args.cursor);
        session.client.tokens(&TokenQuery { q: None, chain_ids, limit, cursor }).await?
    } else {
        let mut data = session.client.search_tokens(&args.query.join(" "), &chain_ids).await?;
        data.truncate(usize::try_from(args.limit).unwrap_or(usize::MAX));
        Page { data, cursor: None }
    };
    if session.args.json {
        return output::print_json(&page);
    }
    if page.data.is_empty() {
        return output::print("No token is called that.");
    }
    let more = page.cursor.map(|cursor| format!("\nThere are more: --cursor {cursor}"));
    output::print(&format!("{}{}", show(&page.data, &directory), more.unwrap_or_default()))
}

fn show(tokens: &[Token], directory: &Directory) -> String {
    let mut table = Table::new(&["symbol", "name", "chain", ">decimals", ">price", "address", ""]);
    for token in tokens {
        let price = token.extensions.as_ref().and_then(|extensions| extensions.price.as_ref());
        table.row([
            plain(&token.symbol),
            plain(&token.name),
            directory.name(token.chain_id),
            token.decimals.to_string(),
            price.map(|price| format!("${}", price.usd)).unwrap_or_default(),
            token.address.clone(),
            if is_risky(token) { "imitates a well-known token".to_owned() } else { String::new() },
        ]);
    }
    table.to_string()
}

/// Token names are untrusted: removes control characters and limits the length.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(32).collect()
}
