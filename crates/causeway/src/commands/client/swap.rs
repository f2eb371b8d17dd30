use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use causeway_client::wire::{BuildAnswer, QuoteAsk, Route};
use causeway_client::{DepositMethod, Error, ExecuteOptions, LocalSolanaWallet, LocalWallet, Step, Wallet};
use clap::{Args, ValueEnum};
use parking_lot::Mutex;

use super::directory::Directory;
use super::failure::Failure;
use super::interrupted::{SwapState, interrupted};
use super::key::Key;
use super::pair::{Pair, PairArgs};
use super::progress::Progress;
use super::quote::question;
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

    /// Take no route that guarantees less than this decimal amount
    #[arg(long, value_name = "AMOUNT")]
    at_least: Option<String>,

    /// Take this filler's route, not the best one
    #[arg(long, value_name = "NAME")]
    route: Option<String>,

    /// The slippage tolerance as a fraction: 0.005 is half a percent
    #[arg(long, value_name = "FRACTION")]
    slippage: Option<f64>,

    /// How to deposit
    #[arg(long, value_enum, default_value_t = Way::ContractCall)]
    by: Way,

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
}

/// Runs a swap: quote, confirmation, deposit, and tracking until it is filled.
pub(crate) async fn swap(session: Session, args: &SwapArgs) -> Result<(), Failure> {
    if !args.yes && !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "nobody can be asked here before the money moves: look at it with `causeway quote`, then add --yes",
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
    LocalWallet::new(key.reveal()).map_err(|error| Failure::usage(error.to_string()))?;
    let wallet = LocalWallet::connect(&session.client, key.reveal()).await?;
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
        Err(Error::NoRoute) if declined.load(Ordering::SeqCst) => {
            Err(Failure::Stopped("nothing was signed".to_owned()))
        }
        Err(Error::ApiAborted) => Err(interrupted(session, &state, &ask.from_address).await),
        Err(error) => {
            if let (Some(order), false) = (&state.order, matches!(error, Error::OrderFailed(_))) {
                output::notice(&format!("the order goes on; to look again: {}", session.resume(order)));
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
    let least = args.at_least.as_deref().map(|text| units::to_raw(text, pair.get.decimals));
    let least = least.transpose().map_err(Failure::Usage)?;
    let (wanted, yes) = (args.route.clone(), args.yes);
    let recipient = ask.recipient.clone().unwrap_or_else(|| ask.from_address.clone());
    let (pair, directory, declined) = (Arc::clone(pair), Arc::clone(directory), Arc::clone(declined));
    let (progress, interrupt) = (Arc::clone(progress), session.interrupt.clone());
    let accept = move |route: &Route| {
        let enough =
            least.as_ref().is_none_or(|least| units::compare(&route.quote.min_amount_out, least).is_ge());
        if !enough || wanted.as_ref().is_some_and(|wanted| *wanted != route.route_id) {
            return false;
        }
        if yes {
            return true;
        }
        // One answer counts for all routes: a user who declines the best one is not asked again.
        if declined.load(Ordering::SeqCst) {
            return false;
        }
        progress.clear();
        let agreed = interrupt.confirm(&question(route, &pair, &recipient, &directory));
        declined.store(!agreed, Ordering::SeqCst);
        agreed
    };
    let way = match args.by {
        Way::ContractCall => DepositMethod::ContractCall,
        Way::Permit2 => DepositMethod::Permit2,
    };
    Ok(ExecuteOptions::default().with_deposit_method(way).with_route_filter(accept))
}

fn report_step(
    progress: &Progress,
    state: &mut SwapState,
    step: Step<'_>,
    pair: &Pair,
    directory: &Directory,
) {
    match step {
        Step::Quoted(quote) => {
            state.quote_id.clone_from(&quote.quote_id);
            let count = quote.routes.len();
            progress.step("quoted", &format!("{count} route{}", if count == 1 { "" } else { "s" }));
        }
        Step::Chosen(route) => {
            state.route_id.clone_from(&route.route_id);
            let seconds = route.quote.expected_duration_seconds;
            let summary = pair.describe(&route.quote, directory);
            progress.step("chosen", &format!("{}: {summary}, about {seconds} s", route.route_id));
            progress.waiting("Building the deposit");
        }
        Step::Built(built) => {
            state.built = true;
            for sentence in summary(built) {
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

fn summary(built: &BuildAnswer) -> &[String] {
    match built {
        BuildAnswer::ContractCall(call) => &call.frozen.summary,
        BuildAnswer::Permit2(permit) => &permit.frozen.summary,
        BuildAnswer::Transfer(transfer) => &transfer.frozen.summary,
    }
}
