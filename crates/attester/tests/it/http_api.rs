use std::num::NonZeroUsize;
use std::sync::Arc;

use alloy_primitives::hex;
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use causeway_attester::{Attest, HttpAttester, HttpAttesterError, Panel, router};
use causeway_domain::IntentTerms;
use causeway_domain::ports::{AttestationRefusal, AttestationVerifier as _, Attestations as _, BatchRefusal};
use causeway_evm::attest::EvmVerifier;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::fake::{DEADLINE, Fixture, signer, terms};

async fn ask(router: &Router, request: Request<Body>) -> Value {
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    json!({ "status": status, "body": serde_json::from_slice::<Value>(&bytes).unwrap_or(Value::Null) })
}

async fn get(router: &Router, path: &str) -> Value {
    ask(router, Request::get(path).body(Body::empty()).unwrap()).await
}

async fn post(router: &Router, body: impl Into<Body>) -> Value {
    ask(router, Request::post("/attest").body(body.into()).unwrap()).await
}

async fn attest(router: &Router, terms: &IntentTerms) -> Value {
    post(router, json!({ "terms": hex::encode_prefixed(terms.to_bytes()) }).to_string()).await
}

#[tokio::test]
async fn every_answer_has_a_name_and_says_whether_to_retry() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let router = router(fixture.attester(folder.path()));
    let path = format!("/attestations/{}", terms(1).id());
    let mut answers = vec![
        ("nothing signed", get(&router, &path).await),
        ("not an id", get(&router, "/attestations/0x12").await),
        ("not JSON", post(&router, "terms").await),
        ("no terms", post(&router, r#"{"terms":"0x1234"}"#).await),
        ("another field", post(&router, r#"{"terms":"0x","outcome":"filled"}"#).await),
        ("not open", attest(&router, &terms(1)).await),
        ("same chain", attest(&router, &IntentTerms { destination_chain_id: 1, ..terms(1) }).await),
        ("unknown escrow", attest(&router, &IntentTerms { escrow: terms(1).settler, ..terms(1) }).await),
        ("unknown settler", attest(&router, &IntentTerms { settler: terms(1).escrow, ..terms(1) }).await),
        ("health before the first poll", get(&router, "/health").await),
    ];
    fixture.open(&terms(1));
    answers.push(("undecided", attest(&router, &terms(1)).await));
    fixture.destination.state().unavailable = true;
    answers.push(("unavailable", attest(&router, &terms(1)).await));
    fixture.destination.state().unavailable = false;
    fixture.fill(&terms(1), 150);
    answers.push(("filled", attest(&router, &terms(1)).await));
    fixture.open(&terms(2));
    fixture.destination.state().time = DEADLINE + 1;
    answers.push(("unfilled", attest(&router, &terms(2)).await));
    let fetched = get(&router, &path).await;
    assert_eq!(fetched, answers[12].1, "a signed attestation can be fetched");
    let answers: serde_json::Map<_, _> =
        answers.into_iter().map(|(name, answer)| (name.to_owned(), answer)).collect();
    insta::assert_json_snapshot!(answers);
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let router = router(fixture.attester(folder.path()));
    assert_eq!(post(&router, vec![b'x'; 20_000]).await["status"], 413);
}

#[tokio::test]
async fn an_attester_over_http_answers_like_one_in_the_process() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let attester = fixture.attester(folder.path());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let served = router(attester.clone());
    tokio::spawn(async move { axum::serve(listener, served).await });
    let elsewhere = HttpAttester::new(&address).unwrap();
    let not_open = Attest::attest(&elsewhere, &terms(1)).await.unwrap_err();
    assert!(matches!(&not_open, AttestationRefusal::Remote { .. }) && not_open.name() == "NotOpen");
    assert!(not_open.is_retryable());
    fixture.open(&terms(1));
    fixture.fill(&terms(1), 150);
    assert_eq!(Attest::attest(&elsewhere, &terms(1)).await, attester.attest(&terms(1)).await);
    let members = [(signer().address(), Arc::new(elsewhere) as Arc<dyn Attest>)];
    let panel = Panel::new(members, NonZeroUsize::MIN, Arc::new(EvmVerifier)).unwrap();
    assert_eq!(panel.collect(&terms(1)).await.unwrap().signatures.len(), 1);
}

#[tokio::test]
async fn rule_31_a_batch_is_signed_as_one_list_and_each_outcome_is_kept_as_before() {
    let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
    let attester = fixture.attester(folder.path());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let served = router(attester.clone());
    tokio::spawn(async move { axum::serve(listener, served).await });
    let elsewhere = HttpAttester::new(&address).unwrap();
    let orders: Vec<IntentTerms> = (1..=30).map(terms).collect();
    for terms in &orders {
        fixture.open(terms);
    }
    for terms in &orders[1..] {
        fixture.fill(terms, 150);
    }
    // One order is not filled yet: it alone is named, and the outcomes of the others are committed.
    let refused = Attest::attest_batch(&elsewhere, &orders).await.unwrap_err();
    let BatchRefusal::Orders(refused) = refused else { panic!("{refused}") };
    assert_eq!(refused.len(), 1);
    assert_eq!((refused[0].0, refused[0].1.name()), (orders[0].id(), "Undecided"));
    assert!(attester.attestation(&orders[0].id()).is_none());
    assert!(orders[1..].iter().all(|terms| attester.attestation(&terms.id()).is_some()));
    let signed = Attest::attest_batch(&elsewhere, &orders[1..]).await.unwrap();
    assert_eq!(signed, attester.attest_batch(&orders[1..]).await.unwrap());
    assert_eq!(
        EvmVerifier.batch_signer(&orders[1], &signed.fills, &signed.signature),
        Some(signer().address())
    );
    // An order that was signed as unfilled is never part of a list.
    fixture.destination.state().time = DEADLINE + 1;
    attester.attest(&orders[0]).await.unwrap();
    let refused = Attest::attest_batch(&elsewhere, &orders[..2]).await.unwrap_err();
    assert!(matches!(&refused, BatchRefusal::Orders(one) if one[0].1.name() == "Opposite"), "{refused}");
    let mixed = [orders[1], IntentTerms { epoch: 7, ..orders[2] }];
    let refused = Attest::attest_batch(&elsewhere, &mixed).await.unwrap_err();
    assert!(matches!(&refused, BatchRefusal::Whole(why) if why.name() == "MixedBatch"), "{refused}");
    let members = [(signer().address(), Arc::new(elsewhere) as Arc<dyn Attest>)];
    let panel = Panel::new(members, NonZeroUsize::MIN, Arc::new(EvmVerifier)).unwrap();
    assert_eq!(panel.collect_batch(&orders[1..]).await.unwrap().signatures, [signed.signature]);
}

#[tokio::test]
async fn an_unreachable_attester_is_retryable_and_an_invalid_address_is_rejected() {
    let unreachable = HttpAttester::new("http://127.0.0.1:1").unwrap();
    let refusal = Attest::attest(&unreachable, &terms(1)).await.unwrap_err();
    assert!(matches!(refusal, AttestationRefusal::Unreachable(_)) && refusal.is_retryable());
    for address in ["", "attester.example", "ftp://attester.example", "https://"] {
        assert!(matches!(HttpAttester::new(address), Err(HttpAttesterError::Address)), "{address}");
    }
}
