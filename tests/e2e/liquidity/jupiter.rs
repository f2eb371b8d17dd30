use std::sync::Arc;

use causeway_client::wire::QuoteAsk;
use causeway_client::{
    Bound, Client, Error, ExecuteOptions, LocalSolanaWallet, PollingOptions, Step, TrustedProvider,
    Unchecked, Wallet as _,
};
use causeway_domain::{Address, Family};
use causeway_fillers::providers::standin::{JupiterStandIn, Mischief, PlayMoney};
use causeway_solana::program::associated_token_account;
use causeway_solana::{SolanaKey, TOKEN_PROGRAM};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::dishonest::dishonest;
use super::{AMOUNT, LIMIT};
use crate::service::{Service, causeway, data_dir};

const SOLANA: u64 = 20_011_000_000;
const USDC: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const USDT: &str = "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB";
/// Where the sandbox's play exchange is put.
const PROGRAM: [u8; 32] = [0x4a; 32];
const SEED: [u8; 32] = [0x51; 32];

struct Fixture {
    folder: TempDir,
    service: Service,
    jupiter: JupiterStandIn,
    client: Client,
    wallet: LocalSolanaWallet,
    address: [u8; 32],
}

fn text(bytes: [u8; 32]) -> String {
    Address::Solana(bytes).to_string()
}

fn bytes(text: &str) -> [u8; 32] {
    match Address::parse(Family::Solana, text).unwrap() {
        Address::Solana(bytes) => bytes,
        other => panic!("{other} is none of Solana"),
    }
}

impl Fixture {
    async fn start() -> Self {
        let money = Arc::new(PlayMoney::new().unwrap());
        let tokens = [(bytes(USDC), 6, "USDC"), (bytes(USDT), 6, "USDT")];
        let jupiter = JupiterStandIn::start(PROGRAM, SOLANA, tokens, money).await.unwrap();
        let settings = format!(
            "[liquidity.jupiter]\nurl = \"{}\"\ndeadline_ms = 20000\nvalid_for_s = 600\nquotes_in_a_minute = 10000\n\
             program = \"{}\"\n",
            jupiter.url,
            text(PROGRAM),
        );
        let folder = data_dir();
        let service = Service::start_configured(folder.path(), &settings);
        let client = Client::new(&format!("{}/", service.url)).unwrap();
        let address = SolanaKey::from_seed(SEED).address().to_bytes();
        let pair: [u8; 64] = [SEED, address].concat().try_into().unwrap();
        let endpoint = format!("{}/sandbox/rpc/{SOLANA}", service.url);
        let wallet = LocalSolanaWallet::from_bytes(&pair).unwrap().with_endpoint(&endpoint).unwrap();
        let fixture = Self { folder, service, jupiter, client, wallet, address };
        let control = format!("/sandbox/control/{SOLANA}");
        let program = json!({ "action": "program", "address": text(PROGRAM), "code": "exchange" });
        let mine = json!({ "action": "mine", "blocks": 4 });
        let authority = text(JupiterStandIn::authority(PROGRAM));
        for (path, body) in [
            (control.as_str(), program),
            (&control, mine),
            ("/sandbox/faucet", json!({ "chainId": SOLANA, "address": text(address) })),
            ("/sandbox/faucet", json!({ "chainId": SOLANA, "address": text(address), "token": USDC })),
            ("/sandbox/faucet", json!({ "chainId": SOLANA, "address": authority, "token": USDC })),
            ("/sandbox/faucet", json!({ "chainId": SOLANA, "address": authority, "token": USDT })),
        ] {
            let (status, answer) = fixture.post(path, &body).await;
            assert_eq!(status, 200, "{body}: {answer}");
        }
        let begun = std::time::Instant::now();
        let stock = JupiterStandIn::authority(PROGRAM);
        while fixture.balance(USDC).await == 0 || fixture.balance_of(stock, USDT).await == 0 {
            assert!(begun.elapsed() < LIMIT, "the faucet has not paid");
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        fixture
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.service.client.post(format!("{}{path}", self.service.url)).body(body.to_string());
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// What the wallet holds of a token.
    async fn balance(&self, mint: &str) -> u64 {
        self.balance_of(self.address, mint).await
    }

    async fn balance_of(&self, owner: [u8; 32], mint: &str) -> u64 {
        let account = associated_token_account(&owner.into(), &mint.parse().unwrap(), &TOKEN_PROGRAM);
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "getTokenAccountBalance",
            "params": [account.to_string(), { "commitment": "finalized" }],
        });
        let (_, answer) = self.post(&format!("/sandbox/rpc/{SOLANA}"), &call).await;
        answer["result"]["value"]["amount"].as_str().map_or(0, |amount| amount.parse().unwrap())
    }

