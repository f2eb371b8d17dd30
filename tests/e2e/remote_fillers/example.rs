use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use causeway_client::wire::IntentState;
use causeway_client::{Bound, Client, ExecuteOptions, LocalWallet};
use serde_json::{Value, json};

use super::{ARBITRUM, BASE, SECRET, USDC_ON_BASE, ask, join, output_text, pace, wait_for_route};
use crate::service::{Service, causeway, data_dir, read_address};

/// The sixth, the eighth and the ninth account of the customary test phrase, rich on every chain of the sandbox.
const PAYER: &str = "0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba";
const OTHER_PAYER: &str = "0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356";
const FILLER: &str = "0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97";
const FILLER_ACCOUNT: &str = "0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f";

/// The example as its own process; it ends with the value.
struct Example(Child);

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(service: &Service) -> (Example, String) {
    // Beside the binary, where cargo puts the package's examples.
    let program = Path::new(env!("CARGO_BIN_EXE_causeway")).with_file_name("examples").join("filler-rust");
    let child = Command::new(&program)
        .env("CAUSEWAY_URL", &service.url)
        .env("FILLER_KEY", FILLER)
        .env("FILLER_SECRET", SECRET)
        .env("FILLER_SPREAD", "1")
        .env("FILLER_LISTEN", "127.0.0.1:0")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("{} (cargo build -p causeway --examples makes it): {error}", program.display())
        });
    let mut example = Example(child);
    let url = read_address(&mut example.0);
    (example, url)
}

async fn dollars(client: &Client, owner: &str) -> u128 {
    let held = client.balances(owner, &[BASE]).await.unwrap().tokens;
    let dollars = held.iter().find(|token| token.address == USDC_ON_BASE).unwrap();
    dollars.extensions.as_ref().unwrap().balance.as_deref().unwrap().parse().unwrap()
}

async fn sender(service: &Service, chain: u64, tx: &str) -> String {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_getTransactionByHash", "params": [tx] });
    let url = format!("{}/sandbox/rpc/{chain}", service.url);
    let answer: Value =
        service.client.post(url).body(call.to_string()).send().await.unwrap().json().await.unwrap();
    answer["result"]["from"].as_str().unwrap().to_lowercase()
}

#[tokio::test]
async fn rust_example_filler_passes_the_check_wins_a_quote_fills_and_is_paid() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let (_example, url) = start(&service);
    let mut check = causeway();
    check.current_dir(folder.path()).args(["filler", "check", &url]);
    let checked = check.env("CAUSEWAY_FILLER_SECRET", SECRET).output().unwrap();
    assert!(checked.status.success(), "{}", output_text(&checked));
    assert!(output_text(&checked).contains("rules are kept"), "{}", output_text(&checked));

    join(folder.path(), &service, "example", &url);
    let client = Client::new(&service.url).unwrap();
    let wallet = LocalWallet::connect_sandbox(&client, PAYER).await.unwrap();
    let ask = ask(&wallet);
    let quote = wait_for_route(&client, &ask, "example").await;
    assert_eq!(
        (quote.routes[0].filler.as_deref(), quote.routes[0].r#type.as_deref()),
        (Some("example"), Some("rfq"))
    );
    assert!(quote.routes.len() > 1, "others have offered less");

    let before = dollars(&client, FILLER_ACCOUNT).await;
    let options = ExecuteOptions::new(Bound::MinAmountOut("1".to_owned()))
        .with_route_filter(|route| route.filler.as_deref() == Some("example"))
        .with_polling(pace());
    let order = client.execute(&ask, &wallet, &options, |_| {}).await.unwrap();
    assert_eq!(order.status, "filled");
    let fill = order.transactions.fill.unwrap();
    assert_eq!(fill.chain_id, Some(ARBITRUM));
    assert_eq!(sender(&service, ARBITRUM, &fill.tx_hash).await, FILLER_ACCOUNT.to_lowercase());

    let intent = order.intent_id.unwrap();
    let attested = until(async || client.intent_attestations(&intent).await.ok()).await;
    assert_eq!(attested.signatures.len(), 2, "a threshold of the sandbox's attesters");
    let settled = async || {
        let intent = client.intent(&intent).await.unwrap();
        (intent.summary.state == IntentState::Settled).then_some(())
    };
    until(settled).await;
    assert_eq!(dollars(&client, FILLER_ACCOUNT).await - before, 25_000_000, "the whole input is the payee's");
    let fillers = client.fillers().await.unwrap();
    assert!(fillers.iter().any(|filler| filler.name == "example" && filler.quotes.won > 0));

    // Deliveries of one token that begin together do not take each other's allowance.
    let swap = async |key: &str| {
        let wallet = LocalWallet::connect_sandbox(&client, key).await.unwrap();
        client.execute(&super::ask(&wallet), &wallet, &options, |_| {}).await.unwrap().status
    };
    let (one, other) = tokio::join!(swap(PAYER), swap(OTHER_PAYER));
    assert_eq!([one, other], ["filled", "filled"]);
}

/// Asks until there is an answer; a claim takes a few blocks and two looks of the attesters.
async fn until<T>(ask: impl AsyncFn() -> Option<T>) -> T {
    for _ in 0..600 {
        if let Some(answer) = ask().await {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("it did not happen");
}

#[test]
fn unreachable_filler_fails_its_check_with_the_required_change() {
    let mut check = causeway();
    check.args(["filler", "check", "http://127.0.0.1:1"]).env("CAUSEWAY_FILLER_SECRET", SECRET);
    let checked = check.output().unwrap();
    assert_eq!(checked.status.code(), Some(1));
    let words = output_text(&checked);
    assert!(words.contains("change: start the server") && words.contains("violates 1 of 1 rules"), "{words}");
    let secretless = causeway().args(["filler", "check", "http://127.0.0.1:1"]).output().unwrap();
    assert!(output_text(&secretless).contains("--secret-file"), "{}", output_text(&secretless));
}

#[test]
fn rust_example_filler_has_fewer_than_150_lines() {
    assert!(include_str!("../../../examples/filler-rust/main.rs").lines().count() < 150);
}
