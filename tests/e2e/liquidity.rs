//! Swaps that a liquidity provider settles, over the real binary and its chains: LI.FI's stand-in beside our own market makers.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, B256, Bytes, U256, address, hex, keccak256};
use alloy_sol_types::{SolCall as _, sol};
use causeway_client::wire::QuoteAsk;
use causeway_client::{
    Bound, Client, Error, EvmTransaction, ExecuteOptions, LocalWallet, PollingOptions, Step, Wallet as _,
};
use causeway_domain::ChainId;
use causeway_evm::{Call, EvmClient, EvmConfig};
use causeway_fillers::providers::standin::{LifiStandIn, Mischief, PlayMoney};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Service, data_dir};

/// The first account of the customary test phrase, rich on every chain of the sandbox.
const KEY: &str = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const BASE: u64 = 8453;
const ARBITRUM: u64 = 42_161;
const BASE_USDC: Address = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
const ARBITRUM_USDC: Address = address!("af88d065e77c8cC2239327C5EDb3A432268e5831");
const ARBITRUM_USDT: Address = address!("Fd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9");
/// Another well-known token of Base, which the payer has.
const BASE_WETH: Address = address!("4200000000000000000000000000000000000006");
/// The deterministic CREATE2 deployer, which every sandbox chain has.
const CREATE2: Address = address!("4e59b44847b379578588920cA78FbF26c0B4956C");
const ARTIFACT: &str = include_str!("../../contracts/evm/artifacts/PlayProvider.json");
const RECIPIENT: Address = Address::repeat_byte(0x77);
const AMOUNT: u64 = 25_000_000;
const LIMIT: Duration = Duration::from_mins(3);

sol! {
    function balanceOf(address owner) external view returns (uint256);
    function approve(address spender, uint256 amount) external returns (bool);
    function deposit() external payable;
}

fn code() -> Vec<u8> {
    let artifact: Value = serde_json::from_str(ARTIFACT).unwrap();
    hex::decode(artifact["bytecode"].as_str().unwrap()).unwrap()
}

/// The stand-in's entry contract, at the same address on every chain.
fn contract() -> Address {
    CREATE2.create2(B256::ZERO, keccak256(code()))
}

struct Fixture {
    _folder: TempDir,
    service: Service,
    stand_in: LifiStandIn,
    client: Client,
    wallet: LocalWallet,
}

impl Fixture {
    async fn start() -> Self {
        let money = Arc::new(PlayMoney::new().unwrap());
        let tokens = [(BASE, BASE_USDC, 6, "USDC"), (ARBITRUM, ARBITRUM_USDC, 6, "USDC")];
        let stand_in = LifiStandIn::start(contract(), tokens, Arc::clone(&money)).await.unwrap();
        let settings = format!(
            "[liquidity.lifi]\nurl = \"{}\"\nquotes_in_two_hours = 10000\n[liquidity.lifi.contracts]\nbundled = false\n\
             pinned = [{{ chain = {BASE}, address = \"{}\" }}]\n",
            stand_in.url,
            contract()
        );
        let folder = data_dir();
        let service = Service::start_configured(folder.path(), &settings);
        money.connect(&service.url);
        let client = Client::new(&format!("{}/", service.url)).unwrap();
        let wallet = LocalWallet::connect_sandbox(&client, KEY).await.unwrap();
        let fixture = Self { _folder: folder, service, stand_in, client, wallet };
        fixture.send(BASE, CREATE2, [B256::ZERO.as_slice(), &code()].concat(), U256::ZERO).await;
        fixture
    }

    /// Sends a transaction of the payer and waits for it.
    async fn send(&self, chain_id: u64, to: Address, data: Vec<u8>, value: U256) -> String {
        let transaction = EvmTransaction { chain_id, to, data: Bytes::from(data), value, gas: None };
        let tx = self.wallet.send(&transaction).await.unwrap();
        self.wallet.wait_for_receipt(chain_id, &tx).await.unwrap();
        tx
    }

    async fn balance(&self, chain: u64, token: Address, owner: Address) -> U256 {
        let url = format!("{}/sandbox/rpc/{chain}", self.service.url).parse().unwrap();
        let client = EvmClient::new(ChainId::new(chain).unwrap(), EvmConfig::new([url])).unwrap();
        let call =
            json!([{ "to": token, "data": Bytes::from(balanceOfCall { owner }.abi_encode()) }, "latest"]);
        let answer: Bytes = client.call(Call::new("eth_call", call)).await.unwrap();
        U256::from_be_slice(&answer)
    }

    fn payer(&self) -> Address {
        self.wallet.address().parse().unwrap()
    }

