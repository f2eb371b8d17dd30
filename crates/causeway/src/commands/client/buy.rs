use std::io::IsTerminal as _;
use std::process::{Command, Stdio};

use causeway_client::answers::{FiatQuote, FiatQuoteAnswer};
use causeway_client::wire::{FiatOrderAsk, FiatQuoteAsk, Token};
use clap::Args;

use super::directory::Directory;
use super::failure::Failure;
use super::pair::describe_amount;
use super::parse::{Purchase, parse_purchase};
use super::{ServiceArgs, Session, output, purchase, units};

#[derive(Clone, Debug, Args)]
pub(crate) struct BuyArgs {
    /// Such as `50 EUR USDC@base`, or `EUR 100 USDC@base` to receive exactly 100 USDC
    #[arg(value_name = "PURCHASE", required = true)]
    words: Vec<String>,

    /// The recipient
    #[arg(long, value_name = "ADDRESS")]
    to: String,

    /// Buy from this provider, not from the best one
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,

    /// How to pay, such as card
    #[arg(long, value_name = "METHOD")]
    pay_by: Option<String>,

    /// The payer's country, such as DE or US-NY
    #[arg(long, value_name = "COUNTRY")]
    country: Option<String>,

    /// Print the checkout URL and do not open it
    #[arg(long)]
    no_open: bool,

    /// Print the order and its checkout, and do not follow it
    #[arg(long)]
    no_wait: bool,

    #[command(flatten)]
    pub(crate) service: ServiceArgs,
}

/// Buys with fiat: takes the best offer, opens its checkout and follows the purchase.
pub(crate) async fn buy(session: Session, args: &BuyArgs) -> Result<(), Failure> {
    let directory = session.directory().await?;
    let Purchase { currency, amount, target, exact_output } =
        parse_purchase(&args.words).map_err(Failure::Usage)?;
    let token = directory.token(&session.client, &target).await?;
    let exact = exact_output.then(|| units::to_raw(&amount, token.decimals));
    let crypto_amount = exact.transpose().map_err(Failure::Usage)?;
    let ask = FiatQuoteAsk {
        fiat_currency: currency,
        fiat_amount: (!exact_output).then_some(amount),
        crypto_amount,
        to_chain_id: Some(token.chain_id),
        to_token: Some(token.address.clone()),
        recipient: Some(args.to.clone()),
        provider: args.provider.clone(),
        payment_method: args.pay_by.clone(),
        country: args.country.clone(),
        ..FiatQuoteAsk::default()
    };
    let progress = session.progress();
    progress.waiting("Asking the providers");
    let answer = session.client.fiat_quote(&ask).await?;
    let quote = best(&answer)?;
    progress.step("quoted", &offers(&answer));
    progress.step("chosen", &summary(quote, &token, &directory));
    let order = FiatOrderAsk {
        quote_id: quote.quote_id.clone(),
        author: Some(args.to.clone()),
        ..FiatOrderAsk::default()
    };
    let order = session.client.create_fiat_order(&order).await?;
    progress.step("order", &order.order_id);
    if args.no_wait {
        progress.clear();
        return if session.args.json {
            output::print_json(&order)
        } else {
            output::print(&format!("order {}\n{}", order.order_id, order.wrapper_url))
        };
    }
    progress.step("checkout", &order.wrapper_url);
    progress.clear();
    drop(progress);
    if !args.no_open && std::io::stderr().is_terminal() && !open(&order.wrapper_url) {
        output::notice("no browser could be opened: open the address of the checkout yourself");
    }
    purchase::follow(&session, &directory, &order.order_id).await
}

fn best(answer: &FiatQuoteAnswer) -> Result<&FiatQuote, Failure> {
    answer.quotes.first().ok_or_else(|| {
        let reasons = answer.errors.iter().map(|error| format!("\n  {}: {}", error.provider, error.message));
        Failure::NoOffer(format!("no provider sells that{}", reasons.collect::<String>()))
    })
}

/// The number of offers, and the providers without one.
fn offers(answer: &FiatQuoteAnswer) -> String {
    let count = answer.quotes.len();
    let without = answer.errors.iter().map(|error| format!("; {}: {}", error.provider, error.message));
    format!("{count} offer{}{}", if count == 1 { "" } else { "s" }, without.collect::<String>())
}

fn summary(quote: &FiatQuote, token: &Token, directory: &Directory) -> String {
    let text = |field: &Option<String>| field.clone().unwrap_or_else(|| "?".to_owned());
    let currency = text(&quote.fiat_currency);
    let provider = text(quote.provider_name.as_ref().map_or(&quote.provider, |_| &quote.provider_name));
    let get = quote.expected_output_amount.as_ref();
    let get = get.map_or_else(|| token.symbol.clone(), |raw| describe_amount(raw, token, directory));
    let fees = quote.total_fee.as_ref().map(|fee| format!(", of which {fee} {currency} fees"));
    format!("{provider}: {} {currency} → {get}{}", text(&quote.fiat_amount), fees.unwrap_or_default())
}

/// Opens a URL in the system's browser.
fn open(url: &str) -> bool {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let web = url.starts_with("https://") || url.starts_with("http://");
    let mut command = Command::new(opener);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    web && command.status().is_ok_and(|status| status.success())
}
