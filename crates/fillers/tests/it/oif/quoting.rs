use causeway_domain::ports::{Answer, Filler as _, FillerAsk, FillerError, Offer, Refusal};
use causeway_domain::{Address, DepositMethod, ExactOutMethod, FeeKind, Parties, Referral};
use causeway_fillers::oif::{OifConfig, OifError, OifFiller};
use serde_json::{Value, json};

use super::solver::{Solver, ask, quotes};
use crate::fixture::{BASE, ETHEREUM, buy, dai, decimal, parties, raw, sell, sol, usdc};

/// A change to a quote, and a part of the expected reason.
type Case = (fn(&mut Value), &'static str);

async fn answer(solver: &Solver, ask: &FillerAsk) -> Result<Answer, FillerError> {
    solver.filler().quote(ask).await
}

async fn offers(solver: &Solver, ask: &FillerAsk) -> Vec<Offer> {
    match answer(solver, ask).await.unwrap() {
        Answer::Offers(offers) => offers,
        Answer::Refused(refusal) => panic!("{refusal}"),
    }
}

/// The answer to a quote with this change.
async fn changed(change: impl FnOnce(&mut Value)) -> Result<Answer, FillerError> {
    answer(&Solver::with_quotes(200, quotes(change)).await, &ask()).await
}

#[tokio::test]
async fn a_quote_for_our_escrow_becomes_an_offer() {
    let solver = Solver::with_quotes(200, quotes(|_| {})).await;
    let [offer] = offers(&solver, &ask()).await.try_into().unwrap();
    assert_eq!(offer.amount_in, decimal("1000", 6));
    assert_eq!((offer.amount_out, offer.min_amount_out), (decimal("998.5", 18), decimal("998.5", 18)));
    assert_eq!(offer.expected_duration_seconds, 24);
    assert_eq!(offer.parties, Some(parties(causeway_domain::Family::Evm)));
    assert_eq!(offer.deposit_methods, [DepositMethod::ContractCall, DepositMethod::Transfer]);
    assert_eq!((offer.exact_out, offer.fees), (None, Vec::new()));
    assert_eq!(solver.requests()[0].key.as_deref(), Some("Bearer hunter2"));
    assert_eq!(solver.filler().kind(), "oif");
}

#[tokio::test]
async fn unconfigured_accounts_are_read_from_the_quote() {
    let on = |chain: &str, byte: &str| json!(format!("0x{chain}14{}", byte.repeat(20)));
    let ours = |byte| on("000100000101", byte);
    let ask_with = async |metadata: Value| {
        let solver = Solver::with_quotes(200, quotes(|quote| quote["metadata"] = metadata)).await;
        let answer = solver.filler_with(|config| config.account = None).quote(&ask()).await.unwrap();
        assert_eq!(solver.requests()[0].body["intent"]["metadata"]["payee"], Value::Null);
        answer
    };
    let metadata = json!({ "filler": ours("a1"), "payee": ours("a2"), "mood": "good" });
    let Answer::Offers(offers) = ask_with(metadata).await else { panic!("no offer") };
    let account = |byte: u8| Address::Evm([byte; 20].into());
    assert_eq!(offers[0].parties, Some(Parties { filler: account(0xa1), payee: account(0xa2) }));
    for bad in [
        json!({}),
        Value::Null,
        json!({ "filler": ours("a1") }),
        json!({ "filler": ours("a1"), "payee": on("0001000001", "0a") }),
        json!({ "filler": ours("a1"), "payee": on("000100000102", "a2") }),
        json!({ "filler": ours("a1"), "payee": ours("00") }),
    ] {
        let answer = ask_with(bad).await;
        assert!(
            matches!(&answer, Answer::Refused(Refusal::Other(expected)) if expected.contains("`payee`")),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn exact_output_requests_the_input() {
    let solver = Solver::with_quotes(
        200,
        quotes(|quote| {
            quote["preview"]["outputs"][0]["amount"] = json!("998000000000000000000");
        }),
    )
    .await;
    let [offer] = offers(&solver, &buy(&usdc(ETHEREUM), &dai(BASE), "998")).await.try_into().unwrap();
    assert_eq!((offer.amount_in, offer.exact_out), (decimal("1000", 6), Some(ExactOutMethod::Native)));
    let intent = &solver.requests()[0].body["intent"];
    assert_eq!(intent["swapType"], "exact-output");
    assert_eq!(
        (&intent["inputs"][0]["amount"], &intent["outputs"][0]["amount"]),
        (&Value::Null, &json!("998000000000000000000"))
    );
}

#[tokio::test]
async fn solver_is_asked_for_the_input_without_the_referral_fee() {
    let solver = Solver::with_quotes(
        200,
        quotes(|quote| quote["preview"]["inputs"][0]["amount"] = json!("990000000")),
    )
    .await;
    let mut referred = ask();
    referred.ask.referral = Referral::new(Address::Evm([7; 20].into()), 100);
    let [offer] = offers(&solver, &referred).await.try_into().unwrap();
    assert_eq!(solver.requests()[0].body["intent"]["inputs"][0]["amount"], "990000000");
    assert_eq!(offer.amount_in, decimal("1000", 6));
    assert_eq!((offer.fees[0].kind, offer.fees[0].amount), (FeeKind::Referrer, decimal("10", 6)));

    let mut referred = buy(&usdc(ETHEREUM), &dai(BASE), "998.5");
    referred.ask.referral = Referral::new(Address::Evm([7; 20].into()), 100);
    let [offer] = offers(&solver, &referred).await.try_into().unwrap();
    assert_eq!(offer.amount_in, raw(999_999_999), "the smallest input that leaves 990");
}

#[tokio::test]
async fn best_quote_comes_first_and_missing_times_use_defaults() {
    let mut answer: Value = serde_json::from_str(&quotes(|_| {})).unwrap();
    let mut better = answer["quotes"][0].clone();
    better["preview"]["outputs"][0]["amount"] = json!("999000000000000000000");
    for key in ["validUntil", "eta", "quoteId", "provider"] {
        better.as_object_mut().unwrap().remove(key);
    }
    answer["quotes"].as_array_mut().unwrap().push(better);
    let offers = offers(&Solver::with_quotes(200, answer.to_string()).await, &ask()).await;
    assert_eq!(
        offers.iter().map(|offer| offer.amount_out).collect::<Vec<_>>(),
        [decimal("999", 18), decimal("998.5", 18)]
    );
    assert_eq!(offers[0].expected_duration_seconds, 60);
}

#[tokio::test]
async fn quotes_for_other_contracts_are_refused() {
    let cases: [Case; 5] = [
        (|quote| quote["order"] = json!({ "type": "oif-escrow-v0", "payload": {} }), "kind oif-escrow-v0"),
        (
            |quote| {
                quote["order"]["openIntentTx"]["to"] = json!(format!("0x00010000010114{}", "aa".repeat(20)));
            },
            "other than ours",
        ),
        (
            |quote| {
                quote["order"]["openIntentTx"]["to"] = json!(format!("0x00010000010214{}", "e5".repeat(20)));
            },
            "other than ours",
        ),
        (|quote| quote["failureHandling"] = json!("refund-claim"), "refund-claim"),
        (|quote| quote["partialFill"] = json!(true), "in parts"),
    ];
    for (change, expected) in cases {
        let answer = changed(change).await.unwrap();
        assert!(
            matches!(&answer, Answer::Refused(Refusal::Other(reason)) if reason.contains(expected)),
            "{answer:?}"
        );
    }
    let none = answer(&Solver::with_quotes(200, json!({ "quotes": [] }).to_string()).await, &ask()).await;
    assert_eq!(none, Ok(Answer::Refused(Refusal::Other("the solver has no quote".to_owned()))));
    let declined = json!({ "error": "INSUFFICIENT_LIQUIDITY", "message": "not enough" }).to_string();
    let declined = answer(&Solver::with_quotes(422, declined).await, &ask()).await.unwrap();
    assert!(matches!(&declined, Answer::Refused(Refusal::Other(reason)) if reason.contains("not enough")));
}

#[tokio::test]
async fn quotes_that_contradict_the_ask_are_rejected() {
    let cases: [Case; 14] = [
        (|quote| quote["preview"]["inputs"][0]["amount"] = json!("999999999"), "was asked for"),
        (|quote| quote["preview"]["outputs"][0]["amount"] = json!("0"), "is zero"),
        (|quote| quote["preview"]["outputs"][0]["amount"] = json!("-1"), "digits"),
        (|quote| quote["preview"]["outputs"][0]["amount"] = json!("1e18"), "digits"),
        (|quote| quote["preview"]["outputs"][0]["amount"] = json!(998), "malformed"),
        (|quote| quote["preview"]["outputs"][0]["amount"] = Value::Null, "is missing"),
        (
            |quote| quote["preview"]["outputs"][0]["asset"] = quote["preview"]["inputs"][0]["asset"].clone(),
            "outputs[0].asset",
        ),
        (|quote| quote["preview"]["inputs"][0]["asset"] = json!("0x01"), "inputs[0].asset"),
        (|quote| quote["preview"]["outputs"][0]["receiver"] = json!("0x01"), "receiver"),
        (|quote| quote["preview"]["outputs"] = json!([]), "one input and one output"),
        (|quote| quote["validUntil"] = json!(1), "has passed"),
        (|quote| quote["validUntil"] = json!(i64::MAX), "not a valid time"),
        (|quote| quote["validUntil"] = json!(1.5), "malformed"),
        (|quote| quote["preview"] = Value::Null, "malformed"),
    ];
    for (change, expected) in cases {
        let error = changed(change).await.unwrap_err();
        assert!(
            matches!(&error, FillerError::Nonsense(reason) if reason.contains(expected)),
            "{expected}: {error:?}"
        );
    }
}

#[tokio::test]
async fn invalid_responses_are_errors_that_state_whether_to_retry() {
    let many = json!({ "quotes": vec![serde_json::from_str::<Value>(&quotes(|_| {})).unwrap()["quotes"][0].clone(); 17] });
    for (status, body, retry) in [
        (200, "<html>".to_owned(), false),
        (200, String::new(), false),
        (200, " ".repeat(300_000), false),
        (200, many.to_string(), false),
        (302, String::new(), false),
        (400, json!({ "message": "bad" }).to_string(), false),
        (404, String::new(), false),
        (401, String::new(), true),
        (429, String::new(), true),
        (503, "<html>".to_owned(), true),
    ] {
        let error = answer(&Solver::with_quotes(status, body).await, &ask()).await.unwrap_err();
        assert_eq!(error.is_retryable(), retry, "{status}: {error}");
        assert!(!error.to_string().contains("hunter2"));
    }
    let unreachable =
        Solver::with_quotes(200, "").await.filler_with(|config| config.url = "http://127.0.0.1:1".to_owned());
    assert!(unreachable.quote(&ask()).await.unwrap_err().is_retryable());
}

#[tokio::test]
async fn solver_is_not_called_for_unserved_pairs() {
    let solver = Solver::with_quotes(200, quotes(|_| {})).await;
    for unserved in [
        sell(&usdc(ETHEREUM), &sol(), "1"),
        sell(&usdc(10), &dai(BASE), "1"),
        sell(&usdc(BASE), &dai(10), "1"),
    ] {
        assert_eq!(answer(&solver, &unserved).await, Ok(Answer::Refused(Refusal::PairNotServed)));
    }
    let mut permit = ask();
    permit.ask.deposit_methods = vec![DepositMethod::Permit2];
    assert_eq!(answer(&solver, &permit).await, Ok(Answer::Refused(Refusal::NoDepositMethod)));
    assert!(solver.requests().is_empty());
}

#[tokio::test]
async fn invalid_config_is_rejected_and_the_key_is_redacted() {
    let solver = Solver::with_quotes(200, "").await;
    let filler = solver.filler();
    assert!(!format!("{filler:?}").contains("hunter2"));
    let config = || OifConfig {
        name: "solver".to_owned(),
        url: "https://solver.example/api".to_owned(),
        api_key: None,
        deadline: std::time::Duration::from_secs(1),
        public_only: false,
        account: Some(parties(causeway_domain::Family::Evm)),
        submit: true,
        bytes: causeway_fillers::oif::ByteEncoding::Hex,
    };
    let start = |config| OifFiller::new(config, [].into());
    assert!(start(config()).is_ok());
    for url in ["", "solver.example", "ftp://solver.example", "https://me:pass@solver.example", "https://a?b"]
    {
        assert!(
            matches!(start(OifConfig { url: url.to_owned(), ..config() }), Err(OifError::Address)),
            "{url}"
        );
    }
    let account = Some(parties(causeway_domain::Family::Solana));
    assert!(matches!(start(OifConfig { account, ..config() }), Err(OifError::Account)));
}
