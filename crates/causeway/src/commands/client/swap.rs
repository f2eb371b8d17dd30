use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy_primitives::U256;
use causeway_client::answers::{QuoteAnswer, Route};
use causeway_client::wire::{QuoteAsk, Warning};
use causeway_client::{
    Bound, DepositMethod, Error, ExecuteOptions, Limit, LocalSolanaWallet, LocalWallet, PriceReference, Step,
    Wallet,
};
use clap::{Args, ValueEnum};
use parking_lot::Mutex;

use super::directory::Directory;
use super::failure::Failure;
use super::interrupted::{SwapState, interrupted};
use super::key::Key;
use super::pair::{Pair, PairArgs};
use super::progress::Progress;
use super::quote::{question, warning_line};
use super::{ServiceArgs, Session, order, output, units};

#[derive(Clone, Debug, Args)]
pub(crate) struct SwapArgs {
    #[command(flatten)]
    pair: PairArgs,

    /// The file with the payer's private key, readable by its owner alone; `-` reads standard input
    ///
    /// Without it the key is taken from the environment variable `CAUSEWAY_KEY`. It is 64 hex digits for EVM chains; for Solana it
    /// is a keypair of 64 bytes, in base58 or as a JSON array. The key never leaves this process.
    #[arg(long, env = "CAUSEWAY_KEY_FILE", value_name = "FILE")]
    key_file: Option<PathBuf>,

    /// The recipient [default: the payer]
    #[arg(long, value_name = "ADDRESS")]
    to: Option<String>,

    /// The recipient of a refund [default: the payer]
    #[arg(long, value_name = "ADDRESS")]
    refund_to: Option<String>,

    /// Take no route that guarantees less than this decimal amount of the output token
    #[arg(long, value_name = "AMOUNT", group = "bound")]
    at_least: Option<String>,

    /// For an exact output: take no route that costs more than this decimal amount of the input token
    #[arg(long, value_name = "AMOUNT", group = "bound")]
    at_most: Option<String>,

    /// Take no route worse than these prices of one input and one output token, such as 1:3500; see --within
    ///
    /// The prices must not come from the service: they protect you from a dishonest service.
    #[arg(long, value_name = "FROM:TO", group = "bound")]
    price: Option<String>,

    /// How much worse than --price the swap may be, in percent; small amounts need more, for gas
    #[arg(long, value_name = "PERCENT", default_value = "1", requires = "price")]
    within: String,

    /// The escrow that the deposit may go to [default: that of a published deployment, or of a sandbox on this machine]
    #[arg(long, value_name = "ADDRESS")]
    escrow: Option<String>,

    /// The JSON-RPC endpoint of the source chain [default: the sandbox's, if the service runs on this machine]
    #[arg(long, value_name = "URL")]
    rpc: Option<String>,

    /// Take this filler's route, not the best one
    #[arg(long, value_name = "NAME")]
    route: Option<String>,

    /// The slippage tolerance as a fraction: 0.005 is half a percent
    #[arg(long, value_name = "FRACTION")]
    slippage: Option<f64>,

    /// How many seconds after its price has expired the deposit may still be made, 600 to 86400 [default: ten minutes]
    ///
    /// The price holds no longer: a deposit after it is filled if the swap still pays for itself, and returned if not.
    #[arg(long, value_name = "SECONDS")]
    deposit_within: Option<u32>,

    /// How to deposit
    #[arg(long, value_enum, default_value_t = Way::ContractCall)]
    by: Way,

    /// Accept this severe warning, by its code such as `HIGH_FEES`, where nobody is asked; can be repeated
    #[arg(long, value_name = "CODE", requires = "yes")]
    accept_warning: Vec<String>,

    /// Do not ask for confirmation; required without a terminal
    #[arg(long, short)]
    yes: bool,

