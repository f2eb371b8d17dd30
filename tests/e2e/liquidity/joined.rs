//! Routes that are joined from two: 1Click delivers USDC to a forwarding address on Base, and a market maker swaps it on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy_primitives::{Address, U256};
use causeway_client::answers::{ProviderTransferDeposit, RouteQuote};
use causeway_client::wire::QuoteAsk;
use causeway_client::{Bound, ProviderTrust, check_provider_transfer};
use causeway_fillers::providers::standin::{Mischief, OneClickStandIn, PlayMoney};
use serde_json::{Value, json};

use super::sources::{PAYER, REFUND_TO, SATOSHIS, ask, route, text};
use super::{BASE, BASE_USDC, BASE_WETH, BITCOIN, Fixture, LIMIT, RECIPIENT};
use crate::service::{Service, causeway, data_dir, few_chains};

/// Native coin, which 1Click does not deliver.
const ETHER: &str = "0x0000000000000000000000000000000000000000";

/// Funds wait for no second attempt.
const IMPATIENT: &str = "[fiat]\nswap_within_minutes = 0\n";

fn ether_ask() -> QuoteAsk {
    QuoteAsk { to_chain_id: BASE, to_token: ETHER.to_owned(), ..ask() }
}

/// An order of a joined route that waits for its payment: the route's quote and what was built.
async fn built(fixture: &Fixture) -> (Value, Value) {
    let quote = fixture.quote_of(&ether_ask(), &["oneclick"]).await;
    assert_eq!(quote["routes"].as_array().unwrap().len(), 1, "nobody else has one: {quote}");
    let body = json!({
        "quoteId": quote["quoteId"], "routeId": route(&quote)["routeId"], "from": PAYER,
        "depositMethod": "TRANSFER",
    });
    let (status, built) = fixture.post("/v1/deposit/build", &body).await;
    assert_eq!((status, &built["kind"]), (200, &json!("PROVIDER_TRANSFER")), "{built}");
    let (status, again) = fixture.post("/v1/deposit/build", &body).await;
    assert_eq!((status, &again["depositAddress"]), (200, &built["depositAddress"]), "one address: {again}");
    (route(&quote).clone(), built)
}

async fn usdc_of_recipient(fixture: &Fixture) -> U256 {
    fixture.balance(BASE, BASE_USDC, RECIPIENT).await
}

/// No market maker takes anything from now on.
async fn pause_fillers(fixture: &Fixture) {
    for filler in ["north", "south"] {
        let mut command = causeway();
        command.arg("--data-dir").arg(fixture.folder.path()).args(["pause", "filler", filler, "--url"]);
        command.arg(&fixture.service.url);
        let paused = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        assert!(paused.status.success(), "{}", String::from_utf8_lossy(&paused.stderr));
    }
}

#[tokio::test]
async fn rule_22_a_joined_route_is_filled_when_its_second_swap_has_delivered() {
    let fixture = Fixture::start().await;
    let (offered, built) = built(&fixture).await;
    assert_eq!(offered["settlement"], "provider", "{offered}");
    let recipient = RECIPIENT.to_string();
    for words in ["USDC on Base", "second", recipient.as_str(), &BASE_USDC.to_string()] {
        assert!(text(&offered, "refunds").contains(words), "{words}: {offered}");
    }
    assert!(text(&offered, "heldBy").contains("escrow of this service on Base"), "{offered}");
    let summary = built["summary"].to_string();
    let promise = format!("USDC is returned to {recipient} on Base");
    for words in
        ["Send exactly 0.00025 BTC", "is a deposit address of this service", promise.as_str(), REFUND_TO]
    {
        assert!(summary.contains(words), "{words}: {summary}");
    }
    let deposit: ProviderTransferDeposit = serde_json::from_value(built.clone()).unwrap();
    let price: RouteQuote = serde_json::from_value(offered["quote"].clone()).unwrap();
    let least: U256 = text(&offered["quote"], "minAmountOut").parse().unwrap();
    let trust = ProviderTrust::new(Bound::MinAmountOut(least.to_string())).with_provider("oneclick");
    check_provider_transfer(&ether_ask(), &price, &deposit, &trust).unwrap();

    let before = fixture.ether(BASE, RECIPIENT).await;
    fixture.oneclick.pay(text(&built, "depositAddress"), U256::from(SATOSHIS));
    let order = fixture.status(text(&built, "orderId"), "filled").await;
    assert_eq!(order["stepsCompleted"], json!(["created", "deposited", "published", "filled"]), "{order}");
    let got = fixture.ether(BASE, RECIPIENT).await - before;
    assert!(got >= least, "{got} of {least}: {order}");
    assert_eq!(order["transactions"]["fill"]["amount"], got.to_string(), "{order}");
    assert_eq!(usdc_of_recipient(&fixture).await, U256::ZERO, "nothing was returned");
}

