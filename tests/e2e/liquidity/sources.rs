use alloy_primitives::U256;
use causeway_client::answers::{ProviderTransferDeposit, RouteQuote};
use causeway_client::wire::QuoteAsk;
use causeway_client::{Bound, ProviderTrust, check_provider_transfer};
use causeway_fillers::providers::standin::Mischief;
use serde_json::{Value, json};

use super::{ARBITRUM, ARBITRUM_USDC, BITCOIN, Fixture, RECIPIENT, TRON};
use crate::service::{Service, data_dir};

/// The address that stands for the coin.
const BTC: &str = "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs";
const USDT_ON_TRON: &str = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
/// A payer's own addresses.
pub(super) const PAYER: &str = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
pub(super) const REFUND_TO: &str = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0";
const PAYER_ON_TRON: &str = "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9";
/// A quarter of a thousandth of a bitcoin: 25 dollars in the sandbox.
pub(super) const SATOSHIS: u64 = 25_000;

pub(super) fn ask() -> QuoteAsk {
    QuoteAsk {
        trade_type: "EXACT_INPUT".to_owned(),
        from_chain_id: BITCOIN,
        from_token: BTC.to_owned(),
        to_chain_id: ARBITRUM,
        to_token: ARBITRUM_USDC.to_string(),
        amount: SATOSHIS.to_string(),
        from_address: PAYER.to_owned(),
        recipient: Some(RECIPIENT.to_string()),
        refund_to: Some(REFUND_TO.to_owned()),
        ..QuoteAsk::default()
    }
}

pub(super) fn route(quote: &Value) -> &Value {
    quote["routes"].as_array().unwrap().iter().find(|route| route["type"] == "oneclick").unwrap()
}

impl Fixture {
    /// A built transfer: the route's quote and what was built.
    async fn built_source(&self, ask: &QuoteAsk) -> (Value, Value) {
        let quote = self.quote_of(ask, &["oneclick"]).await;
        let body = json!({
            "quoteId": quote["quoteId"], "routeId": route(&quote)["routeId"], "from": ask.from_address,
            "depositMethod": "TRANSFER",
        });
        let (status, built) = self.post("/v1/deposit/build", &body).await;
        assert_eq!((status, &built["kind"]), (200, &json!("PROVIDER_TRANSFER")), "{built}");
        (route(&quote)["quote"].clone(), built)
    }

    /// The problem that a quote is refused with.
    async fn refused(&self, change: impl FnOnce(&mut Value)) -> (u16, String) {
        let mut body = serde_json::to_value(ask()).unwrap();
        change(&mut body);
        let (status, answer) = self.post("/v1/quotes", &body).await;
        (status, answer.to_string())
    }
}

pub(super) fn text<'a>(built: &'a Value, name: &str) -> &'a str {
    built[name].as_str().unwrap_or_else(|| panic!("{name}: {built}"))
}

#[tokio::test]
async fn a_bitcoin_deposit_by_qr_is_filled_on_an_evm_chain() {
    let fixture = Fixture::start().await;
    let (price, built) = fixture.built_source(&ask()).await;
    let address = text(&built, "depositAddress");
    assert!(address.starts_with("bc1q"), "{built}");
    // As BIP-21 writes it, in bitcoin.
    let link = format!("bitcoin:{address}?amount=0.00025");
    assert_eq!((text(&built, "qrPayload"), text(&built, "paymentUri")), (link.as_str(), link.as_str()));
    assert_eq!(text(&built, "caip2"), "bip122:000000000019d6689c085ae165831e93");
    let qr = fixture.service.client.get(text(&built, "qrImageUrl")).send().await.unwrap();
    assert!(qr.status().is_success() && qr.text().await.unwrap().contains("<svg"));
    let summary = built["summary"].to_string();
    for words in [
        "Send exactly 0.00025 BTC on Bitcoin to oneclick's address",
        "not by the escrow",
        "held by the agent of 1Click",
        "returns the input",
        REFUND_TO,
    ] {
        assert!(summary.contains(words), "{words}: {summary}");
    }
    let deposit: ProviderTransferDeposit = serde_json::from_value(built.clone()).unwrap();
    let price: RouteQuote = serde_json::from_value(price).unwrap();
    let trust = ProviderTrust::new(Bound::MinAmountOut("24000000".to_owned())).with_provider("oneclick");
    check_provider_transfer(&ask(), &price, &deposit, &trust).unwrap();

    // Less than the input moves nothing.
    let id = text(&built, "orderId");
    let before = fixture.balance(ARBITRUM, ARBITRUM_USDC, RECIPIENT).await;
    let first = fixture.oneclick.pay(address, U256::from(SATOSHIS - 1));
    let is_short = |order: &Value| {
        order["failureReason"].as_str().is_some_and(|reason| reason.contains("only 24999 of 25000"))
    };
    let order = fixture.wait_for(id, "said to be short", is_short).await;
    assert_eq!(order["status"], "created", "{order}");
    // It says that it has delivered, and the destination chain shows nothing.
    fixture.oneclick.misbehave(Mischief::Stuck);
    fixture.oneclick.pay(address, U256::from(1));
    let order = fixture.status(id, "published").await;
    assert_eq!((&order["depositTxHash"], &order["failureReason"]), (&json!(first), &Value::Null), "{order}");
    assert_eq!(order["transactions"]["deposit"], Value::Null, "no chain has shown it");
    fixture.oneclick.misbehave(Mischief::None);
    let order = fixture.status(id, "filled").await;
    assert_eq!(order["stepsCompleted"], json!(["created", "deposited", "published", "filled"]), "{order}");
    assert_eq!(order["transactions"]["fill"]["amount"], "24975000");
    let got = fixture.balance(ARBITRUM, ARBITRUM_USDC, RECIPIENT).await - before;
    assert_eq!(got, U256::from(24_975_000));
}

