//! What operators do to a running service, by the commands that they have.

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use causeway_client::answers::{BuildAnswer, Route, TransferDeposit};
use causeway_client::wire::{BuildAsk, QuoteAsk};
use causeway_client::{Client, Error, EvmTransaction, LocalWallet, PollingOptions, Wallet as _};
use serde_json::{Value, json};

use crate::service::{Service, causeway, data_dir};

/// The fourth account of the customary test phrase, rich on every chain of the sandbox.
const KEY: &str = "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6";
const USDC_ON_BASE: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const COIN: &str = "0x0000000000000000000000000000000000000000";
const BASE: u64 = 8453;
const ETHEREUM: u64 = 1;

/// An operator's command on the service of that folder.
fn operator(folder: &Path, service: &Service, args: &[&str]) -> Output {
    let mut command = causeway();
    command.current_dir(folder).args(args).args(["--url", &service.url, "--data-dir"]).arg(folder);
    command.env_remove("CAUSEWAY_OPERATOR_TOKEN").output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn ask(wallet: &LocalWallet, to_chain: u64, to_token: &str) -> QuoteAsk {
    QuoteAsk {
        trade_type: "EXACT_INPUT".to_owned(),
        from_chain_id: BASE,
        from_token: USDC_ON_BASE.to_owned(),
        to_chain_id: to_chain,
        to_token: to_token.to_owned(),
        amount: "25000000".to_owned(),
        from_address: wallet.address(),
        deposit_methods: Some(vec!["TRANSFER".to_owned()]),
        ..QuoteAsk::default()
    }
}

/// The id of a quote and of its best route, once there is one.
/// The quote's id with that of its best route.
async fn wait_for_quote(client: &Client, ask: &QuoteAsk) -> (String, String) {
    let (quote_id, route) = wait_for_route(client, ask).await;
    (quote_id, route.route_id)
}

async fn wait_for_route(client: &Client, ask: &QuoteAsk) -> (String, Route) {
    for _ in 0..300 {
        if let Ok(quote) = client.quote(ask).await
            && let Some(route) = quote.routes.first()
        {
            return (quote.quote_id, route.clone());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("nobody offers anything");
}

async fn build(client: &Client, ask: &QuoteAsk, route: &(String, String)) -> Result<TransferDeposit, Error> {
    let built = client
        .build_deposit(&BuildAsk {
            quote_id: route.0.clone(),
            route_id: route.1.clone(),
            from: ask.from_address.clone(),
            recipient: None,
            refund_to: None,
            deposit_method: Some("TRANSFER".to_owned()),
        })
        .await?;
    let BuildAnswer::Transfer(deposit) = built else { panic!("not a transfer: {built:?}") };
    Ok(*deposit)
}

async fn pay(wallet: &LocalWallet, deposit: &TransferDeposit) {
    let to = deposit.transfer.deposit_address.parse::<alloy_primitives::Address>().unwrap();
    let amount = deposit.transfer.amount.as_ref().unwrap().parse::<alloy_primitives::U256>().unwrap();
    let selector = alloy_primitives::hex!("a9059cbb");
    let data = [&selector[..], to.into_word().as_slice(), &amount.to_be_bytes::<32>()].concat();
    let payment = EvmTransaction {
        chain_id: BASE,
        to: USDC_ON_BASE.parse().unwrap(),
        data: data.into(),
        value: alloy_primitives::U256::ZERO,
        gas: None,
    };
    let hash = wallet.send(&payment).await.unwrap();
    wallet.wait_for_receipt(BASE, &hash).await.unwrap();
}

fn refusal<T: std::fmt::Debug>(answer: Result<T, Error>) -> String {
    match answer {
        Err(error @ Error::CannotFill(_)) => error.to_string(),
        other => panic!("it was not refused: {other:?}"),
    }
}

async fn control(service: &Service, chain: u64, action: &str) {
    let url = format!("{}/sandbox/control/{chain}", service.url);
    let body = json!({ "action": action }).to_string();
    let response = service.client.post(url).body(body).send().await.unwrap();
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn pause_blocks_new_orders_and_open_orders_complete() {
    let folder = data_dir();
    let folder = folder.path();
    let service = Service::start_with(folder, &[]);
    let client = Client::new(&service.url).unwrap();
    let wallet = LocalWallet::connect_sandbox(&client, KEY).await.unwrap();
    let ask = ask(&wallet, ETHEREUM, COIN);
    let (given_out, not_taken) = (wait_for_quote(&client, &ask).await, wait_for_quote(&client, &ask).await);
    let deposit = build(&client, &ask, &given_out).await.unwrap();

    let reason = "the bridge is being repaired";
    stdout(&operator(folder, &service, &["pause", "chain", "8453", "--reason", reason]));
    for message in [refusal(client.quote(&ask).await), refusal(build(&client, &ask, &not_taken).await)] {
        let message = message.to_lowercase();
        assert!(message.contains("chain 8453 is paused") && message.contains(reason), "{message}");
    }
    let again = build(&client, &ask, &given_out).await.unwrap();
    assert_eq!(again.transfer.deposit_address, deposit.transfer.deposit_address, "it was given out before");
    let listed = stdout(&operator(folder, &service, &["pauses"]));
    assert!(listed.contains("8453") && listed.contains(reason), "{listed}");
    stdout(&operator(folder, &service, &["pause", "filler", "north"]));

    pay(&wallet, &deposit).await;
    let order = client
        .track_order(deposit.transfer.order_id.as_ref().unwrap(), PollingOptions::default(), |_| {})
        .await
        .unwrap();
    assert_eq!(order.status, "filled", "what was begun goes on: {order:?}");

    drop(service);
    let service = Service::start_with(folder, &[]);
    let client = Client::new(&service.url).unwrap();
    assert!(refusal(client.quote(&ask).await).contains(reason), "a restart ends no pause");
    stdout(&operator(folder, &service, &["resume", "chain", "8453"]));
    let (_, route) = wait_for_route(&client, &ask).await;
    assert_eq!(route.filler.as_deref(), Some("south"), "north is paused still");
    stdout(&operator(folder, &service, &["filler", "resume", "north"]));
    assert_eq!(stdout(&operator(folder, &service, &["pauses"])).trim(), "nothing is paused");
    let nothing = operator(folder, &service, &["resume", "chain", "8453"]);
    assert_eq!(nothing.status.code(), Some(3), "the service refuses");
}

#[tokio::test]
async fn order_show_prints_the_history_and_stuck_prints_reason_and_remedy() {
    let folder = data_dir();
    let folder = folder.path();
    let service = Service::start_with(folder, &[]);
    let client = Client::new(&service.url).unwrap();
    let wallet = LocalWallet::connect_sandbox(&client, KEY).await.unwrap();
    let ask = ask(&wallet, ETHEREUM, COIN);
    let route = wait_for_quote(&client, &ask).await;
    let deposit = build(&client, &ask, &route).await.unwrap();
    let id = deposit.transfer.order_id.clone().unwrap();
    // The fill cannot become final while its chain is halted.
    control(&service, ETHEREUM, "pause").await;
    pay(&wallet, &deposit).await;
    let stuck = wait_for_stuck(folder, &service, &id).await;
    assert_eq!(stuck["status"], "published");
    assert!(!stuck["reason"].as_str().unwrap().is_empty() && !stuck["remedy"].as_str().unwrap().is_empty());
    control(&service, ETHEREUM, "resume").await;
    let order = client.track_order(&id, PollingOptions::default(), |_| {}).await.unwrap();
    assert_eq!(order.status, "filled");

    let review: Value =
        serde_json::from_str(&stdout(&operator(folder, &service, &["order", "show", &id, "--json"])))
            .unwrap();
    let statuses: Vec<&str> =
        review["events"].as_array().unwrap().iter().filter_map(|event| event["status"].as_str()).collect();
    assert_eq!(statuses, ["created", "deposited", "published", "filled"]);
    assert_eq!(review["evidence"]["fill"]["txHash"], json!(order.transactions.fill.unwrap().tx_hash));
    let purposes: Vec<&str> =
        review["sent"].as_array().unwrap().iter().filter_map(|sent| sent["purpose"].as_str()).collect();
    assert!(purposes.contains(&"sweep") && purposes.contains(&"fill"), "{purposes:?}");
    assert_eq!(review["arrivals"][0]["balance"], "25000000");
    let text = stdout(&operator(folder, &service, &["order", "show", &id]));
    for part in ["Events", "On-chain evidence", "fillDeadline", "sweep"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert_eq!(operator(folder, &service, &["order", "show", &"0".repeat(32)]).status.code(), Some(3));
}

/// The order among those that do not move, once it waits for the delivery.
async fn wait_for_stuck(folder: &Path, service: &Service, id: &str) -> Value {
    for _ in 0..240 {
        let listed = stdout(&operator(folder, service, &["stuck", "--older-than", "2", "--json"]));
        let listed: Value = serde_json::from_str(&listed).unwrap();
        let found = listed["data"].as_array().unwrap().iter().find(|order| order["orderId"] == id);
        if let Some(order) = found.filter(|order| order["status"] == "published") {
            return order.clone();
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    panic!("the order is not among those that do not move");
}

#[tokio::test]
async fn paused_on_ramp_refuses_new_purchases() {
    let folder = data_dir();
    let folder = folder.path();
    let service = Service::start_with(folder, &[]);
    let ask = json!({
        "fiatCurrency": "USD", "fiatAmount": "100", "toChainId": BASE, "toToken": USDC_ON_BASE,
        "recipient": "0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7",
    });
    let post = async |path: &str, body: Value| -> (u16, Value) {
        let response = service
            .client
            .post(format!("{}{path}", service.url))
            .body(body.to_string())
            .send()
            .await
            .unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    };
    let of = |quotes: &Value, provider: &str| -> Option<Value> {
        let all = quotes["quotes"].as_array().unwrap();
        all.iter().find(|quote| quote["provider"] == provider).cloned()
    };
    let (_, before) = post("/v1/fiat/quote", ask.clone()).await;
    let quote = of(&before, "sandbox-card").unwrap();
    stdout(&operator(
        folder,
        &service,
        &["pause", "onramp", "sandbox-card", "--reason", "its bank is closed"],
    ));
    let (status, quotes) = post("/v1/fiat/quote", ask).await;
    assert_eq!(status, 200);
    assert!(of(&quotes, "sandbox-card").is_none() && of(&quotes, "sandbox-bank").is_some(), "{quotes}");
    assert_eq!(quotes["errors"][0]["provider"], "sandbox-card");
    assert!(quotes["errors"][0]["message"].as_str().unwrap().contains("its bank is closed"), "{quotes}");
    let order =
        json!({ "quoteId": quote["quoteId"], "author": "0xa7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7" });
    let (status, refused) = post("/v1/fiat/order", order).await;
    assert!(
        status >= 400 && refused["message"].as_str().unwrap().contains("its bank is closed"),
        "{refused}"
    );
}

#[tokio::test]
async fn operator_commands_require_the_token() {
    let (folder, elsewhere) = (data_dir(), data_dir());
    let service = Service::start(folder.path());
    let stranger = operator(elsewhere.path(), &service, &["pauses"]);
    assert_eq!(stranger.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&stranger.stderr).contains("CAUSEWAY_OPERATOR_TOKEN"));
    let guessed = causeway()
        .args(["pauses", "--url", &service.url, "--data-dir"])
        .arg(elsewhere.path())
        .env("CAUSEWAY_OPERATOR_TOKEN", "a guess of sixteen letters")
        .output()
        .unwrap();
    assert_eq!(guessed.status.code(), Some(3), "{}", String::from_utf8_lossy(&guessed.stderr));
    assert!(
        String::from_utf8_lossy(&guessed.stderr).contains("operator-token"),
        "it says where the token lies"
    );
    stdout(&operator(folder.path(), &service, &["pauses"]));
}
