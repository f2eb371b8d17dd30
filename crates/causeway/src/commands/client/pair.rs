use causeway_client::Client;
use causeway_client::answers::RouteQuote;
use causeway_client::wire::{QuoteAsk, Token};
use clap::Args;

use super::directory::Directory;
use super::failure::Failure;
use super::parse::{SwapRequest, TokenRef, parse_swap};
use super::units;

/// What to swap, as text or field by field.
#[derive(Clone, Debug, Args)]
pub(crate) struct PairArgs {
    /// Such as `25 USDC@base ETH@arbitrum`, or `USDC@base 0.01 ETH@arbitrum` to get exactly 0.01 ETH
    ///
    /// A token is its symbol, its address or `native`; a chain its name, the beginning of it, or its number. `USDC on base to
    /// ETH on arbitrum` is understood as well.
    #[arg(value_name = "SWAP", required_unless_present = "amount", conflicts_with_all = FIELDS)]
    words: Vec<String>,

    /// Instead of text: the source chain, by number or name
    #[arg(long, value_name = "CHAIN", requires = "amount", help_heading = RAW)]
    from_chain: Option<String>,

    /// The input token, by address or symbol
    #[arg(long, value_name = "TOKEN", requires = "amount", help_heading = RAW)]
    from_token: Option<String>,

    /// The destination chain
    #[arg(long, value_name = "CHAIN", requires = "amount", help_heading = RAW)]
    to_chain: Option<String>,

    /// The output token
    #[arg(long, value_name = "TOKEN", requires = "amount", help_heading = RAW)]
    to_token: Option<String>,

    /// Raw units of the input token, or with --exact-output of the output token
    #[arg(
        long,
        value_name = "RAW",
        requires_all = ["from_chain", "from_token", "to_chain", "to_token"],
        help_heading = RAW
    )]
    amount: Option<String>,

    /// The amount is the output
    #[arg(long, requires = "amount", help_heading = RAW)]
    exact_output: bool,
}

const RAW: &str = "Field by field, with raw units";
const FIELDS: [&str; 6] = ["from_chain", "from_token", "to_chain", "to_token", "amount", "exact_output"];

/// A resolved swap.
pub(crate) struct Pair {
    pub(crate) give: Token,
    pub(crate) get: Token,
    /// Raw units.
    pub(super) amount: String,
    pub(crate) exact_output: bool,
}

impl PairArgs {
    pub(crate) async fn resolve(&self, client: &Client, directory: &Directory) -> Result<Pair, Failure> {
        let fields = (&self.from_chain, &self.from_token, &self.to_chain, &self.to_token, &self.amount);
        if let (Some(from_chain), Some(from_token), Some(to_chain), Some(to_token), Some(amount)) = fields {
            let place =
                |token: &String, chain: &String| TokenRef { token: token.clone(), chain: chain.clone() };
            let give = directory.token(client, &place(from_token, from_chain)).await?;
            let get = directory.token(client, &place(to_token, to_chain)).await?;
            let amount = units::to_raw(amount, 0).map_err(Failure::Usage)?;
            return Ok(Pair { give, get, amount, exact_output: self.exact_output });
        }
        resolve_swap(&self.words, client, directory).await
    }
}

/// Resolves a swap as text.
pub(super) async fn resolve_swap(
    words: &[String],
    client: &Client,
    directory: &Directory,
) -> Result<Pair, Failure> {
    let SwapRequest { give, get, amount, exact_output } = parse_swap(words).map_err(Failure::Usage)?;
    let (give, get) = (directory.token(client, &give).await?, directory.token(client, &get).await?);
    let counted = if exact_output { &get } else { &give };
    let amount = units::to_raw(&amount, counted.decimals).map_err(Failure::Usage)?;
    Ok(Pair { give, get, amount, exact_output })
}

impl Pair {
    /// The input, or for an exact output the output, in raw units.
    pub(super) fn amount(&self) -> &str {
        &self.amount
    }

    /// The quote request on behalf of `from`.
    pub(crate) fn ask(&self, from: &str) -> QuoteAsk {
        QuoteAsk {
            trade_type: if self.exact_output { "EXACT_OUTPUT" } else { "EXACT_INPUT" }.to_owned(),
            from_chain_id: self.give.chain_id,
            from_token: self.give.address.clone(),
            to_chain_id: self.get.chain_id,
            to_token: self.get.address.clone(),
            amount: self.amount.clone(),
            from_address: from.to_owned(),
            ..QuoteAsk::default()
        }
    }

    /// A route's input and output as text.
    pub(crate) fn describe(&self, quote: &RouteQuote, directory: &Directory) -> String {
        let give = describe_amount(&quote.amount_in, &self.give, directory);
        format!("{give} → {}", describe_amount(&quote.amount_out, &self.get, directory))
    }
}

/// An amount with its token and chain as text.
pub(crate) fn describe_amount(raw: &str, token: &Token, directory: &Directory) -> String {
    format!(
        "{} {} on {}",
        units::format_amount(raw, token.decimals),
        token.symbol,
        directory.name(token.chain_id)
    )
}
