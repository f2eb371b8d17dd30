//! What one service, and several on one database, hold: orders until saturation, a mix of requests, a soak, and a long history.
//!
//! Usage: `load [--quick] [--only NAME,…] [--minutes N] PATH-TO-CAUSEWAY`, or set `CAUSEWAY_BIN`. The parts are `orders`, `mix`, `soak`
//! and `history`. `CAUSEWAY_TEST_POSTGRES` names the server for what runs on PostgreSQL; `scripts/with-postgres` sets it.

mod history;
mod mix;
mod open_loop;
mod saturation;
mod soak;
mod stand;

use std::path::PathBuf;
use std::time::Duration;

/// How much is measured.
pub(crate) struct Scale {
    /// Wallets that swap at a time, and how many orders each makes.
    pub(crate) at_a_time: &'static [(usize, usize)],
    /// Requests a second of the mix, one step after the other, until the answers get slow.
    pub(crate) rates: &'static [u64],
    /// How long each step of the mix takes.
    pub(crate) step: Duration,
    pub(crate) soak: Duration,
    /// Finished orders in the database, with a tenth as many open ones.
    pub(crate) histories: &'static [u64],
}

const FULL: Scale = Scale {
    at_a_time: &[(128, 8), (512, 3), (2_048, 1)],
    rates: &[250, 500, 1_000, 1_500, 2_000, 3_000, 4_000, 6_000],
    step: Duration::from_secs(15),
    soak: Duration::from_mins(15),
    histories: &[0, 10_000, 100_000, 1_000_000],
};
const QUICK: Scale = Scale {
    at_a_time: &[(8, 2)],
    rates: &[50, 100],
    step: Duration::from_secs(3),
    soak: Duration::from_secs(20),
    histories: &[0, 1_000],
};

/// The parts, in the order in which they run.
const PARTS: [&str; 4] = ["orders", "mix", "soak", "history"];

pub(crate) async fn measure_all(arguments: Vec<String>) {
    let (mut scale, mut parts, mut binary) = (FULL, PARTS.map(str::to_owned).to_vec(), None);
    let mut minutes = None;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_else(|| panic!("{argument} needs a value"));
        match argument.as_str() {
            "--quick" => scale = QUICK,
            "--only" => parts = value().split(',').map(str::to_owned).collect(),
            "--minutes" => minutes = Some(value().parse().expect("a number of minutes")),
            _ => binary = Some(argument),
        }
    }
    if let Some(minutes) = minutes {
        scale.soak = Duration::from_mins(minutes);
    }
    let binary = binary.or_else(|| std::env::var("CAUSEWAY_BIN").ok());
    let binary = PathBuf::from(binary.expect("usage: load [--quick] [--only NAME,…] PATH-TO-CAUSEWAY"));
    for part in &parts {
        println!("## {part}\n");
        match part.as_str() {
            "orders" => saturation::measure(&binary, &scale).await,
            "mix" => mix::measure(&binary, &scale).await,
            "soak" => soak::measure(&binary, &scale).await,
            "history" => history::measure(&scale).await,
            _ => panic!("no part of the load is called {part}: choose among {}", PARTS.join(", ")),
        }
        println!();
    }
}