#[tokio::test]
async fn rule_22_a_done_for_a_bitcoin_deposit_completes_nothing_without_a_transfer() {
    let fixture = Fixture::start().await;
    fixture.oneclick.misbehave(Mischief::OnlySaysDone);
    let (_, built) = fixture.built_source(&ask()).await;
    fixture.oneclick.pay(text(&built, "depositAddress"), U256::from(SATOSHIS));
    let id = text(&built, "orderId");
    let done = |order: &Value| order["providerStatus"]["nativeStatus"] == "SUCCESS";
    let order = fixture.wait_for(id, "said to be done", done).await;
    assert_ne!(order["status"], "filled", "{order}");
    assert_eq!(fixture.status(id, "published").await["transactions"]["fill"], Value::Null);
}

#[tokio::test]
async fn a_bitcoin_deposit_that_is_not_delivered_is_refunded_by_the_providers_word_which_is_said() {
    let fixture = Fixture::start().await;
    fixture.oneclick.misbehave(Mischief::Refunds);
    let (_, built) = fixture.built_source(&ask()).await;
    let paid = fixture.oneclick.pay(text(&built, "depositAddress"), U256::from(SATOSHIS));
    let order = fixture.status(text(&built, "orderId"), "refunded").await;
    let [returned] = &fixture.oneclick.paid_to(REFUND_TO)[..] else { panic!("not returned once") };
    assert_eq!(returned.amount, U256::from(SATOSHIS));
    let reason = text(&order, "failureReason");
    for words in ["says that it has returned", "does not read that chain", REFUND_TO, &returned.tx] {
        assert!(reason.contains(words), "{words}: {reason}");
    }
    assert!(!reason.contains(&paid), "the payment is not its own refund: {reason}");
    assert_eq!(order["transactions"]["refund"], Value::Null, "no chain has shown it");
}

#[tokio::test]
async fn a_transfer_of_tron_has_a_qr_of_its_address_alone() {
    let fixture = Fixture::start().await;
    let ask = QuoteAsk {
        from_chain_id: TRON,
        from_token: USDT_ON_TRON.to_owned(),
        amount: "25000000".to_owned(),
        from_address: PAYER_ON_TRON.to_owned(),
        refund_to: Some(PAYER_ON_TRON.to_owned()),
        ..ask()
    };
    let (_, built) = fixture.built_source(&ask).await;
    let address = text(&built, "depositAddress");
    assert!(address.starts_with('T'), "{built}");
    assert_eq!((text(&built, "qrPayload"), &built["paymentUri"]), (address, &Value::Null));
    assert!(built["summary"].to_string().contains("Send exactly 25 USDT on Tron"), "{built}");
    fixture.oneclick.pay(address, U256::from(25_000_000));
    let order = fixture.status(text(&built, "orderId"), "filled").await;
    assert_eq!(order["transactions"]["fill"]["amount"], "24975000", "{order}");
}