    fn ask(&self) -> QuoteAsk {
        QuoteAsk {
            trade_type: "EXACT_INPUT".to_owned(),
            from_chain_id: BASE,
            from_token: BASE_USDC.to_string(),
            to_chain_id: ARBITRUM,
            to_token: ARBITRUM_USDC.to_string(),
            amount: AMOUNT.to_string(),
            from_address: self.wallet.address(),
            recipient: Some(RECIPIENT.to_string()),
            deposit_methods: Some(vec!["CONTRACT_CALL".to_owned()]),
            ..QuoteAsk::default()
        }
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.service.client.post(format!("{}{path}", self.service.url)).body(body.to_string());
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// A quote that has a route of LI.FI's and one of our own.
    async fn quote(&self) -> Value {
        let ask = serde_json::to_value(self.ask()).unwrap();
        let mut last = Value::Null;
        for _ in 0..300 {
            (_, last) = self.post("/v1/quotes", &ask).await;
            let routes = last["routes"].as_array().cloned().unwrap_or_default();
            let has = |kind: &str| routes.iter().any(|route| route["type"] == kind);
            if has("lifi") && has("native-filler") {
                return last;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        panic!("not both kinds of routes: {last}");
    }

    async fn build(&self, quote: &Value) -> (u16, Value) {
        let route = lifi_route(quote);
        let ask = json!({
            "quoteId": quote["quoteId"], "routeId": route["routeId"], "from": self.wallet.address(),
            "depositMethod": "CONTRACT_CALL",
        });
        self.post("/v1/deposit/build", &ask).await
    }

    /// A whole swap through LI.FI with the Rust SDK.
    async fn swap(&self, options: ExecuteOptions) -> Result<causeway_client::answers::Order, Error> {
        let ask = self.ask();
        let swap = self.client.execute(&ask, &self.wallet, &options, |_: Step<'_>| {});
        tokio::time::timeout(LIMIT, swap).await.expect("the swap ends")
    }

    async fn order(&self, id: &str) -> Value {
        self.service.get_json(&format!("/v1/orders/by-id/{id}")).await
    }

    /// Builds and pays an order by hand, and returns its id.
    async fn pay(&self) -> String {
        let quote = self.quote().await;
        let (status, built) = self.build(&quote).await;
        assert_eq!(status, 200, "{built}");
        let mut deposit = None;
        for approval in built["approvals"].as_array().unwrap() {
            let params = &approval["request"]["params"][0];
            if approval["request"]["method"] != "eth_sendTransaction" {
                continue;
            }
            let to = params["to"].as_str().unwrap().parse().unwrap();
            let data = hex::decode(params["data"].as_str().unwrap()).unwrap();
            let tx = self.send(BASE, to, data, U256::ZERO).await;
            if approval["deposit"] == true {
                deposit = Some(tx);
            }
        }
        let proof = json!({
            "quoteId": quote["quoteId"], "routeId": lifi_route(&quote)["routeId"], "txHash": deposit.unwrap(),
        });
        let url = format!("{}/v1/deposit/submit", self.service.url);
        let answer = self.service.client.put(url).body(proof.to_string()).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        built["orderId"].as_str().unwrap().to_owned()
    }

    async fn wait_for(&self, id: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let begun = std::time::Instant::now();
        loop {
            let order = self.order(id).await;
            if holds(&order) {
                return order;
            }
            assert!(begun.elapsed() < LIMIT, "not {what}: {order}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Takes LI.FI's route, whatever the others offer.
fn options() -> ExecuteOptions {
    let bound = Bound::MinAmountOut("24000000".to_owned());
    let pace = PollingOptions::default().with_interval(Duration::from_millis(500));
    ExecuteOptions::new(bound)
        .with_polling(pace)
        .with_route_filter(|route| route.filler.as_deref() == Some("lifi"))
}

fn lifi_route(quote: &Value) -> &Value {
    quote["routes"].as_array().unwrap().iter().find(|route| route["type"] == "lifi").unwrap()
}

#[tokio::test]
async fn a_swap_through_a_provider_is_offered_beside_our_own_and_ends_on_the_chain() {
    let fixture = Fixture::start().await;
    let quote = fixture.quote().await;
    let route = lifi_route(&quote);
    assert_eq!(route["settlement"], "provider");
    assert!(route["heldBy"].as_str().unwrap().contains("LI.FI"), "{route}");
    assert!(route["refunds"].as_str().unwrap().contains("paying address"), "{route}");
    let own =
        quote["routes"].as_array().unwrap().iter().find(|route| route["type"] == "native-filler").unwrap();
    assert_eq!(own["settlement"], Value::Null);

    let (status, built) = fixture.build(&quote).await;
    assert_eq!((status, &built["kind"]), (200, &json!("PROVIDER_CALL")), "{built}");
    assert_eq!(built["target"], contract().to_string());
    assert!(built["terms"].is_null() && built["recovery"].is_null(), "no terms of ours");
    let summary = built["summary"].to_string();
    for words in
        ["exactly 25 USDC", "not by the escrow", "held by LI.FI's contracts", "at least 24.850125 USDC"]
    {
        assert!(summary.contains(words), "{words}: {summary}");
    }

    // Without trust in the contract the SDK pays nothing.
    let before = fixture.balance(BASE, BASE_USDC, fixture.payer()).await;
    let error = fixture.swap(options()).await.unwrap_err();
    assert!(error.to_string().contains("trusted"), "{error}");
    assert_eq!(fixture.balance(BASE, BASE_USDC, fixture.payer()).await, before);

    let trusting = options().with_trusted_provider(BASE, &contract().to_string());
    let order = fixture.swap(trusting).await.unwrap();
    assert_eq!(fixture.balance(ARBITRUM, ARBITRUM_USDC, RECIPIENT).await, U256::from(24_975_000));
    assert_eq!(fixture.balance(BASE, BASE_USDC, fixture.payer()).await, before - U256::from(AMOUNT));
    let order = fixture.order(&order.id).await;
    assert_eq!(order["stepsCompleted"], json!(["created", "deposited", "published", "filled"]), "{order}");
    assert_eq!(order["settlement"], "provider");
    assert_eq!(order["transactions"]["fill"]["amount"], "24975000");
    assert_eq!(order["providerStatus"]["nativeStatus"], "DONE COMPLETED");
    assert_eq!((&order["intentId"], &order["fillerAddress"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn rule_22_only_a_transfer_on_a_chain_completes_or_refunds_what_a_provider_settles() {
    let fixture = Fixture::start().await;
    let trusting = || options().with_trusted_provider(BASE, &contract().to_string());
    fixture.quote().await;

    // It says that it has delivered, and no chain shows it.
    fixture.stand_in.misbehave(Mischief::OnlySaysDone);
    let lied = fixture.pay().await;
    let said = |order: &Value| order["providerStatus"]["nativeStatus"] == "DONE COMPLETED";
    let order = fixture.wait_for(&lied, "said to be done", said).await;
    assert_eq!(order["status"], "published", "{order}");

    // It delivers half of what was agreed.
    fixture.stand_in.misbehave(Mischief::PaysLess);
    let short = fixture.pay().await;
    let is_short =
        |order: &Value| order["failureReason"].as_str().is_some_and(|reason| reason.contains("less than"));
    let order = fixture.wait_for(&short, "reported as short", is_short).await;
    assert_eq!(order["status"], "published", "{order}");

    // It returns the input.
    fixture.stand_in.misbehave(Mischief::Refunds);
    let before = fixture.balance(BASE, BASE_USDC, fixture.payer()).await;
    let Err(Error::OrderFailed(order)) = fixture.swap(trusting()).await else { panic!("not refunded") };
    assert_eq!(order.status, "refunded");
    assert_eq!(fixture.balance(BASE, BASE_USDC, fixture.payer()).await, before);

    // It pays the recipient in another token.
    fixture.stand_in.misbehave(Mischief::PaysOther(ARBITRUM_USDT));
    let other = fixture.pay().await;
    let order = fixture.wait_for(&other, "ended", |order| order["status"] == "refunded").await;
    let reason = order["failureReason"].as_str().unwrap();
    assert!(reason.to_lowercase().contains(&format!("{ARBITRUM_USDT:#x}")), "{reason}");
    assert_eq!(fixture.order(&lied).await["status"], "published", "still");
}

#[tokio::test]
async fn a_lying_provider_is_named_and_rested_and_no_money_moves() {
    let fixture = Fixture::start().await;
    let payer = fixture.payer();
    // The payer once allowed the provider's contract another token.
    let value = U256::from(10).pow(U256::from(17));
    fixture.send(BASE, BASE_WETH, depositCall {}.abi_encode(), value).await;
    let approve = approveCall { spender: contract(), amount: U256::MAX }.abi_encode();
    fixture.send(BASE, BASE_WETH, approve, U256::ZERO).await;
    let quote = fixture.quote().await;
    let before = fixture.balance(BASE, BASE_USDC, payer).await;
    for (mischief, words) in [
        (Mischief::TakesMore(BASE_WETH), "it takes 25000000 raw units of the token"),
        (Mischief::OtherTarget(Address::repeat_byte(0xdd)), "is not pinned"),
        (Mischief::OtherSpender(Address::repeat_byte(0xdd)), "is not pinned"),
        (Mischief::OtherRecipient(Address::repeat_byte(0xdd)), "instead of"),
        (Mischief::Html, "cannot be read"),
    ] {
        fixture.stand_in.misbehave(mischief);
        let (status, answer) = fixture.build(&quote).await;
        assert_eq!(
            (status, &answer["details"]["errorCode"]),
            (400, &json!("PROVIDER_FAULT")),
            "{mischief:?} {answer}"
        );
        assert!(answer["message"].as_str().unwrap().contains(words), "{words}: {answer}");
    }
    fixture.stand_in.misbehave(Mischief::WorsePrice);
    let (status, answer) = fixture.build(&quote).await;
    assert_eq!((status, &answer["name"]), (410, &json!("QuoteExpiredException")), "{answer}");
    // It is not asked any more, and the others are.
    fixture.stand_in.misbehave(Mischief::None);
    let asked = fixture.stand_in.quotes();
    let (_, answer) = fixture.post("/v1/quotes", &serde_json::to_value(fixture.ask()).unwrap()).await;
    let kinds: Vec<&Value> =
        answer["routes"].as_array().unwrap().iter().map(|route| &route["type"]).collect();
    assert!(!kinds.is_empty() && kinds.iter().all(|kind| **kind == "native-filler"), "{answer}");
    assert_eq!(fixture.stand_in.quotes(), asked);
    assert_eq!(fixture.balance(BASE, BASE_USDC, payer).await, before);
}
