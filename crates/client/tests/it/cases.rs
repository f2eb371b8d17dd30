use std::time::{Duration, Instant};

use causeway_client::{CancellationToken, Client};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::call::{Outcome, run};
use crate::server::{RecordedRequest, Server};
use crate::table::{Abort, Case, ExpectedError, ExpectedRequest, Table};

const TABLE: &str = include_str!("../../../../tests/cases/cases.json");

#[tokio::test]
async fn every_case_of_the_table_has_its_expected_outcome() {
    let table: Table = serde_json::from_str(TABLE).unwrap();
    let mut cases = Vec::new();
    // Prepared first, because each client loads the system certificates, which would distort timings.
    for case in &table.cases {
        cases.push(PreparedCase::prepare(case).await);
    }
    for (case, outcome, seen) in futures::future::join_all(cases.into_iter().map(PreparedCase::run)).await {
        check(case, &outcome, &seen);
    }
}

/// A case with its server and client.
struct PreparedCase<'a> {
    case: &'a Case,
    server: Server,
    client: Client,
    token: CancellationToken,
}

impl<'a> PreparedCase<'a> {
    async fn prepare(case: &'a Case) -> Self {
        let server = Server::start(case.server.clone()).await;
        let mut builder = Client::builder(&format!("{}{}", server.url, case.client.base_path));
        if let Some(timeout) = case.client.timeout_ms {
            builder = builder.timeout(Duration::from_millis(timeout));
        }
        if let Some(host) = &case.client.qr_host {
            builder = builder.qr_url(&format!("{}/qr", server.url.replace("127.0.0.1", host)));
        }
        for (name, value) in &case.client.headers {
            builder = builder.header(name, value);
        }
        if let Some(key) = &case.client.api_key {
            builder = builder.api_key(key);
        }
        let token = CancellationToken::new();
        let client = builder.build().unwrap().with_cancellation(token.clone());
        Self { case, server, client, token }
    }

    async fn run(mut self) -> (&'a Case, Outcome, Vec<RecordedRequest>) {
        let Self { case, server, client, token } = &mut self;
        if case.abort == Some(Abort::Before) {
            token.cancel();
        }
        let (count, mut counted) = watch::channel(0);
        let awaited = case.expect.items.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
        let during = async {
            if case.abort == Some(Abort::During) {
                for _ in &case.server {
                    server.responded.recv().await;
                }
                counted.wait_for(|items| *items >= awaited).await.unwrap();
                token.cancel();
            }
        };
        let began = Instant::now();
        let (outcome, ()) = tokio::join!(run(client, &case.call, &count), during);
        let most = case.expect.within_ms.map_or(Duration::MAX, Duration::from_millis);
        assert!(began.elapsed() < most, "{}: it took {:?}", case.name, began.elapsed());
        if case.abort == Some(Abort::After) {
            token.cancel();
        }
        (case, outcome, server.requests())
    }
}

fn check(case: &Case, outcome: &Outcome, seen: &[RecordedRequest]) {
    let name = &case.name;
    match (&outcome.value, &case.expect.error) {
        (Err(error), Some(expected)) => check_error(name, error, expected),
        (Ok(value), None) => {
            let expected = case.expect.value.as_ref().unwrap_or(&Value::Null);
            assert!(contains(value, expected), "{name}: {value} is not {expected}");
        }
        (got, _) => panic!("{name}: {got:?}"),
    }
    if let Some(items) = &case.expect.items {
        assert!(contains(&json!(outcome.items), items), "{name}: {:?}", outcome.items);
    }
    if let Some(statuses) = &case.expect.statuses {
        assert_eq!(&json!(outcome.statuses), statuses, "{name}");
    }
    if let Some(requests) = &case.expect.requests {
        assert_eq!(seen.len(), requests.len(), "{name}: {seen:?}");
        seen.iter().zip(requests).for_each(|(seen, expected)| check_request(name, seen, expected));
    }
}

fn check_error(name: &str, error: &causeway_client::Error, expected: &ExpectedError) {
    assert_eq!((error.class(), error.code()), (&*expected.class, &*expected.code), "{name}: {error:?}");
    assert!(!error.to_string().is_empty(), "{name}");
    if let Some(message) = &expected.message {
        assert_eq!(&error.to_string(), message, "{name}");
    }
    let details = error.details();
    if let Some(status) = expected.status {
        assert_eq!(details.unwrap().status, status, "{name}");
    }
    if let Some(body) = &expected.body {
        assert_eq!(&details.unwrap().body, body, "{name}");
    }
}

fn check_request(name: &str, seen: &RecordedRequest, expected: &ExpectedRequest) {
    let mut parts = seen.head.lines().next().unwrap().split(' ');
    let (method, target) = (parts.next().unwrap(), parts.next().unwrap());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if let Some(expected) = &expected.method {
        assert_eq!(method, expected, "{name}");
    }
    if let Some(expected) = &expected.path {
        assert_eq!(path, expected, "{name}");
    }
    let url = reqwest::Url::parse(&format!("http://a/?{query}")).unwrap();
    for (key, value) in &expected.query {
        let found = url.query_pairs().find(|(name, _)| name == key).map(|(_, value)| value.into_owned());
        assert_eq!(found.as_ref(), Some(value), "{name}: {query}");
    }
    for (header, value) in &expected.headers {
        assert_eq!(seen.header(header), Some(value.as_str()), "{name}: {}", seen.head);
    }
    if let Some(header) = &expected.has_header {
        assert!(seen.header(header).is_some(), "{name}: {}", seen.head);
    }
    for header in &expected.lacks_headers {
        assert!(seen.header(header).is_none(), "{name}: {}", seen.head);
    }
    if let Some(json) = &expected.json {
        assert_eq!(&serde_json::from_slice::<Value>(&seen.body).unwrap(), json, "{name}");
    }
}

/// Whether the value contains all expected fields.
fn contains(value: &Value, expected: &Value) -> bool {
    match (value, expected) {
        (Value::Object(value), Value::Object(expected)) => {
            // What is absent is not written.
            let contained =
                |(name, field): (&String, &Value)| contains(value.get(name).unwrap_or(&Value::Null), field);
            expected.iter().all(contained)
        }
        (Value::Array(value), Value::Array(expected)) => {
            value.len() == expected.len()
                && value.iter().zip(expected).all(|(value, item)| contains(value, item))
        }
        (Value::Number(value), Value::Number(expected)) => value.as_f64() == expected.as_f64(),
        _ => value == expected,
    }
}
