use alloy_primitives::U256;
use causeway_client::answers::{QuoteAnswer, Route, RouteQuote};
use causeway_client::wire::{Fee, Warning};
use clap::Args;
use jiff::Timestamp;

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

    /// How many seconds after its price has expired the deposit may still be made, 600 to 86400
    #[arg(long, value_name = "SECONDS")]
    deposit_within: Option<u32>,

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
    ask.deposit_within = args.deposit_within;
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
    let mut table = Table::new(&[
        "filler",
        ">you give",
        ">you get",
        ">at least",
        ">cost",
        ">takes",
        ">gas",
        "deposit by",
    ]);
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
            quote.total_fee_percent.as_deref().map_or_else(String::new, percent),
            format!("{} s", quote.expected_duration_seconds),
            gas(quote.estimated_gas.as_deref(), pair.give.chain_id, directory),
            deposit_methods.as_deref().unwrap_or_default().join(" "),
        ]);
    }
    let describe = |route: &Route| {
        let lines = [
            Some(pair.describe(&route.quote, directory)),
            rate(&route.quote, pair),
            cost(&route.quote, pair),
            window(&route.quote),
        ];
        let warnings = route.warnings.iter().map(warning_line);
        lines.into_iter().flatten().chain(warnings).collect::<Vec<_>>().join("\n")
    };
    let best = quote.routes.first().map(describe).unwrap_or_default();
    format!("{best}\n\n{table}\nquote {}", quote.quote_id)
}

/// The market's price, and what both amounts are worth at it.
fn rate(quote: &RouteQuote, pair: &Pair) -> Option<String> {
    let Pair { give, get, .. } = pair;
    let price = units::shorten_decimal(quote.price.as_deref()?);
    let (given, received) = (quote.amount_in_usd.as_deref()?, quote.amount_out_usd.as_deref()?);
    Some(format!("1 {} = {price} {} before fees; ${given} → ${received}", give.symbol, get.symbol))
}

/// What a route costs in all, and for what.
fn cost(quote: &RouteQuote, pair: &Pair) -> Option<String> {
    let total = percent(quote.total_fee_percent.as_deref()?);
    let is_given = |fee: &&Fee| {
        fee.token.rsplit(':').next().is_some_and(|address| address.eq_ignore_ascii_case(&pair.give.address))
    };
    let given: Vec<&Fee> = quote.fees.iter().filter(is_given).collect();
    let sum = given.iter().try_fold(U256::ZERO, |sum, fee| sum.checked_add(fee.amount.parse().ok()?));
    // Fees in other tokens cannot be added up here.
    let sum = sum.filter(|_| !given.is_empty() && given.len() == quote.fees.len());
    let amount =
        |raw: &str| format!("{} {}", units::format_amount(raw, pair.give.decimals), pair.give.symbol);
    let parts = given.iter().map(|fee| format!("{} {}", fee.kind, amount(&fee.amount)));
    Some(match sum {
        Some(sum) => {
            format!("costs {} ({total}): {}", amount(&sum.to_string()), parts.collect::<Vec<_>>().join(", "))
        }
        None => format!("costs {total}"),
    })
}

/// Until when a deposit may be made that comes after the price, where that was asked for.
fn window(quote: &RouteQuote) -> Option<String> {
    let time = |seconds: i64| Timestamp::from_second(seconds).ok().map(|at| at.to_string());
    let (holds, open) = (time(quote.valid_before?)?, time(quote.open_until?)?);
    Some(format!(
        "the price holds until {holds}; a deposit after that, until {open}, is filled if the swap still pays for itself"
    ))
}

fn percent(number: &str) -> String {
    format!("{number} %")
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

/// A warning with its code, which `--accept-warning` takes.
pub(super) fn warning_line(warning: &Warning) -> String {
    let word = if warning.severity == "info" { "note" } else { warning.severity.as_str() };
    output::one_line(&format!("{word}: {} ({})", warning.message, warning.code))
}

/// The confirmation question of a swap, after its price and its fees.
pub(super) fn question(route: &Route, pair: &Pair, recipient: &str, directory: &Directory) -> String {
    let least = route.quote.min_amount_out.as_ref().unwrap_or(&route.quote.amount_out);
    let least = describe_amount(least, &pair.get, directory);
    let give = describe_amount(&route.quote.amount_in, &pair.give, directory);
    let seconds = route.quote.expected_duration_seconds;
    let confirm =
        format!("Give {give} for at least {least} to {recipient} (by {}, about {seconds} s)?", route.label());
    let warnings = route.warnings.iter().map(warning_line);
    let lines = [rate(&route.quote, pair), cost(&route.quote, pair), window(&route.quote)];
    let lines = lines.into_iter().flatten().chain(warnings);
    lines.chain([confirm]).map(|line| output::one_line(&line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pair() -> Pair {
        let token = |symbol: &str, decimals: u8| {
            serde_json::from_value(json!({
                "address": format!("0x{symbol}"), "chainId": 8453, "name": symbol, "symbol": symbol, "decimals": decimals,
            }))
            .unwrap()
        };
        Pair {
            give: token("USDC", 6),
            get: token("ETH", 18),
            amount: "25000000".to_owned(),
            exact_output: false,
        }
    }

    #[test]
    fn a_price_is_told_with_its_fees_and_what_they_are_of_the_whole() {
        let fee =
            |kind: &str, token: &str, amount: &str| json!({ "kind": kind, "token": token, "amount": amount });
        let mut quote = json!({
            "amountIn": "25000000", "amountOut": "7127000000000000", "expectedDurationSeconds": 4,
            "price": "0.000285714285714285", "amountInUsd": "25.00", "amountOutUsd": "24.94", "totalFeePercent": "0.222",
            "fees": [fee("filler", "eip155:8453:0xusdc", "37500"), fee("gas", "eip155:8453:0xUSDC", "18000")],
        });
        let read = |quote: &serde_json::Value| serde_json::from_value::<RouteQuote>(quote.clone()).unwrap();
        let parsed = read(&quote);
        let price = "1 USDC = 0.00028571428 ETH before fees; $25.00 → $24.94";
        assert_eq!(rate(&parsed, &pair()).as_deref(), Some(price));
        let fees = "costs 0.0555 USDC (0.222 %): filler 0.0375 USDC, gas 0.018 USDC";
        assert_eq!(cost(&parsed, &pair()).as_deref(), Some(fees));
        quote["fees"] = json!([fee("gas", "eip155:8453:0x00", "18000")]);
        assert_eq!(cost(&read(&quote), &pair()).as_deref(), Some("costs 0.222 %"), "another token");
        assert_eq!(window(&parsed), None, "the usual time");
        quote["validBefore"] = json!(1_800_000_000);
        quote["openUntil"] = json!(1_800_003_600);
        let told = window(&read(&quote)).unwrap();
        let (holds, open) = ("until 2027-01-15T08:00:00Z;", "until 2027-01-15T09:00:00Z,");
        assert!(told.contains(holds) && told.contains(open), "{told}");
        for absent in ["price", "totalFeePercent"] {
            quote.as_object_mut().unwrap().remove(absent);
        }
        assert_eq!((rate(&read(&quote), &pair()), cost(&read(&quote), &pair())), (None, None));
    }
}
