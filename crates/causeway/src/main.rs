//! `causeway`: the service as one binary.

mod boot;
mod cli;
mod commands;
mod runtime;

use std::io::Write as _;
use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::boot::config::Config;
use crate::cli::{Cli, Command};
use crate::commands::client::failure::Failure;
use crate::commands::client::output::plain;
use crate::commands::client::{self, balances, buy, health, mcp, qr, quote, swap, tokens, track};

/// Requests are many small allocations; measured in `benchmarks/`, this allocator answers more of them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let parsed = Cli::from_arg_matches(&cli::command().get_matches()).unwrap_or_else(|error| error.exit());
    match run(&parsed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do if standard error is closed too.
            let _ = writeln!(std::io::stderr(), "causeway: {}", plain(&format!("{error:#}")));
            error.downcast_ref::<Failure>().map_or(ExitCode::FAILURE, Failure::exit_code)
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let config = || Config::load(&cli.options.overrides());
    match &cli.command {
        None => runtime::run(commands::serve::serve(&config()?)),
        Some(Command::Config) => commands::show_config::show_config(&config()?),
        Some(Command::Openapi) => commands::show_openapi::show_openapi(),
        Some(Command::Init(args)) => commands::init::init(args, &cli.options.overrides()),
        Some(Command::Deploy { chains }) => runtime::run(commands::deploy::deploy(&config()?, chains)),
        Some(Command::Doctor(args)) => runtime::run(commands::doctor::doctor(args, &config()?)),
        Some(Command::Catalog(command)) => commands::catalog::catalog(command, &config()?),
        Some(Command::Key(command)) => commands::key::key(command, config),
        Some(Command::Attester) => runtime::run(commands::attester::attester(&config()?)),
        Some(Command::Sandbox) => runtime::run(commands::run_sandbox::run_sandbox(&config()?)),
        Some(Command::Liquidity(command)) => {
            runtime::run(commands::liquidity::liquidity(command, &config()?))
        }
        Some(Command::Onramp(command)) => commands::onramp::onramp(command, &config()?),
        Some(Command::Audit(args)) => commands::audit::audit(args, &config()?),
        Some(Command::Recover(args)) => runtime::run(commands::recover::recover(args, &config()?)),
        Some(Command::Webhooks { command }) => commands::webhooks::webhooks(command, &config()?),
        Some(Command::Backup { file }) => commands::backup::backup(&config()?, file),
        Some(Command::Quote(args)) => client::run(&args.service, |session| quote::quote(session, args)),
        Some(Command::Swap(args)) => client::run(&args.service, |session| swap::swap(session, args)),
        Some(Command::Track(args)) => client::run(&args.service, |session| track::track(session, args)),
        Some(Command::Tokens(args)) => client::run(&args.service, |session| tokens::tokens(session, args)),
        Some(Command::Balances(args)) => {
            client::run(&args.service, |session| balances::balances(session, args))
        }
        Some(Command::Mcp(args)) => client::run(&args.service, |session| mcp::mcp(session, args)),
        Some(Command::Buy(args)) => client::run(&args.service, |session| buy::buy(session, args)),
        Some(Command::Qr(args)) => client::run(&args.service, |session| qr::qr(session, args)),
        Some(Command::Health(args)) => client::run(&args.service, health::health),
        Some(Command::Pause(args)) => commands::pause::pause(args, &config()?),
        Some(Command::Resume(args)) => commands::pause::resume(args, &config()?),
        Some(Command::Pauses(args)) => commands::pause::pauses(args, &config()?),
        Some(Command::Filler { command }) => commands::filler::filler(command, &config()?),
        Some(Command::Erase(args)) => commands::erase::erase(args, &config()?),
        Some(Command::Integrator { command }) => commands::integrator::integrator(command, &config()?),
        Some(Command::Order { command }) => commands::order::order(command, &config()?),
        Some(Command::Overview(args)) => commands::overview::overview(args, &config()?),
        Some(Command::Results(args)) => commands::results::results(args, &config()?),
        Some(Command::Stuck(args)) => commands::stuck::stuck(args, &config()?),
        Some(Command::Completions { shell }) => commands::completions::completions(cli::command(), *shell),
        Some(Command::Man { folder }) => commands::man::man(cli::command(), folder),
    }
}
