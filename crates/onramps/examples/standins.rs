//! Starts a local stand-in for every provider, and prints their configuration. Nothing real is bought.
//!
//! `cargo run -p causeway-onramps --features standin --example standins [FIRST_PORT]`, with four ports from 8091 by default.

#![allow(clippy::print_stdout, reason = "the program prints the configuration")]

use std::error::Error;

use causeway_onramps::standin::{BanxaStandIn, CoinbaseStandIn, MoonPayStandIn, TransakStandIn};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let first: u16 = std::env::args().nth(1).map_or(Ok(8091), |port| port.parse())?;
    let transak = TransakStandIn::start(first).await?;
    let moonpay = MoonPayStandIn::start(first + 1).await?;
    let coinbase = CoinbaseStandIn::start(first + 2).await?;
    let banxa = BanxaStandIn::start(first + 3).await?;
    for settings in [transak.settings(), moonpay.settings(), coinbase.settings(), banxa.settings()] {
        println!("{settings}");
    }
    println!("# Inject a fault: curl -d down http://127.0.0.1:{first}/standin/mischief");
    println!("# Set the status of a purchase, and send its webhook to URL:");
    println!("# curl -d '' 'http://127.0.0.1:{first}/standin/walk?order=ID&status=COMPLETED&to=URL'");
    tokio::signal::ctrl_c().await?;
    Ok(())
}