    #[command(flatten)]
    pub(crate) service: ServiceArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Way {
    /// The wallet sends the deposit and pays its gas
    ContractCall,
    /// The wallet signs a permit, and the service pays the gas
    Permit2,
    /// The wallet signs an authorization of the token itself: no allowance, and the service pays the gas
    Authorization,
    /// The wallet signs a permit of the token itself and the order: no allowance, and the service pays the gas
    Permit,
}

/// Runs a swap: quote, confirmation, deposit, and tracking until it is filled.
pub(crate) async fn swap(session: Session, args: &SwapArgs) -> Result<(), Failure> {
    if !args.yes && !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "there is no terminal to confirm the swap: see the price with `causeway quote`, then add --yes",
        ));
    }
    if args.yes && args.at_least.is_none() && args.at_most.is_none() && args.price.is_none() {
        return Err(Failure::usage(
            "a swap without a confirmation needs a bound on its price: --at-least, --at-most or --price",
        ));
    }
    let key = Key::read(args.key_file.as_ref())?;
    let directory = Arc::new(session.directory().await?);
    let pair = Arc::new(args.pair.resolve(&session.client, &directory).await?);
    let source = directory.by_id(pair.give.chain_id).map(|chain| chain.r#type.as_str());
    if source == Some("solana") {
        let wallet =
            LocalSolanaWallet::new(key.reveal()).map_err(|error| Failure::usage(error.to_string()))?;
        return execute(&session, args, &pair, &directory, &wallet).await;
    }
    let wallet = LocalWallet::new(key.reveal()).map_err(|error| Failure::usage(error.to_string()))?;
    let wallet = match &args.rpc {
        Some(url) => wallet.with_endpoint(pair.give.chain_id, url).map_err(Error::from)?,
        None if session.client.is_local() => {
            LocalWallet::connect_sandbox(&session.client, key.reveal()).await?
        }
        None => return Err(Failure::usage("name your own endpoint of the source chain with --rpc")),
    };
    execute(&session, args, &pair, &directory, &wallet).await
}

async fn execute(
    session: &Session,
    args: &SwapArgs,
    pair: &Arc<Pair>,
    directory: &Arc<Directory>,
    wallet: &impl Wallet,
) -> Result<(), Failure> {
    let ask = QuoteAsk {
        recipient: args.to.clone(),
        refund_to: args.refund_to.clone(),
        slippage_tolerance: args.slippage,
        deposit_within: args.deposit_within,
        ..pair.ask(&wallet.address())
    };
    let progress = Arc::new(session.progress());
    progress.waiting("Asking the fillers");
    let declined = Arc::new(AtomicBool::new(false));
    let options = options(session, args, pair, directory, &ask, &progress, &declined)?;
    let state = Mutex::new(SwapState::default());
    let on_step = |step: Step<'_>| {
        let mut state = state.lock();
        report_step(&progress, &mut state, step, pair, directory);
    };
    let ended = session.client.execute(&ask, wallet, &options, on_step).await;
    progress.clear();
    let state = state.into_inner();
    match ended {
        Ok(filled) if session.args.json => output::print_json(&filled),
        Ok(filled) => output::print(&order::show(&filled, directory)),
        Err(Error::NoRoute { .. }) if declined.load(Ordering::SeqCst) => {
            Err(Failure::Stopped("nothing was signed".to_owned()))
        }
        Err(Error::Warned(warnings)) => Err(not_accepted(warnings)),
        Err(error @ Error::NoRoute { .. }) => Err(no_route(error, &state, pair)),
        Err(Error::ApiAborted) => Err(interrupted(session, &state, &ask.from_address).await),
        Err(error) => {
            if let (Some(order), false) = (&state.order, matches!(error, Error::OrderFailed(_))) {
                output::notice(&format!("the order continues; to track it again: {}", session.resume(order)));
            }
            Err(error.into())
        }
    }
}