    fn ask(&self) -> QuoteAsk {
        QuoteAsk {
            trade_type: "EXACT_INPUT".to_owned(),
            from_chain_id: SOLANA,
            from_token: USDC.to_owned(),
            to_chain_id: SOLANA,
            to_token: USDT.to_owned(),
            amount: AMOUNT.to_string(),
            from_address: text(self.address),
            deposit_methods: Some(vec!["CONTRACT_CALL".to_owned()]),
            ..QuoteAsk::default()
        }
    }

    /// A quote with its route.
    async fn quote(&self) -> Value {
        let begun = std::time::Instant::now();
        loop {
            let (status, quote) = self.post("/v1/quotes", &serde_json::to_value(self.ask()).unwrap()).await;
            if status == 200 && route(&quote).is_some() {
                return quote;
            }
            assert!(begun.elapsed() < LIMIT, "no route: {quote}");
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
    }

    async fn build(&self, quote: &Value) -> (u16, Value) {
        let route = &route(quote).unwrap()["routeId"];
        let ask = json!({ "quoteId": quote["quoteId"], "routeId": route, "from": text(self.address) });
        self.post("/v1/deposit/build", &ask).await
    }

    async fn submit(&self, quote: &Value, proof: (&str, &str)) -> (u16, Value) {
        let route = &route(quote).unwrap()["routeId"];
        let body = json!({ "quoteId": quote["quoteId"], "routeId": route, (proof.0): proof.1 });
        let url = format!("{}/v1/deposit/submit", self.service.url);
        let answer = self.service.client.put(url).body(body.to_string()).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn swap(&self, options: ExecuteOptions) -> Result<causeway_client::answers::Order, Error> {
        let ask = self.ask();
        let swap = self.client.execute(&ask, &self.wallet, &options, |_: Step<'_>| {});
        tokio::time::timeout(LIMIT, swap).await.expect("the swap ends")
    }
}

fn route(quote: &Value) -> Option<&Value> {
    quote["routes"].as_array()?.iter().find(|route| route["type"] == "jupiter")
}

/// Takes its route, whatever market makers offer.
fn options() -> ExecuteOptions {
    let pace = PollingOptions::default().with_interval(std::time::Duration::from_millis(500));
    ExecuteOptions::new(Bound::MinAmountOut("24000000".to_owned()))
        .with_polling(pace)
        .with_route_filter(|route| route.filler.as_deref() == Some("jupiter"))
}

#[tokio::test]
async fn a_swap_within_solana_ends_with_the_payers_own_transaction() {
    let fixture = Fixture::start().await;
    let quote = fixture.quote().await;
    let offered = route(&quote).unwrap();
    assert_eq!(offered["settlement"], "provider");
    assert!(offered["heldBy"].as_str().unwrap().contains("nobody else"), "{offered}");
    let (status, built) = fixture.build(&quote).await;
    assert_eq!((status, &built["kind"]), (200, &json!("PROVIDER_CALL")), "{built}");
    assert_eq!((&built["target"], &built["spender"]), (&json!(text(PROGRAM)), &Value::Null));
    assert_eq!(built["approvals"].as_array().unwrap().len(), 1);
    let summary = built["summary"].to_string();
    for words in ["exactly 25 USDC", "not by the escrow", "keeps the input", "at least 24.850125 USDT"] {
        assert!(summary.contains(words), "{words}: {summary}");
    }

    let error = fixture.swap(options()).await.unwrap_err();
    assert!(error.to_string().contains("trusted"), "{error}");
    let before = fixture.balance(USDC).await;
    let order = fixture.swap(options().with_trusted_provider(SOLANA, &text(PROGRAM))).await.unwrap();
    assert_eq!(order.status, "filled");
    assert_eq!(fixture.balance(USDT).await, 24_975_000);
    assert_eq!(fixture.balance(USDC).await, before - AMOUNT);
    let order = fixture.service.get_json(&format!("/v1/orders/by-id/{}", order.id)).await;
    let transactions = &order["transactions"];
    assert_eq!(transactions["fill"]["amount"], "24975000");
    assert_eq!(transactions["deposit"]["amount"], AMOUNT.to_string());
    assert_eq!(transactions["deposit"]["txHash"], transactions["fill"]["txHash"], "one transaction");
}

#[tokio::test]
async fn only_a_transaction_that_was_built_is_sent() {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD as BASE64;

    let fixture = Fixture::start().await;
    let quote = fixture.quote().await;
    let (status, built) = fixture.build(&quote).await;
    assert_eq!(status, 200, "{built}");
    let wire = BASE64.decode(built["approvals"][0]["transaction"].as_str().unwrap()).unwrap();
    let sign = async |message: &[u8]| {
        let signature = fixture.wallet.sign_message(message).await.unwrap();
        BASE64.encode([&[1][..], &signature, message].concat())
    };
    // The last byte of its last instruction is changed, before the number of its lookup tables.
    let mut other = wire[65..].to_vec();
    let last = other.len() - 2;
    other[last] ^= 1;
    let (status, answer) = fixture.submit(&quote, ("signedTransaction", &sign(&other).await)).await;
    assert_eq!(status, 400, "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("not one that was built"), "{answer}");
    let unsigned = BASE64.encode(&wire);
    let (status, answer) = fixture.submit(&quote, ("signedTransaction", &unsigned)).await;
    assert_eq!(status, 400, "{answer}");
    assert!(answer["message"].as_str().unwrap().contains("not that of the payer"), "{answer}");
    let (status, answer) = fixture.submit(&quote, ("signature", "0x00")).await;
    assert_eq!(status, 400, "{answer}");

    // Another build of the same order has another blockhash; either is taken, and the same one twice is one payment.
    let (status, again) = fixture.build(&quote).await;
    assert_eq!((status, &again["orderId"]), (200, &built["orderId"]), "{again}");
    let signed = sign(&wire[65..]).await;
    let before = fixture.balance(USDC).await;
    let (status, first) = fixture.submit(&quote, ("signedTransaction", &signed)).await;
    assert_eq!(status, 200, "{first}");
    let (status, second) = fixture.submit(&quote, ("signedTransaction", &signed)).await;
    assert_eq!((status, &second["txHash"]), (200, &first["txHash"]), "{second}");
    let id = built["orderId"].as_str().unwrap();
    let begun = std::time::Instant::now();
    loop {
        let order = fixture.service.get_json(&format!("/v1/orders/by-id/{id}")).await;
        if order["status"] == "filled" {
            assert_eq!(order["transactions"]["fill"]["txHash"], first["txHash"], "{order}");
            break;
        }
        assert!(begun.elapsed() < LIMIT, "not filled: {order}");
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    assert_eq!(fixture.balance(USDC).await, before - AMOUNT);
}

#[tokio::test]
async fn an_exchange_on_solana_that_lies_is_named_and_rested_and_no_money_moves() {
    let fixture = Fixture::start().await;
    // An earlier swap has left the payer some of the output, and an account for it.
    fixture.swap(options().with_trusted_provider(SOLANA, &text(PROGRAM))).await.unwrap();
    let before = (fixture.balance(USDC).await, fixture.balance(USDT).await);
    let quote = fixture.quote().await;
    let other = alloy_primitives::Address::repeat_byte(0xdd);
    for (mischief, words) in [
        (Mischief::TakesMore(other), "it takes 1 raw units of the token"),
        (Mischief::UnboundedAllowance, "power over the payer's token account"),
        (Mischief::PaysLess, "12487500 raw units, and the route says at least 24850125"),
        (Mischief::OtherTarget(other), "is not pinned"),
        (Mischief::OtherSpender(other), "instead of the payer"),
        (Mischief::OtherRecipient(other), "instead of"),
        (Mischief::OtherOutput, "pays in"),
        (Mischief::OtherChain, "another output token"),
        (Mischief::Html, "cannot be read"),
    ] {
        fixture.jupiter.misbehave(mischief);
        let (status, answer) = fixture.build(&quote).await;
        let fault = (status, &answer["details"]["errorCode"]);
        assert_eq!(fault, (400, &json!("PROVIDER_FAULT")), "{mischief:?} {answer}");
        assert!(answer["message"].as_str().unwrap().contains(words), "{words}: {answer}");
    }
    fixture.jupiter.misbehave(Mischief::WorsePrice);
    let (status, answer) = fixture.build(&quote).await;
    assert_eq!((status, &answer["name"]), (410, &json!("QuoteExpiredException")), "{answer}");
    // It is not asked any more.
    fixture.jupiter.misbehave(Mischief::None);
    let asked = fixture.jupiter.quotes();
    let (_, quote) = fixture.post("/v1/quotes", &serde_json::to_value(fixture.ask()).unwrap()).await;
    assert!(!quote.to_string().contains("\"jupiter\""), "{quote}");
    assert_eq!(fixture.jupiter.quotes(), asked);
    assert_eq!((fixture.balance(USDC).await, fixture.balance(USDT).await), before);
}

/// Changes the plan of a built swap, which says what is taken and what is paid.
fn change_plan(built: &mut Value, takes: u64, pays: u64) {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD as BASE64;

    let encoded = &mut built["approvals"][0]["transaction"];
    let mut bytes = BASE64.decode(encoded.as_str().unwrap()).unwrap();
    let plan = [AMOUNT, 24_975_000].map(u64::to_le_bytes).concat();
    // The instruction itself says the same before.
    let place = bytes.windows(plan.len()).rposition(|window| window == plan).unwrap();
    bytes[place..place + plan.len()].copy_from_slice(&[takes, pays].map(u64::to_le_bytes).concat());
    *encoded = json!(BASE64.encode(bytes));
}

#[tokio::test]
async fn what_a_changed_swap_on_solana_does_is_seen_before_it_is_signed() {
    let fixture = Fixture::start().await;
    fixture.quote().await;
    let before = fixture.balance(USDC).await;
    let trusting = || options().with_trusted_provider(SOLANA, &text(PROGRAM));
    for (takes, pays, words) in [
        (AMOUNT + 1, 24_975_000, "is 25000001, expected at most 25000000"),
        (AMOUNT, 1, "is 1, expected at least 24850125"),
        (AMOUNT, u64::MAX, "The deposit would fail: {\"InstructionError\":"),
    ] {
        let url = dishonest(&fixture.service, move |built| change_plan(built, takes, pays)).await;
        let client = Client::new(&url).unwrap();
        let error = client.execute(&fixture.ask(), &fixture.wallet, &trusting(), |_| {}).await.unwrap_err();
        assert!(error.to_string().contains(words), "{words}: {error}");
    }
    // A wallet without an endpoint signs nothing unless it is told to.
    let pair: [u8; 64] = [SEED, fixture.address].concat().try_into().unwrap();
    let blind = LocalSolanaWallet::from_bytes(&pair).unwrap();
    let error = fixture.client.execute(&fixture.ask(), &blind, &trusting(), |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("`effects` unchecked"), "{error}");
    assert_eq!(fixture.balance(USDC).await, before);
    let unchecked = TrustedProvider::new(&text(PROGRAM)).with_unchecked(Unchecked::Effects);
    let unchecked = options().with_trusted_provider(SOLANA, unchecked);
    let order = fixture.client.execute(&fixture.ask(), &blind, &unchecked, |_| {}).await.unwrap();
    assert_eq!(order.status, "filled");
    assert_eq!(fixture.balance(USDC).await, before - AMOUNT);
}

#[tokio::test]
async fn a_check_of_an_exchange_on_solana_compares_what_it_can() {
    let fixture = Fixture::start().await;
    let check = async || {
        let mut command = causeway();
        command.arg("--config").arg(fixture.folder.path().join("causeway.toml"));
        command.args(["--sandbox-rpc", &fixture.service.url, "liquidity", "check", "jupiter", "--json"]);
        for (flag, mint) in [("--from", USDC), ("--to", USDT)] {
            command.args([flag, &format!("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:{mint}")]);
        }
        command.args(["--amount", &AMOUNT.to_string(), "--payer", &text(fixture.address)]);
        let ended = tokio::task::spawn_blocking(move || command.output().expect("the binary starts"));
        let ended = ended.await.unwrap();
        let words = String::from_utf8_lossy(&ended.stderr).into_owned();
        (ended.status.code(), serde_json::from_slice::<Value>(&ended.stdout).unwrap_or_else(|_| json!(words)))
    };
    let (code, document) = check().await;
    assert_eq!(code, Some(0), "{document}");
    let checks = document["checks"].as_array().unwrap();
    let outcomes: Vec<&str> = checks.iter().map(|check| check["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["skipped", "ok", "ok", "ok", "ok"], "{document}");
    fixture.jupiter.misbehave(Mischief::PaysLess);
    let (code, document) = check().await;
    assert_eq!(code, Some(1), "{document}");
    assert!(document["checks"][4]["seen"].as_str().unwrap().contains("at least"), "{document}");
}
