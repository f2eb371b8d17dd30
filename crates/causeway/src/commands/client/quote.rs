use causeway_client::answers::{QuoteAnswer, Route};
use clap::Args;

use super::directory::Directory;
use super::failure::Failure;
use super::pair::{Pair, PairArgs, describe_amount};
use super::table::Table;
use super::{ServiceArgs, Session, output, units};

#[derive(Clone, Debug, Args)]
pub(crate) struct QuoteArgs {
    #[command(flatten)]
    pair: PairArgs,

    /// The payer; without it the quote is only informative
    #[arg(long, value_name = "ADDRESS")]
    from: Option<String>,

    /// The recipient [default: the payer]
    #[arg(long, value_name = "ADDRESS")]
    to: Option<String>,

    /// The slippage tolerance as a fraction: 0.005 is half a percent
    #[arg(long, value_name = "FRACTION")]
    slippage: Option<f64>,

    #[command(flatten)]
    pub(crate) service: ServiceArgs,
}

/// Burn addresses, for quotes without a payer.
const PLACEHOLDER_PAYER: &str = "0x000000000000000000000000000000000000dEaD";
const SOLANA_PLACEHOLDER_PAYER: &str = "1nc1nerator11111111111111111111111111111111";

/// The payer of a quote that is only informative.
pub(super) const fn placeholder_payer(is_solana: bool) -> &'static str {
    if is_solana { SOLANA_PLACEHOLDER_PAYER } else { PLACEHOLDER_PAYER }
}

/// Requests a quote and shows its routes, best first.
pub(crate) async fn quote(session: Session, args: &QuoteArgs) -> Result<(), Failure> {
    let progress = session.progress();
    progress.waiting("Asking the fillers");
    let directory = session.directory().await?;
    let pair = args.pair.resolve(&session.client, &directory).await?;
    let nobody =
        |chain| placeholder_payer(directory.by_id(chain).is_some_and(|chain| chain.r#type == "solana"));
    let mut ask = pair.ask(args.from.as_deref().unwrap_or(nobody(pair.give.chain_id)));
    ask.slippage_tolerance = args.slippage;
    ask.recipient.clone_from(&args.to);
    // An address of one family cannot be paid on a chain of the other.
    if ask.recipient.is_none() && nobody(pair.give.chain_id) != nobody(pair.get.chain_id) {
        ask.recipient = Some(nobody(pair.get.chain_id).to_owned());
    }
    let quote = session.client.quote(&ask).await?;
    progress.clear();
    if session.args.json {
        return output::print_json(&quote);
    }
    if quote.routes.is_empty() {
        return Err(causeway_client::Error::NoRoute { problem: None }.into());
    }
    output::print(&show(&quote, &pair, &directory))
}

fn show(quote: &QuoteAnswer, pair: &Pair, directory: &Directory) -> String {
    let mut table =
        Table::new(&["filler", ">you give", ">you get", ">at least", ">takes", ">gas", "deposit by"]);
    for route in &quote.routes {
        let Route { deposit_methods, quote, .. } = route;
        table.row([
            route.label(),
            format!("{} {}", units::format_amount(&quote.amount_in, pair.give.decimals), pair.give.symbol),
            format!("{} {}", units::format_amount(&quote.amount_out, pair.get.decimals), pair.get.symbol),
            quote
                .min_amount_out
                .as_deref()
                .map_or_else(String::new, |least| units::format_amount(least, pair.get.decimals)),
            format!("{} s", quote.expected_duration_seconds),
            gas(quote.estimated_gas.as_deref(), pair.give.chain_id, directory),
            deposit_methods.as_deref().unwrap_or_default().join(" "),
        ]);
    }
    let best = quote.routes.first().map(|route| pair.describe(&route.quote, directory)).unwrap_or_default();
    format!("{best}\n\n{table}\nquote {}", quote.quote_id)
}

fn gas(raw: Option<&str>, chain_id: u64, directory: &Directory) -> String {
    match (raw, directory.by_id(chain_id)) {
        (Some(raw), Some(chain)) => {
            let coin = &chain.native_currency;
            format!("{} {}", units::format_amount(raw, coin.decimals), coin.symbol)
        }
        _ => String::new(),
    }
}

/// The confirmation question of a swap.
pub(super) fn question(route: &Route, pair: &Pair, recipient: &str, directory: &Directory) -> String {
    let least = route.quote.min_amount_out.as_ref().unwrap_or(&route.quote.amount_out);
    let least = describe_amount(least, &pair.get, directory);
    let give = describe_amount(&route.quote.amount_in, &pair.give, directory);
    let seconds = route.quote.expected_duration_seconds;
    format!("Give {give} for at least {least} to {recipient} (by {}, about {seconds} s)?", route.label())
}