fn options(
    session: &Session,
    args: &SwapArgs,
    pair: &Arc<Pair>,
    directory: &Arc<Directory>,
    ask: &QuoteAsk,
    progress: &Arc<Progress>,
    declined: &Arc<AtomicBool>,
) -> Result<ExecuteOptions, Failure> {
    let limit = limit(args, pair)?;
    let recipient = ask.recipient.clone().unwrap_or_else(|| ask.from_address.clone());
    let (shown, chains, declined) = (Arc::clone(pair), Arc::clone(directory), Arc::clone(declined));
    let (progress, interrupt) = (Arc::clone(progress), session.interrupt.clone());
    // The codes of the warnings that the user has seen and confirmed.
    let seen = Arc::new(Mutex::new(Vec::<String>::new()));
    let confirmed = Arc::clone(&seen);
    let asks = session.interrupt.clone();
    let accept = move |warning: &Warning| {
        // A deposit may have a warning that the quote did not have yet.
        seen.lock().contains(&warning.code) || asks.confirm(&format!("{}\nGo on?", warning_line(warning)))
    };
    let confirm = move |route: &Route| {
        // One answer counts for all routes: a user who declines the best one is not asked again.
        if declined.load(Ordering::SeqCst) {
            return false;
        }
        progress.clear();
        let agreed = interrupt.confirm(&question(route, &shown, &recipient, &chains));
        confirmed.lock().extend(route.warnings.iter().map(|warning| warning.code.clone()));
        declined.store(!agreed, Ordering::SeqCst);
        agreed
    };
    let wanted = args.route.clone();
    let is_wanted = move |route: &Route| {
        wanted
            .as_ref()
            .is_none_or(|wanted| *wanted == route.route_id || route.filler.as_ref() == Some(wanted))
    };
    let options = match (limit, args.yes) {
        (Some(limit), true) => ExecuteOptions::new(limit).with_route_filter(is_wanted),
        // Without a limit --yes was rejected.
        (None, _) => ExecuteOptions::new(Bound::confirmed(confirm)).with_route_filter(is_wanted),
        (Some(limit), false) => {
            ExecuteOptions::new(limit).with_route_filter(is_wanted).with_confirmation(confirm)
        }
    };
    let way = match args.by {
        Way::ContractCall => DepositMethod::ContractCall,
        Way::Permit2 => DepositMethod::Permit2,
        Way::Authorization => DepositMethod::Authorization,
        Way::Permit => DepositMethod::Permit,
    };
    let options = options.with_deposit_method(way);
    let options = if args.yes {
        options.with_accepted_warnings(args.accept_warning.iter())
    } else {
        options.with_warning_check(accept)
    };
    Ok(match &args.escrow {
        Some(escrow) => options.with_trusted_escrow(pair.give.chain_id, escrow),
        None => options,
    })
}

/// The bound of the arguments.
fn limit(args: &SwapArgs, pair: &Pair) -> Result<Option<Bound>, Failure> {
    if let Some(least) = &args.at_least {
        if pair.exact_output {
            return Err(Failure::usage("an exact output is bounded with --at-most"));
        }
        return units::to_raw(least, pair.get.decimals)
            .map(Bound::MinAmountOut)
            .map(Some)
            .map_err(Failure::Usage);
    }
    if let Some(most) = &args.at_most {
        if !pair.exact_output {
            return Err(Failure::usage("an exact input is bounded with --at-least"));
        }
        return units::to_raw(most, pair.give.decimals)
            .map(Bound::MaxAmountIn)
            .map(Some)
            .map_err(Failure::Usage);
    }
    let Some(price) = &args.price else { return Ok(None) };
    let (from, to) = price
        .split_once(':')
        .ok_or_else(|| Failure::usage("--price needs the prices of both tokens, such as 1:3500"))?;
    // A percentage with four digits after the point is a number of millionths.
    let millionths = units::to_raw(&args.within, 4).ok().and_then(|millionths| millionths.parse().ok());
    let millionths = millionths.ok_or_else(|| Failure::usage("--within is a percentage, such as 0.5"))?;
    let decimals = (Some(pair.give.decimals), Some(pair.get.decimals));
    let price = PriceReference::new(from.trim(), to.trim()).with_decimals(decimals.0, decimals.1);
    Ok(Some(Bound::Price(price.with_tolerance_millionths(millionths))))
}

/// The best of a quote by what is bounded: the most that is guaranteed, or the least that is asked for.
fn best(quote: &QuoteAnswer, pair: &Pair) -> Option<String> {
    let quotes = quote.routes.iter().map(|route| &route.quote);
    if pair.exact_output {
        return quotes.filter_map(|quote| number(&quote.amount_in)).min().map(|least| least.to_string());
    }
    quotes.filter_map(|quote| number(quote.min_amount_out.as_deref()?)).max().map(|most| most.to_string())
}

