//! Swaps that a liquidity provider settles, over the real binary and its chains: the stand-ins of LI.FI and Relay beside our
//! own market makers. Every case of a provider's conduct is run for each of them; `transfers` has those of 1Click, which is paid
//! at an address.

mod transfers;

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
use causeway_fillers::providers::standin::{
    LifiStandIn, Mischief, OneClickStandIn, PlayMoney, RelayStandIn, depository_code,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::{Service, causeway, data_dir};

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

/// The type of a provider's routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Lifi,
    Relay,
}

const KINDS: [Kind; 2] = [Kind::Lifi, Kind::Relay];

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Lifi => "lifi",
            Self::Relay => "relay",
        }
    }

    /// The code that creates its entry contract.
    fn code(self) -> Vec<u8> {
        match self {
            Self::Lifi => {
                let artifact: Value = serde_json::from_str(ARTIFACT).unwrap();
                hex::decode(artifact["bytecode"].as_str().unwrap()).unwrap()
            }
            Self::Relay => depository_code(),
        }
    }

    /// Its entry contract, at the same address on every chain.
    fn contract(self) -> Address {
        CREATE2.create2(B256::ZERO, keccak256(self.code()))
    }
}

struct Fixture {
    folder: TempDir,
    service: Service,
    lifi: LifiStandIn,
    relay: RelayStandIn,
    oneclick: OneClickStandIn,
    client: Client,
    wallet: LocalWallet,
}

impl Fixture {
    async fn start() -> Self {
        let money = Arc::new(PlayMoney::new().unwrap());
        let tokens = || [(BASE, BASE_USDC, 6, "USDC"), (ARBITRUM, ARBITRUM_USDC, 6, "USDC")];
        let lifi = LifiStandIn::start(Kind::Lifi.contract(), tokens(), Arc::clone(&money)).await.unwrap();
        let relay = RelayStandIn::start(Kind::Relay.contract(), tokens(), Arc::clone(&money)).await.unwrap();
        let oneclick = OneClickStandIn::start(tokens(), Arc::clone(&money)).await.unwrap();
        let section = |kind: Kind, url: &str, limit: &str| {
            let (name, contract) = (kind.name(), kind.contract());
            format!(
                "[liquidity.{name}]\nurl = \"{url}\"\ndeadline_ms = 10000\nvalid_for_s = 600\n{limit} = 10000\n\
                 [liquidity.{name}.contracts]\nbundled = false\n\
                 pinned = [{{ chain = {BASE}, address = \"{contract}\" }}]\n"
            )
        };
        let settings = section(Kind::Lifi, &lifi.url, "quotes_in_two_hours")
            + &section(Kind::Relay, &relay.url, "quotes_in_a_minute")
            + &format!(
                "[liquidity.oneclick]\nurl = \"{}\"\ndeadline_ms = 10000\nvalid_for_s = 600\nquotes_in_a_minute = 10000\n",
                oneclick.url
            );
        let folder = data_dir();
        let service = Service::start_configured(folder.path(), &settings);
        money.connect(&service.url);
        let client = Client::new(&format!("{}/", service.url)).unwrap();
        let wallet = LocalWallet::connect_sandbox(&client, KEY).await.unwrap();
        let fixture = Self { folder, service, lifi, relay, oneclick, client, wallet };
        for kind in KINDS {
            fixture.send(BASE, CREATE2, [B256::ZERO.as_slice(), &kind.code()].concat(), U256::ZERO).await;
        }
        fixture
    }

    fn misbehave(&self, kind: Kind, mischief: Mischief) {
        match kind {
            Kind::Lifi => self.lifi.misbehave(mischief),
            Kind::Relay => self.relay.misbehave(mischief),
        }
    }

