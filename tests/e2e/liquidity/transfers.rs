use std::time::Duration;

use alloy_primitives::{Address, U256};
use alloy_sol_types::{SolCall as _, sol};
use causeway_client::answers::{ProviderTransferDeposit, RouteQuote};
use causeway_client::{Bound, ProviderTrust, check_provider_transfer};
use causeway_fillers::providers::standin::Mischief;
use serde_json::{Value, json};

use super::{AMOUNT, ARBITRUM, ARBITRUM_USDC, BASE, BASE_USDC, Fixture, Kind, LIMIT, RECIPIENT};
use causeway_client::Wallet as _;
use causeway_client::wire::QuoteAsk;

sol! {
    function transfer(address to, uint256 amount) external returns (bool);
}

impl Fixture {
    fn transfer_ask(&self) -> QuoteAsk {
        QuoteAsk { deposit_methods: Some(vec!["TRANSFER".to_owned()]), ..self.ask() }
    }

    /// A quote for `ask` that has routes of all these types.
    pub(super) async fn quote_of(&self, ask: &QuoteAsk, kinds: &[&str]) -> Value {
        let ask = serde_json::to_value(ask).unwrap();
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

    async fn transfer_quote(&self) -> Value {
        self.quote_of(&self.transfer_ask(), &["oneclick"]).await
    }

    async fn build_transfer(&self, quote: &Value) -> (u16, Value) {
        let ask = json!({
            "quoteId": quote["quoteId"], "routeId": route(quote)["routeId"], "from": self.wallet.address(),
            "depositMethod": "TRANSFER",
        });
        self.post("/v1/deposit/build", &ask).await
    }

    /// A new order: its quote and what was built.
    async fn built_transfer(&self) -> (Value, Value) {
        let quote = self.transfer_quote().await;
        let (status, built) = self.build_transfer(&quote).await;
        assert_eq!((status, &built["kind"]), (200, &json!("PROVIDER_TRANSFER")), "{built}");
        (quote, built)
    }

    /// Sends that amount to the address of an order, as anybody can.
    async fn send_to(&self, built: &Value, amount: u64) -> String {
        let to: Address = built["depositAddress"].as_str().unwrap().parse().unwrap();
        let call = transferCall { to, amount: U256::from(amount) }.abi_encode();
        self.send(BASE, BASE_USDC, call, U256::ZERO).await
    }

    /// Builds and pays an order, and returns its id.
    async fn pay_transfer(&self, amount: u64) -> String {
        let (_, built) = self.built_transfer().await;
        self.send_to(&built, amount).await;
        built["orderId"].as_str().unwrap().to_owned()
    }

    pub(super) async fn status(&self, id: &str, wanted: &str) -> Value {
        self.wait_for(id, wanted, |order| order["status"] == wanted).await
    }
}

fn route(quote: &Value) -> &Value {
    quote["routes"].as_array().unwrap().iter().find(|route| route["type"] == "oneclick").unwrap()
}

#[tokio::test]
async fn a_transfer_to_a_providers_address_ends_on_the_chain_without_being_submitted() {
    let fixture = Fixture::start().await;
    let quote = fixture.quote_of(&fixture.transfer_ask(), &["oneclick", "native-filler"]).await;
    let offered = route(&quote);
    assert_eq!(
        (&offered["settlement"], &offered["depositMethods"]),
        (&json!("provider"), &json!(["TRANSFER"]))
    );
    assert!(offered["heldBy"].as_str().unwrap().contains("the agent of 1Click"), "{offered}");
    let (status, built) = fixture.build_transfer(&quote).await;
    assert_eq!((status, &built["kind"]), (200, &json!("PROVIDER_TRANSFER")), "{built}");
    assert!(
        built["terms"].is_null() && built["recovery"].is_null() && built["intentId"].is_null(),
        "none of ours"
    );
    assert_eq!(
        (&built["amount"], &built["refundTo"]),
        (&json!("25000000"), &json!(fixture.wallet.address()))
    );
    let address = built["depositAddress"].as_str().unwrap();
    let link = format!("ethereum:{BASE_USDC}@{BASE}/transfer?address={address}&uint256=25000000");
    assert_eq!((&built["qrPayload"], &built["deposit"]["depositAddress"]), (&json!(link), &json!(address)));
    let qr = fixture.service.client.get(built["qrImageUrl"].as_str().unwrap()).send().await.unwrap();
    assert!(qr.text().await.unwrap().contains("<svg"));
    let summary = built["summary"].to_string();
    for words in [
        "Send exactly 25 USDC on Base to oneclick's address",
        "at least 24.850125 USDC",
        "what arrives late may be lost",
        "not by the escrow",
        "held by the agent of 1Click",
        "returns the input",
    ] {
        assert!(summary.contains(words), "{words}: {summary}");
    }
    // Built again it is the same address.
    let (_, again) = fixture.build_transfer(&quote).await;
    assert_eq!((&again["depositAddress"], &again["orderId"]), (&built["depositAddress"], &built["orderId"]));
    // The SDK passes it to who trusts the provider with the money, and to nobody else.
    let deposit: ProviderTransferDeposit = serde_json::from_value(built.clone()).unwrap();
    let price: RouteQuote = serde_json::from_value(offered["quote"].clone()).unwrap();
    let trust = || ProviderTrust::new(Bound::MinAmountOut("24000000".to_owned()));
    let ask = fixture.transfer_ask();
    check_provider_transfer(&ask, &price, &deposit, &trust().with_provider("oneclick")).unwrap();
    let refused = check_provider_transfer(&ask, &price, &deposit, &trust()).unwrap_err();
    assert!(refused.to_string().contains("trusted with the money"), "{refused}");

    let before = fixture.balance(ARBITRUM, ARBITRUM_USDC, RECIPIENT).await;
    let paid = fixture.send_to(&built, AMOUNT).await;
    let order = fixture.status(built["orderId"].as_str().unwrap(), "filled").await;
    assert_eq!(order["stepsCompleted"], json!(["created", "deposited", "published", "filled"]), "{order}");
    assert_eq!((&order["depositTxHash"], &order["settlement"]), (&json!(paid), &json!("provider")));
    assert_eq!(
        (&order["providerStatus"]["nativeStatus"], &order["failureReason"]),
        (&json!("SUCCESS"), &Value::Null)
    );
    assert_eq!(order["externalOrderId"], json!(address), "by which the provider knows it");
    assert_eq!(order["transactions"]["fill"]["amount"], "24975000");
    let got = fixture.balance(ARBITRUM, ARBITRUM_USDC, RECIPIENT).await - before;
    assert_eq!(got, U256::from(24_975_000));
    assert_eq!(fixture.oneclick.named(), [], "nobody had to name the transaction");
}

#[tokio::test]
async fn a_submitted_transfer_is_a_hint_that_is_named_to_the_provider() {
    let fixture = Fixture::start().await;
    let (quote, built) = fixture.built_transfer().await;
    let submit = async |proof: Value| {
        let mut body = json!({ "quoteId": quote["quoteId"], "routeId": route(&quote)["routeId"] });
        body.as_object_mut().unwrap().extend(proof.as_object().unwrap().clone());
        let url = format!("{}/v1/deposit/submit", fixture.service.url);
        let answer = fixture.service.client.put(url).body(body.to_string()).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let (status, answer) = submit(json!({ "signedTransaction": "0x02" })).await;
    assert_eq!(status, 400, "{answer}");
    // A hash of nothing is passed on, moves no status, and does not stand in the way.
    let nothing = format!("0x{}", "ab".repeat(32));
    let (status, answer) = submit(json!({ "txHash": nothing })).await;
    assert_eq!(status, 200, "{answer}");
    let begun = std::time::Instant::now();
    while fixture.oneclick.named().is_empty() {
        assert!(begun.elapsed() < LIMIT, "the provider was not told");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert_eq!(fixture.oneclick.named()[0].0, nothing);
    let id = built["orderId"].as_str().unwrap();
    assert_eq!(fixture.order(id).await["status"], "created");
    let paid = fixture.send_to(&built, AMOUNT).await;
    assert_eq!(fixture.status(id, "filled").await["depositTxHash"], json!(paid));
}

#[tokio::test]
async fn rule_22_only_a_chain_completes_or_refunds_a_transfer_to_a_provider() {
    let fixture = Fixture::start().await;
    // It says that it has delivered, and no chain shows it; then it says that it still works on it.
    fixture.oneclick.misbehave(Mischief::OnlySaysDone);
    let lied = fixture.pay_transfer(AMOUNT).await;
    let word = |word: &'static str| move |order: &Value| order["providerStatus"]["nativeStatus"] == word;
    let order = fixture.wait_for(&lied, "said to be done", word("SUCCESS")).await;
    assert_ne!(order["status"], "filled", "{order}");
    fixture.oneclick.misbehave(Mischief::GoesBack);
    fixture.wait_for(&lied, "said to be open again", word("PROCESSING")).await;
    assert_eq!(fixture.status(&lied, "published").await["transactions"]["fill"], Value::Null);

    // It delivers half of what was agreed.
    fixture.oneclick.misbehave(Mischief::PaysLess);
    let short = fixture.pay_transfer(AMOUNT).await;
    let said = |order: &Value, words: &str| {
        order["failureReason"].as_str().is_some_and(|reason| reason.contains(words))
    };
    let order = fixture.wait_for(&short, "reported as short", |order| said(order, "less than")).await;
    assert_eq!(order["status"], "published", "{order}");

    // Less than the input has arrived, then the rest.
    fixture.oneclick.misbehave(Mischief::None);
    let (_, built) = fixture.built_transfer().await;
    fixture.send_to(&built, AMOUNT - 1).await;
    let parts = built["orderId"].as_str().unwrap();
    let order = fixture.wait_for(parts, "underpaid", |order| said(order, "Only 24999999 of 25000000")).await;
    assert_eq!(order["status"], "created", "{order}");
    fixture.send_to(&built, 1).await;
    let order = fixture.status(parts, "filled").await;
    assert_eq!(
        (&order["failureReason"], &order["transactions"]["deposit"]["amount"]),
        (&Value::Null, &json!("25000000"))
    );

    // It does nothing, then it returns the input.
    fixture.oneclick.misbehave(Mischief::Stuck);
    let stuck = fixture.pay_transfer(AMOUNT).await;
    fixture.status(&stuck, "published").await;
    fixture.oneclick.misbehave(Mischief::Refunds);
    let order = fixture.status(&stuck, "refunded").await;
    assert_eq!(order["transactions"]["refund"]["amount"], "25000000", "{order}");
    for id in [lied, short] {
        assert_eq!(fixture.order(&id).await["status"], "published", "still");
    }
}

#[tokio::test]
async fn an_address_that_contradicts_its_route_is_not_handed_out() {
    let fixture = Fixture::start().await;
    let payer = fixture.payer();
    let other = Address::repeat_byte(0xdd);
    let quote = fixture.transfer_quote().await;
    for (mischief, words) in [
        (Mischief::OtherRecipient(other), "instead of"),
        (Mischief::OtherChain, "another output token"),
        (Mischief::TakesMore(other), "takes 50000000 raw units instead of"),
        (Mischief::OtherTarget(payer), "is the payer"),
        (Mischief::OtherTarget(RECIPIENT), "is the recipient"),
        (Mischief::OtherTarget(BASE_USDC), "is the input token"),
        (Mischief::OtherTarget(Address::ZERO), "none of the source chain"),
        (Mischief::ShortTime, "less than two minutes"),
        (Mischief::Html, "cannot be read"),
    ] {
        fixture.oneclick.misbehave(mischief);
        let (status, answer) = fixture.build_transfer(&quote).await;
        let fault = (status, &answer["details"]["errorCode"]);
        assert_eq!(fault, (400, &json!("PROVIDER_FAULT")), "{mischief:?} {answer}");
        assert!(answer["message"].as_str().unwrap().contains(words), "{words}: {answer}");
    }
    fixture.oneclick.misbehave(Mischief::NeedsMemo);
    let (status, answer) = fixture.build_transfer(&quote).await;
    assert!(status >= 400 && answer.to_string().contains("memo"), "{answer}");
    fixture.oneclick.misbehave(Mischief::WorsePrice);
    let (status, answer) = fixture.build_transfer(&quote).await;
    assert_eq!((status, &answer["name"]), (410, &json!("QuoteExpiredException")), "{answer}");
    // It is not asked any more, and the others are.
    fixture.oneclick.misbehave(Mischief::None);
    let asked = fixture.oneclick.quotes();
    let quote = fixture.quote_of(&fixture.transfer_ask(), &["native-filler"]).await;
    assert!(!quote.to_string().contains("oneclick"), "{quote}");
    assert_eq!(fixture.oneclick.quotes(), asked);
}

#[tokio::test]
async fn three_providers_and_own_makers_are_one_ranked_list_and_one_that_is_down_is_left_out() {
    let fixture = Fixture::start().await;
    let ask = QuoteAsk { deposit_methods: None, ..fixture.ask() };
    let all = ["lifi", "relay", "oneclick", "native-filler"];
    let quote = fixture.quote_of(&ask, &all).await;
    let routes = quote["routes"].as_array().unwrap();
    // Routes within ten basis points of the best rank equally.
    let output = |route: &Value| route["quote"]["amountOut"].as_str().unwrap().parse::<u128>().unwrap();
    assert!(routes.iter().all(|route| output(&routes[0]) * 10_010 >= output(route) * 10_000), "{quote}");
    fixture.misbehave(Kind::Relay, Mischief::Down);
    let quote = fixture.quote_of(&ask, &["lifi", "oneclick", "native-filler"]).await;
    assert!(quote["routes"].as_array().unwrap().iter().all(|route| route["type"] != "relay"), "{quote}");
    fixture.misbehave(Kind::Relay, Mischief::None);
    fixture.oneclick.misbehave(Mischief::Down);
    let quote = fixture.quote_of(&ask, &["lifi", "relay", "native-filler"]).await;
    assert!(quote["routes"].as_array().unwrap().iter().all(|route| route["type"] != "oneclick"), "{quote}");
}

#[tokio::test]
async fn a_check_of_a_provider_that_takes_transfers_names_an_address() {
    let fixture = Fixture::start().await;
    let (code, document) = fixture.check("oneclick", &[]).await;
    assert_eq!((code, &document["ok"]), (Some(0), &json!(true)), "{document}");
    let outcomes = |document: &Value| -> Vec<String> {
        let checks = document["checks"].as_array().unwrap().iter();
        checks.map(|check| check["outcome"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(outcomes(&document), ["skipped", "ok", "ok", "ok", "skipped"], "{document}");
    assert!(document.to_string().contains("so no contract is called"), "{document}");
    fixture.oneclick.misbehave(Mischief::OtherRecipient(Address::repeat_byte(0xdd)));
    let (code, document) = fixture.check("oneclick", &[]).await;
    let failed = ["skipped", "failed", "skipped", "skipped", "skipped"];
    assert_eq!((code, outcomes(&document)), (Some(1), failed.map(str::to_owned).to_vec()), "{document}");
}