#[tokio::test]
async fn rule_21_a_joined_route_without_a_second_swap_leaves_the_stablecoin_at_the_named_address() {
    let fixture = Fixture::start_with(IMPATIENT).await;
    let (_, built) = built(&fixture).await;
    pause_fillers(&fixture).await;
    fixture.oneclick.pay(text(&built, "depositAddress"), U256::from(SATOSHIS));
    let order = fixture.status(text(&built, "orderId"), "refunded").await;
    let back = usdc_of_recipient(&fixture).await;
    assert_eq!(back, U256::from(24_975_000), "all that 1Click has delivered");
    assert_eq!(order["transactions"]["refund"]["amount"], back.to_string(), "{order}");
    let reason = text(&order, "failureReason");
    let recipient = RECIPIENT.to_string();
    for words in ["No filler took the second swap", recipient.as_str(), &back.to_string()] {
        assert!(reason.contains(words), "{words}: {reason}");
    }
}

#[tokio::test]
async fn rule_21_a_first_leg_that_delivers_less_than_its_least_is_returned() {
    let fixture = Fixture::start_with(IMPATIENT).await;
    let (_, built) = built(&fixture).await;
    fixture.oneclick.misbehave(Mischief::PaysLess);
    let before = fixture.ether(BASE, RECIPIENT).await;
    fixture.oneclick.pay(text(&built, "depositAddress"), U256::from(SATOSHIS));
    fixture.status(text(&built, "orderId"), "refunded").await;
    assert_eq!(usdc_of_recipient(&fixture).await, U256::from(12_487_500));
    assert_eq!(fixture.ether(BASE, RECIPIENT).await, before, "less was not swapped");
}

#[tokio::test]
async fn a_joined_route_whose_first_leg_is_refunded_ends_as_any_other_of_its_provider() {
    let fixture = Fixture::start().await;
    fixture.oneclick.misbehave(Mischief::Refunds);
    let (_, built) = built(&fixture).await;
    fixture.oneclick.pay(text(&built, "depositAddress"), U256::from(SATOSHIS));
    let order = fixture.status(text(&built, "orderId"), "refunded").await;
    assert!(text(&order, "failureReason").contains(REFUND_TO), "{order}");
    assert_eq!(usdc_of_recipient(&fixture).await, U256::ZERO);
}

#[tokio::test]
async fn no_route_is_joined_where_one_exists_or_none_shall_be() {
    let fixture = Fixture::start().await;
    let quote = fixture.quote_of(&ask(), &["oneclick"]).await;
    assert!(!text(route(&quote), "refunds").contains("two legs"), "1Click delivers it: {quote}");
    // Another amount than the input; and a contract, which may be somebody else's on another chain.
    for change in [
        json!({ "tradeType": "EXACT_OUTPUT", "amount": "1000000000000000" }),
        json!({ "recipient": BASE_WETH.to_string() }),
    ] {
        assert_eq!(offers(&fixture, &change).await, 0, "{change}");
    }
    assert_eq!(offers(&fixture, &json!({})).await, 1);
    drop(fixture);
    let without = Fixture::start_with("[liquidity]\njoin = false\n").await;
    without.quote_of(&ask(), &["oneclick"]).await;
    assert_eq!(offers(&without, &json!({})).await, 0, "it is switched off");
}

