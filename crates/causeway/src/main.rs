//! `causeway`: the service as one binary.

mod chains;
mod cli;
mod commands;
mod config;
mod deployments;
mod hub;
mod logging;
mod market;
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
    match &cli.command {
        None => commands::serve::serve(&Config::load(&cli.options)?),
        Some(Command::Config) => commands::show_config::show_config(&Config::load(&cli.options)?),
        Some(Command::Openapi) => commands::show_openapi::show_openapi(),
        Some(Command::Deploy { chains }) => commands::deploy::deploy(&Config::load(&cli.options)?, chains),
        Some(Command::Attester) => commands::attester::attester(&Config::load(&cli.options)?),
        Some(Command::Sandbox) => commands::run_sandbox::run_sandbox(&Config::load(&cli.options)?),
        Some(Command::Backup { file }) => commands::backup::backup(&Config::load(&cli.options)?, file),
    }
}