fn limit_text(limit: &Limit, pair: &Pair) -> String {
    let (word, token) = if limit.is_output() { ("at least", &pair.get) } else { ("at most", &pair.give) };
    format!("{word} {} {}", units::format_exact(&limit.amount(), token.decimals), token.symbol)
}

/// Says what was offered where the bound refused all of it.
fn no_route(error: Error, state: &SwapState, pair: &Pair) -> Failure {
    let (Some(limit), Some(best)) = (&state.limit, &state.best) else { return error.into() };
    let (best_amount, bound) = (number(best), number(&limit.amount()));
    let (offered, is_refused) =
        if limit.is_output() { ("guarantees", best_amount < bound) } else { ("costs", best_amount > bound) };
    if !is_refused {
        return error.into();
    }
    let token = if limit.is_output() { &pair.get } else { &pair.give };
    let message = format!(
        "the best route {offered} {} {}, and you allow {}: nothing was signed",
        units::format_exact(best, token.decimals),
        token.symbol,
        limit_text(limit, pair)
    );
    Failure::Explained { message, error: Box::new(error) }
}

/// Says which option accepts the warnings.
fn not_accepted(warnings: Vec<Warning>) -> Failure {
    let lines = warnings.iter().map(|warning| format!("\n  {}", warning_line(warning)));
    let options = warnings.iter().map(|warning| format!(" --accept-warning {}", warning.code));
    let message = format!(
        "nothing was signed, because of what was not accepted:{}\nto accept it, add{}",
        lines.collect::<String>(),
        options.collect::<String>()
    );
    Failure::Explained { message, error: Box::new(Error::Warned(warnings)) }
}

fn number(amount: &str) -> Option<U256> {
    amount.parse().ok()
}

fn report_step(
    progress: &Progress,
    state: &mut SwapState,
    step: Step<'_>,
    pair: &Pair,
    directory: &Directory,
) {
    match step {
        Step::Bounded(limit) => {
            progress.step("bound", &format!("{} ({})", limit_text(limit, pair), limit.reason()));
            state.limit = Some(limit.clone());
        }
        Step::Quoted(quote) => {
            state.best = best(quote, pair);
            state.quote_id.clone_from(&quote.quote_id);
            let count = quote.routes.len();
            progress.step("quoted", &format!("{count} route{}", if count == 1 { "" } else { "s" }));
        }
        Step::Chosen(route) => {
            state.route_id.clone_from(&route.route_id);
            let seconds = route.quote.expected_duration_seconds;
            let summary = pair.describe(&route.quote, directory);
            progress.step("chosen", &format!("{}: {summary}, about {seconds} s", route.label()));
            state.warned.clone_from(&route.warnings);
            for warning in &route.warnings {
                progress.step("warning", &warning_line(warning));
            }
            progress.waiting("Building the deposit");
        }
        Step::Built(built) => {
            state.built = true;
            for warning in built.warnings().iter().filter(|warning| !state.warned.contains(warning)) {
                progress.step("warning", &warning_line(warning));
            }
            for sentence in built.summary() {
                progress.step("to sign", sentence);
            }
            progress.waiting("Signing and sending");
        }
        Step::Sent { tx_hash, deposit } => {
            let link = directory.link(pair.give.chain_id, tx_hash);
            if deposit {
                state.deposit = Some(tx_hash.to_owned());
                progress.step("sent", &link);
                progress.waiting("Submitting the deposit");
            } else {
                progress.step("allowed", &link);
                progress.waiting("Waiting for the approval");
            }
        }
        Step::Signed { tx_hash } => {
            state.deposit = Some(tx_hash.to_owned());
            progress.step("signed", &directory.link(pair.give.chain_id, tx_hash));
            progress.waiting("Submitting the signed deposit");
        }
        Step::Submitted(submitted) => {
            state.order = Some(submitted.order_id.clone());
            progress.step("order", &submitted.order_id);
            progress.waiting(order::waiting_text("created"));
        }
        Step::Order(found) => order::report(progress, found, directory),
        _ => {}
    }
}
