//! Swaps 25 USDC on Base for ether on Ethereum once the output is high enough:
//! `KEY=0x… cargo run -p causeway-client --example swap_when -- http://127.0.0.1:8080 7000000000000000`

#![allow(clippy::print_stdout, reason = "a command line example")]

use std::time::Duration;

use causeway_client::answers::Order;
use causeway_client::wire::QuoteAsk;
use causeway_client::{Bound, Client, Error, ExecuteOptions, LocalWallet, Step, Wallet as _};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(service), Some(min_output)) = (arguments.next(), arguments.next()) else {
        return Err("usage: swap_when SERVICE_URL MIN_OUTPUT".into());
    };
    let client = Client::new(&service)?;
    let wallet = LocalWallet::connect_sandbox(&client, &std::env::var("KEY")?).await?;
    let order = swap_when(&client, &wallet, &dollars_for_ether(&wallet), min_output.parse()?).await?;
    println!("order {} is {}", order.id, order.status);
    Ok(())
}

pub(crate) fn dollars_for_ether(wallet: &LocalWallet) -> QuoteAsk {
    QuoteAsk {
        trade_type: "EXACT_INPUT".to_owned(),
        from_chain_id: 8453,
        from_token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913".to_owned(),
        to_chain_id: 1,
        to_token: "0x0000000000000000000000000000000000000000".to_owned(),
        amount: "25000000".to_owned(),
        from_address: wallet.address(),
        ..QuoteAsk::default()
    }
}

/// Requests quotes until a route has an output of at least `min_output`, and takes it.
pub(crate) async fn swap_when(
    client: &Client,
    wallet: &LocalWallet,
    ask: &QuoteAsk,
    min_output: u128,
) -> Result<Order, Error> {
    let options = ExecuteOptions::new(Bound::MinAmountOut(min_output.to_string()));
    loop {
        match client.execute(ask, wallet, &options, report).await {
            // In all three cases nothing was signed.
            Err(Error::NoRoute { .. } | Error::CannotFill(_) | Error::QuoteExpired(_)) => {
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
            ended => return ended,
        }
    }
}

fn report(step: Step<'_>) {
    match step {
        Step::Chosen(route) => println!("{} gives {}", route.label(), route.quote.amount_out),
        Step::Sent { tx_hash, .. } => println!("sent {tx_hash}"),
        Step::Submitted(submitted) => println!("order {}", submitted.order_id),
        Step::Order(order) => println!("{}", order.status),
        _ => {}
    }
}
