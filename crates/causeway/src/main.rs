//! `causeway`: the service as one binary.

mod attesters;
mod chains;
mod cli;
mod commands;
mod config;
mod deployments;
mod hub;
mod keys;
mod logging;
mod market;
mod orders;
mod runtime;
mod sandbox;
mod signals;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Cli, Command};
use crate::config::Config;

/// Requests are many small allocations; measured in `benchmarks/`, this allocator answers more of them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do if standard error is closed too.
            let _ = writeln!(std::io::stderr(), "causeway: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let config = || Config::load(&cli.options);
    match &cli.command {
        None => runtime::run(commands::serve::serve(&config()?)),
        Some(Command::Config) => commands::show_config::show_config(&config()?),
        Some(Command::Openapi) => commands::show_openapi::show_openapi(),
        Some(Command::Deploy { chains }) => runtime::run(commands::deploy::deploy(&config()?, chains)),
        Some(Command::Attester) => runtime::run(commands::attester::attester(&config()?)),
        Some(Command::Sandbox) => runtime::run(commands::run_sandbox::run_sandbox(&config()?)),
        Some(Command::Backup { file }) => commands::backup::backup(&config()?, file),
    }
}
