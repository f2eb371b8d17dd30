//! Fillers elsewhere, from joining a running service to being paid by the escrow; and those that behave badly.

mod example;
mod misbehaving;

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use causeway_client::answers::QuoteAnswer;
use causeway_client::wire::QuoteAsk;
use causeway_client::{Client, LocalWallet, PollingOptions, Wallet as _};

use crate::service::{Service, causeway};

/// With what the fillers of these tests and the service sign.
const SECRET: &str = "correct horse battery staple";

const BASE: u64 = 8453;
const ARBITRUM: u64 = 42_161;
const USDC_ON_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const USDC_ON_ARBITRUM: &str = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831";

/// Twenty-five dollars from Base to Arbitrum.
fn ask(wallet: &LocalWallet) -> QuoteAsk {
    QuoteAsk {
        trade_type: "EXACT_INPUT".to_owned(),
        from_chain_id: BASE,
        from_token: USDC_ON_BASE.to_owned(),
        to_chain_id: ARBITRUM,
        to_token: USDC_ON_ARBITRUM.to_owned(),
        amount: "25000000".to_owned(),
        from_address: wallet.address(),
        ..QuoteAsk::default()
    }
}

fn pace() -> PollingOptions {
    PollingOptions::default().with_interval(Duration::from_millis(500))
}

/// A quote that holds a route of that name.
async fn wait_for_route(client: &Client, ask: &QuoteAsk, name: &str) -> QuoteAnswer {
    for _ in 0..300 {
        if let Ok(quote) = client.quote(ask).await
            && quote.routes.iter().any(|route| route.filler.as_deref() == Some(name))
        {
            return quote;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("{name} offers nothing");
}

/// Lets a filler join as an operator does.
fn join(folder: &Path, service: &Service, name: &str, url: &str) {
    let mut command = causeway();
    command.current_dir(folder).args(["filler", "add", name, "--kind", "remote", "--url", url]);
    command.args(["--service", &service.url, "--data-dir"]).arg(folder);
    let added = command.env("CAUSEWAY_FILLER_SECRET", SECRET).output().unwrap();
    assert!(added.status.success(), "{}", output_text(&added));
}

fn output_text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