/// How many routes a changed ask has.
async fn offers(fixture: &Fixture, change: &Value) -> usize {
    let mut body = serde_json::to_value(ether_ask()).unwrap();
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    let (status, answer) = fixture.post("/v1/quotes", &body).await;
    assert!(status == 200 || status == 422, "{change}: {status} {answer}");
    answer["routes"].as_array().map_or(0, Vec::len)
}

/// How long after a payment the power goes: before the first leg is over, between the legs, and while the second swap runs.
const CUTS: [Duration; 4] =
    [Duration::ZERO, Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(6)];

/// Posts until the service answers with what is wanted: it may just have begun.
async fn post_until(service: &Service, path: &str, body: &Value, is: impl Fn(&Value) -> bool) -> Value {
    post_to(service, &format!("{}{path}", service.url), body, is).await
}

async fn post_to(service: &Service, url: &str, body: &Value, is: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let sent = service.client.post(url).body(body.to_string()).send().await;
        let answer: Value = sent.unwrap().json().await.unwrap();
        if is(&answer) {
            return answer;
        }
        assert!(begun.elapsed() < LIMIT, "{url}: {answer}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// The chains run in their own process, and so does 1Click.
#[tokio::test]
async fn rule_21_and_22_joined_orders_survive_kill_9_and_are_filled_once() {
    let (chains_folder, folder) = (data_dir(), data_dir());
    let chains = Service::start_with(chains_folder.path(), &["sandbox"]);
    let base = chains.url.split("/sandbox").next().unwrap().to_owned();
    let money = Arc::new(PlayMoney::new().unwrap());
    money.connect(&base);
    let tokens = [(BASE, BASE_USDC, 6, "USDC"), (BITCOIN, Address::ZERO, 8, "BTC")];
    let oneclick = OneClickStandIn::start(tokens, money).await.unwrap();
    let settings = format!("[liquidity.oneclick]\nurl = \"{}\"\nquotes_in_a_minute = 10000\n", oneclick.url);
    std::fs::write(folder.path().join("causeway.toml"), settings + &few_chains()).unwrap();
    let revive = || Service::start_with(folder.path(), &["--sandbox-rpc", &base]);

    let mut service = revive();
    let mut paid = Vec::new();
    for (byte, cut) in (0x80..).zip(CUTS) {
        let recipient = Address::repeat_byte(byte);
        let ask = QuoteAsk { recipient: Some(recipient.to_string()), ..ether_ask() };
        let ask = serde_json::to_value(ask).unwrap();
        let quote = post_until(&service, "/v1/quotes", &ask, |quote| quote["routes"][0].is_object()).await;
        let body = json!({
            "quoteId": quote["quoteId"], "routeId": quote["routes"][0]["routeId"], "from": PAYER,
        });
        let built =
            post_until(&service, "/v1/deposit/build", &body, |built| built["orderId"].is_string()).await;
        oneclick.pay(text(&built, "depositAddress"), U256::from(SATOSHIS));
        paid.push((recipient, text(&built, "orderId").to_owned()));
        tokio::time::sleep(cut).await;
        service.child.kill().unwrap();
        service.child.wait().unwrap();
        service = revive();
    }
    for (recipient, id) in &paid {
        let begun = Instant::now();
        let order = loop {
            let order = service.get_json(&format!("/v1/orders/by-id/{id}")).await;
            if order["status"] == "filled" {
                break order;
            }
            assert!(begun.elapsed() < LIMIT, "not filled: {order}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        };
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "eth_getBalance", "params": [recipient, "latest"],
        });
        let rpc = format!("{base}/sandbox/rpc/{BASE}");
        let answer = post_to(&chains, &rpc, &call, |it| it["result"].is_string()).await;
        let got: U256 = answer["result"].as_str().unwrap().parse().unwrap();
        assert_eq!(order["transactions"]["fill"]["amount"], got.to_string(), "once: {order}");
    }
}