    /// How many quotes the provider was asked for.
    fn quotes(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Lifi => self.lifi.quotes(),
            Kind::Relay => self.relay.quotes(),
        }
    }

    /// Runs `causeway liquidity check` with the service's configuration and chains: its exit code and its document.
    async fn check(&self, name: &str, args: &[&str]) -> (Option<i32>, Value) {
        let mut command = causeway();
        command.arg("--config").arg(self.folder.path().join("causeway.toml"));
        command.args(["--sandbox-rpc", &self.service.url]);
        command.args(["liquidity", "check", name, "--json"]).args(args);
        let ended = tokio::task::spawn_blocking(move || command.output().expect("the binary starts"));
        let ended = ended.await.unwrap();
        let document = serde_json::from_slice(&ended.stdout);
        (ended.status.code(), document.unwrap_or_else(|_| json!(String::from_utf8_lossy(&ended.stderr))))
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

    /// A quote that has routes of all these types.
    async fn quote(&self, kinds: &[&str]) -> Value {
        let ask = serde_json::to_value(self.ask()).unwrap();
        let begun = std::time::Instant::now();
        loop {
            let (_, quote) = self.post("/v1/quotes", &ask).await;
            let routes = quote["routes"].as_array().cloned().unwrap_or_default();
            if kinds.iter().all(|kind| routes.iter().any(|route| route["type"] == *kind)) {
                return quote;
            }
            assert!(begun.elapsed() < LIMIT, "not all of {kinds:?}: {quote}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }

    async fn build(&self, kind: Kind, quote: &Value) -> (u16, Value) {
        let route = route(kind, quote);
        let ask = json!({
            "quoteId": quote["quoteId"], "routeId": route["routeId"], "from": self.wallet.address(),
            "depositMethod": "CONTRACT_CALL",
        });
        self.post("/v1/deposit/build", &ask).await
    }

    /// A whole swap with the Rust SDK.
    async fn swap(&self, options: ExecuteOptions) -> Result<causeway_client::answers::Order, Error> {
        let ask = self.ask();
        let swap = self.client.execute(&ask, &self.wallet, &options, |_: Step<'_>| {});
        tokio::time::timeout(LIMIT, swap).await.expect("the swap ends")
    }

    async fn order(&self, id: &str) -> Value {
        self.service.get_json(&format!("/v1/orders/by-id/{id}")).await
    }

    /// Builds and pays an order by hand, and returns its id.
    async fn pay(&self, kind: Kind) -> String {
        let quote = self.quote(&[kind.name()]).await;
        let (status, built) = self.build(kind, &quote).await;
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
            "quoteId": quote["quoteId"], "routeId": route(kind, &quote)["routeId"], "txHash": deposit.unwrap(),
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

/// Takes the provider's route, whatever the others offer.
fn options(kind: Kind) -> ExecuteOptions {
    let bound = Bound::MinAmountOut("24000000".to_owned());
    let pace = PollingOptions::default().with_interval(Duration::from_millis(500));
    ExecuteOptions::new(bound)
        .with_polling(pace)
        .with_route_filter(move |route| route.filler.as_deref() == Some(kind.name()))
}

fn trusting(kind: Kind) -> ExecuteOptions {
    options(kind).with_trusted_provider(BASE, &kind.contract().to_string())
}

fn route(kind: Kind, quote: &Value) -> &Value {
    quote["routes"].as_array().unwrap().iter().find(|route| route["type"] == kind.name()).unwrap()
}

#[tokio::test]
async fn swaps_through_providers_are_offered_beside_our_own_and_end_on_the_chain() {
    let fixture = Fixture::start().await;
    for (kind, holder, word) in [
        (Kind::Lifi, "held by LI.FI's contracts", "DONE COMPLETED"),
        (Kind::Relay, "held by Relay's depository", "success"),
    ] {
        let quote = fixture.quote(&["lifi", "relay", "native-filler"]).await;
        let offered = route(kind, &quote);
        assert_eq!(offered["settlement"], "provider");
        assert!(
            holder.contains(offered["heldBy"].as_str().unwrap().split('\'').next().unwrap()),
            "{offered}"
        );
        assert!(offered["refunds"].as_str().unwrap().contains("returns the input"), "{offered}");
        let routes = quote["routes"].as_array().unwrap();
        let own = routes.iter().find(|route| route["type"] == "native-filler").unwrap();
        assert_eq!(own["settlement"], Value::Null);

        let (status, built) = fixture.build(kind, &quote).await;
        assert_eq!((status, &built["kind"]), (200, &json!("PROVIDER_CALL")), "{built}");
        assert_eq!(built["target"], kind.contract().to_string());
        assert!(built["terms"].is_null() && built["recovery"].is_null(), "no terms of ours");
        let summary = built["summary"].to_string();
        for words in ["exactly 25 USDC", "not by the escrow", holder, "at least 24.850125 USDC"] {
            assert!(summary.contains(words), "{words}: {summary}");
        }

        // Without trust in the contract the SDK pays nothing.
        let before = fixture.balance(BASE, BASE_USDC, fixture.payer()).await;
        let received = fixture.balance(ARBITRUM, ARBITRUM_USDC, RECIPIENT).await;
        let error = fixture.swap(options(kind)).await.unwrap_err();
        assert!(error.to_string().contains("trusted"), "{error}");
        assert_eq!(fixture.balance(BASE, BASE_USDC, fixture.payer()).await, before);

        let order = fixture.swap(trusting(kind)).await.unwrap();
        let got = fixture.balance(ARBITRUM, ARBITRUM_USDC, RECIPIENT).await - received;
        assert_eq!(got, U256::from(24_975_000), "{kind:?}");
        assert_eq!(fixture.balance(BASE, BASE_USDC, fixture.payer()).await, before - U256::from(AMOUNT));
        let order = fixture.order(&order.id).await;
        assert_eq!(
            order["stepsCompleted"],
            json!(["created", "deposited", "published", "filled"]),
            "{order}"
        );
        assert_eq!(order["settlement"], "provider");
        assert_eq!(order["transactions"]["fill"]["amount"], "24975000");
        assert_eq!(order["providerStatus"]["nativeStatus"], word);
        assert_eq!((&order["intentId"], &order["fillerAddress"]), (&Value::Null, &Value::Null));
        // What is filled stays filled, whatever the provider says then.
        fixture.misbehave(kind, Mischief::GoesBack);
        let id = order["id"].as_str().unwrap();
        assert_eq!(fixture.order(id).await["status"], "filled");
        fixture.misbehave(kind, Mischief::None);
    }
}

#[tokio::test]
async fn a_provider_that_is_down_leaves_the_others_in_the_ranked_list() {
    let fixture = Fixture::start().await;
    // Routes within ten basis points of the best rank equally.
    let is_ranked = |quote: &Value| {
        let routes = quote["routes"].as_array().unwrap().iter();
        let outputs =
            routes.map(|route| route["quote"]["amountOut"].as_str().unwrap().parse::<u128>().unwrap());
        let outputs: Vec<u128> = outputs.collect();
        outputs.iter().all(|output| outputs[0] * 10_010 >= output * 10_000)
    };
    let all = fixture.quote(&["lifi", "relay", "native-filler"]).await;
    assert!(is_ranked(&all), "the best first: {all}");
    for (down, up) in [(Kind::Lifi, Kind::Relay), (Kind::Relay, Kind::Lifi)] {
        fixture.misbehave(down, Mischief::Down);
        let quote = fixture.quote(&[up.name(), "native-filler"]).await;
        let routes = quote["routes"].as_array().unwrap();
        assert!(routes.iter().all(|route| route["type"] != down.name()), "{quote}");
        assert!(is_ranked(&quote), "{quote}");
        fixture.misbehave(down, Mischief::None);
        fixture.quote(&["lifi", "relay", "native-filler"]).await;
    }
}

#[tokio::test]
async fn rule_22_only_a_transfer_on_a_chain_completes_or_refunds_what_a_provider_settles() {
    let fixture = Fixture::start().await;
    fixture.quote(&["lifi", "relay"]).await;
    let mut unended = Vec::new();
    for (kind, done) in [(Kind::Lifi, "DONE COMPLETED"), (Kind::Relay, "success")] {
        // It says that it has delivered, and no chain shows it.
        fixture.misbehave(kind, Mischief::OnlySaysDone);
        let lied = fixture.pay(kind).await;
        let said = |order: &Value| order["providerStatus"]["nativeStatus"] == done;
        let order = fixture.wait_for(&lied, "said to be done", said).await;
        assert_eq!(order["status"], "published", "{order}");
        // Then it says that it still works on it.
        fixture.misbehave(kind, Mischief::GoesBack);
        let back = |order: &Value| order["providerStatus"]["nativeStatus"] != done;
        let order = fixture.wait_for(&lied, "said to be open again", back).await;
        assert_eq!(order["status"], "published", "{order}");

        // It delivers half of what was agreed.
        fixture.misbehave(kind, Mischief::PaysLess);
        let short = fixture.pay(kind).await;
        let is_short = |order: &Value| {
            order["failureReason"].as_str().is_some_and(|reason| reason.contains("less than"))
        };
        let order = fixture.wait_for(&short, "reported as short", is_short).await;
        assert_eq!(order["status"], "published", "{order}");

        // It does nothing.
        fixture.misbehave(kind, Mischief::Stuck);
        let stuck = fixture.pay(kind).await;
        fixture.wait_for(&stuck, "worked on", |order| order["status"] == "published").await;

        // It returns the input.
        fixture.misbehave(kind, Mischief::Refunds);
        let before = fixture.balance(BASE, BASE_USDC, fixture.payer()).await;
        let Err(Error::OrderFailed(order)) = fixture.swap(trusting(kind)).await else {
            panic!("not refunded")
        };
        assert_eq!(order.status, "refunded");
        let after = fixture.balance(BASE, BASE_USDC, fixture.payer()).await;
        // The order that it had left alone is returned with it.
        fixture.wait_for(&stuck, "ended", |order| order["status"] == "refunded").await;
        assert!(after >= before, "{after} {before}");
        // It pays in another token: LI.FI the recipient, Relay the refund address.
        fixture.misbehave(kind, Mischief::PaysOther(ARBITRUM_USDT));
        let other = fixture.pay(kind).await;
        let order = fixture.wait_for(&other, "ended", |order| order["status"] == "refunded").await;
        let reason = order["failureReason"].as_str().unwrap();
        assert!(reason.to_lowercase().contains(&format!("{ARBITRUM_USDT:#x}")), "{reason}");
        unended.extend([lied, short]);
    }
    for id in unended {
        assert_eq!(fixture.order(&id).await["status"], "published", "still");
    }
}

#[tokio::test]
async fn a_lying_provider_is_named_and_rested_and_no_money_moves() {
    let fixture = Fixture::start().await;
    let payer = fixture.payer();
    // The payer once allowed the providers' contracts another token.
    let value = U256::from(10).pow(U256::from(17));
    fixture.send(BASE, BASE_WETH, depositCall {}.abi_encode(), value).await;
    for kind in KINDS {
        let approve = approveCall { spender: kind.contract(), amount: U256::MAX }.abi_encode();
        fixture.send(BASE, BASE_WETH, approve, U256::ZERO).await;
    }
    let other = Address::repeat_byte(0xdd);
    let before = fixture.balance(BASE, BASE_USDC, payer).await;
    for kind in KINDS {
        let quote = fixture.quote(&[kind.name()]).await;
        let words = |lifi: &'static str, relay: &'static str| if kind == Kind::Lifi { lifi } else { relay };
        for (mischief, words) in [
            (
                Mischief::TakesMore(BASE_WETH),
                words("it takes 25000000 raw units of the token", "takes 50000000 raw units instead of"),
            ),
            (Mischief::OtherTarget(other), "is not pinned"),
            (Mischief::OtherSpender(other), words("is not pinned", "not its depository")),
            (Mischief::OtherRecipient(other), "instead of"),
            (Mischief::OtherChain, words("another destination chain", "another output token")),
            (Mischief::Html, "cannot be read"),
        ] {
            fixture.misbehave(kind, mischief);
            let (status, answer) = fixture.build(kind, &quote).await;
            let fault = (status, &answer["details"]["errorCode"]);
            assert_eq!(fault, (400, &json!("PROVIDER_FAULT")), "{kind:?} {mischief:?} {answer}");
            assert!(answer["message"].as_str().unwrap().contains(words), "{words}: {answer}");
        }
        fixture.misbehave(kind, Mischief::UnboundedAllowance);
        let (status, answer) = fixture.build(kind, &quote).await;
        match kind {
            // Its word on allowances is not asked for: they are of the input.
            Kind::Lifi => assert!(answer["approvals"].to_string().contains("00017d7840"), "{answer}"),
            Kind::Relay => assert!(status == 400 && answer.to_string().contains("allowance of"), "{answer}"),
        }
        fixture.misbehave(kind, Mischief::WorsePrice);
        let (status, answer) = fixture.build(kind, &quote).await;
        assert_eq!((status, &answer["name"]), (410, &json!("QuoteExpiredException")), "{answer}");
        // It is not asked any more, and the others are.
        fixture.misbehave(kind, Mischief::None);
        let asked = fixture.quotes(kind);
        let quote = fixture.quote(&["native-filler"]).await;
        let routes = quote["routes"].as_array().unwrap();
        assert!(routes.iter().all(|route| route["type"] != kind.name()), "{quote}");
        assert_eq!(fixture.quotes(kind), asked);
    }
    assert_eq!(fixture.balance(BASE, BASE_USDC, payer).await, before);
}

#[tokio::test]
async fn a_check_of_a_provider_passes_and_names_what_is_wrong() {
    let fixture = Fixture::start().await;
    let payer = fixture.wallet.address();
    let outcomes = |document: &Value| -> Vec<String> {
        let checks = document["checks"].as_array().unwrap_or_else(|| panic!("{document}")).iter();
        checks.map(|check| check["outcome"].as_str().unwrap().to_owned()).collect()
    };
    let other = Address::repeat_byte(0xdd);
    for kind in KINDS {
        let name = kind.name();
        let (code, document) = fixture.check(name, &["--payer", &payer]).await;
        assert_eq!((code, &document["ok"]), (Some(0), &json!(true)), "{document}");
        assert_eq!(outcomes(&document), ["ok"; 5], "{document}");
        let (code, document) = fixture.check(name, &["--payer", &RECIPIENT.to_string()]).await;
        assert_eq!(code, Some(0), "a simulation that cannot be made is no fault: {document}");
        assert_eq!(outcomes(&document).last().map(String::as_str), Some("skipped"), "{document}");
        for (mischief, failed) in [
            (Mischief::Down, vec!["failed", "failed", "skipped", "skipped", "skipped"]),
            (Mischief::OtherRecipient(other), vec!["ok", "failed", "skipped", "skipped", "skipped"]),
        ] {
            fixture.misbehave(kind, mischief);
            let (code, document) = fixture.check(name, &["--payer", &payer]).await;
            assert_eq!(
                (code, outcomes(&document)),
                (Some(1), failed.into_iter().map(str::to_owned).collect())
            );
        }
        fixture.misbehave(kind, Mischief::None);
    }
    let (code, words) = fixture.check("nobody", &[]).await;
    assert!(
        code != Some(0) && words.to_string().contains("configured are: lifi, relay, oneclick"),
        "{words}"
    );
}