#[tokio::test]
async fn addresses_of_the_wrong_form_are_refused_in_words() {
    let fixture = Fixture::start().await;
    fixture.quote_of(&ask(), &["oneclick"]).await;
    for (value, words) in [
        (json!("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"), "a Bitcoin test network"),
        (json!("mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"), "a Bitcoin test network"),
        (json!("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"), "checksum of this Bitcoin address"),
        (json!(RECIPIENT.to_string()), "a Bitcoin address begins with"),
        (Value::Null, "refundTo"),
    ] {
        let (status, answer) = fixture.refused(|body| body["refundTo"] = value.clone()).await;
        assert!(status == 400 && answer.contains(words), "{value}: {status} {answer}");
    }
    let on_tron = |refund_to: &str| {
        let refund_to = json!(refund_to);
        move |body: &mut Value| {
            (body["fromChainId"], body["fromToken"]) = (json!(TRON), json!(USDT_ON_TRON));
            (body["fromAddress"], body["refundTo"]) = (json!(PAYER_ON_TRON), refund_to);
        }
    };
    for (refund_to, words) in [
        ("41a614f803b6fd780986a42c78ec9c7f77e6ded13c", "hex form"),
        ("0xa614f803b6fd780986a42c78ec9c7f77e6ded13c", "hex form"),
        ("TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY8", "checksum of this Tron address"),
    ] {
        let (status, answer) = fixture.refused(on_tron(refund_to)).await;
        assert!(status == 400 && answer.contains(words), "{refund_to}: {status} {answer}");
    }
    // Swaps only begin there.
    let (status, answer) = fixture
        .refused(|body| {
            (body["fromChainId"], body["fromToken"]) = (json!(ARBITRUM), json!(ARBITRUM_USDC.to_string()));
            (body["fromAddress"], body["refundTo"]) = (json!(RECIPIENT.to_string()), Value::Null);
            (body["toChainId"], body["toToken"], body["recipient"]) =
                (json!(BITCOIN), json!(BTC), json!(PAYER));
        })
        .await;
    assert!(status == 422 && answer.contains("Swaps only begin"), "{status} {answer}");
    // An address of another network that the provider names is its fault.
    let quote = fixture.quote_of(&ask(), &["oneclick"]).await;
    fixture.oneclick.misbehave(Mischief::OtherNetwork);
    let body = json!({
        "quoteId": quote["quoteId"], "routeId": route(&quote)["routeId"], "from": PAYER,
    });
    let (_, answer) = fixture.post("/v1/deposit/build", &body).await;
    assert_eq!(answer["details"]["errorCode"], "PROVIDER_FAULT", "{answer}");
    assert!(text(&answer, "message").contains("a Bitcoin test network"), "{answer}");
}

#[tokio::test]
async fn source_only_chains_are_there_where_a_provider_for_them_is_configured() {
    let fixture = Fixture::start().await;
    let ids = |chains: &Value| -> Vec<u64> {
        chains.as_array().unwrap().iter().map(|chain| chain["id"].as_u64().unwrap()).collect()
    };
    let chains = fixture.service.get_json("/v1/chains").await;
    assert_eq!(chains.as_array().unwrap().len(), 21);
    let of = |id: u64| chains.as_array().unwrap().iter().find(|chain| chain["id"] == id).unwrap().clone();
    let (bitcoin, tron) = (of(BITCOIN), of(TRON));
    assert_eq!((&bitcoin["type"], &tron["type"]), (&json!("bip122"), &json!("tron")));
    assert_eq!((&tron["caip2"], &tron["depositMethods"]), (&json!("tron:0x2b6653dc"), &json!(["TRANSFER"])));
    assert_eq!(bitcoin["rpcUrls"]["default"]["http"], json!([]), "nobody reads it");
    for id in [BITCOIN, TRON] {
        let icon = fixture.service.get(&format!("/v1/chain/{id}/icon")).await;
        assert_eq!(icon.status(), 200);
    }
    let tokens = fixture.service.get_json(&format!("/v1/tokens?chainIds={BITCOIN},{TRON}")).await;
    for address in [BTC, USDT_ON_TRON] {
        assert!(tokens.to_string().contains(address), "{address}: {tokens}");
    }

    let folder = data_dir();
    let without = Service::start_configured(folder.path(), "");
    let chains = without.get_json("/v1/chains").await;
    assert!(ids(&chains).len() == 19 && !ids(&chains).contains(&BITCOIN), "{chains}");
    let tokens = without.get(&format!("/v1/tokens?chainIds={BITCOIN},{TRON}")).await.text().await.unwrap();
    assert!(!tokens.contains(USDT_ON_TRON), "{tokens}");
    let body = serde_json::to_string(&ask()).unwrap();
    let answer = without.client.post(format!("{}/v1/quotes", without.url)).body(body).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["name"], "NotSupportedChainException", "{answer}");
}
