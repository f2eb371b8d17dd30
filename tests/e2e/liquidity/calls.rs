use alloy_primitives::{Address, U256};
use causeway_client::Wallet as _;
use causeway_client::wire::QuoteAsk;
use causeway_fillers::providers::standin::Mischief;
use serde_json::{Value, json};

use super::fixture::KINDS;
use super::{
    AMOUNT, ARBITRUM, ARBITRUM_USDC, BASE, BASE_USDC, Fixture, Kind, RECIPIENT, options, route, trusting,
};

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
async fn the_slowness_of_a_provider_delays_no_others_line() {
    let fixture = Fixture::start().await;
    let ask = QuoteAsk { deposit_methods: None, ..fixture.ask() };
    fixture.quote_of(&ask, &["lifi", "relay", "oneclick", "native-filler"]).await;
    for slow in KINDS {
        fixture.misbehave(slow, Mischief::Held);
        let url = format!("{}/v1/quotes?mode=stream", fixture.service.url);
        let body = serde_json::to_string(&ask).unwrap();
        let mut stream = fixture.service.client.post(url).body(body).send().await.unwrap();
        let (mut text, mut seen) = (String::new(), Vec::new());
        let others: Vec<&str> = ["lifi", "relay", "oneclick", "native-filler"]
            .into_iter()
            .filter(|name| *name != slow.name())
            .collect();
        while let Some(chunk) = stream.chunk().await.unwrap() {
            text.push_str(std::str::from_utf8(&chunk).unwrap());
            let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            seen = lines.map(|line| line["type"].as_str().unwrap().to_owned()).collect::<Vec<String>>();
            // Its answer is given only once the lines of all others are here.
            if others.iter().all(|name| seen.iter().any(|kind| kind == name)) {
                fixture.misbehave(slow, Mischief::None);
            }
        }
        assert!(seen.iter().any(|kind| kind == slow.name()), "{text}");
        fixture.misbehave(slow, Mischief::None);
    }
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
        code != Some(0) && words.to_string().contains("configured are: lifi, relay, oneclick, zerox"),
        "{words}"
    );
}
