use std::time::Duration;

use causeway_client::{CancellationToken, Client};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::call::{Outcome, run};
use crate::server::{Seen, Server};
use crate::table::{Abort, Case, ExpectedError, ExpectedRequest, Table};

const TABLE: &str = include_str!("../../../../tests/cases/cases.json");

#[tokio::test]
async fn every_case_of_the_table_ends_as_it_says() {
    let table: Table = serde_json::from_str(TABLE).unwrap();
    let mut stages = Vec::new();
    // Made before anything is timed: each client reads the system's certificates.
    for case in &table.cases {
        stages.push(Stage::set(case).await);
    }
    for (case, outcome, seen) in futures::future::join_all(stages.into_iter().map(Stage::play)).await {
        check(case, &outcome, &seen);
    }
}

/// A case with the server and the client that it needs.
struct Stage<'a> {
    case: &'a Case,
    server: Server,
    client: Client,
    token: CancellationToken,
}

impl<'a> Stage<'a> {
    async fn set(case: &'a Case) -> Self {
        let server = Server::start(case.server.clone()).await;
        let mut builder = Client::builder(&format!("{}{}", server.url, case.client.base_path));
        if let Some(timeout) = case.client.timeout_ms {
            builder = builder.timeout(Duration::from_millis(timeout));
        }
        for (name, value) in &case.client.headers {
            builder = builder.header(name, value);
        }
        let token = CancellationToken::new();
        let client = builder.build().unwrap().aborted_by(token.clone());
        Self { case, server, client, token }
    }

    async fn play(mut self) -> (&'a Case, Outcome, Vec<Seen>) {
        let Self { case, server, client, token } = &mut self;
        if case.abort == Some(Abort::Before) {
            token.cancel();
        }
        let (count, mut counted) = watch::channel(0);
        let awaited = case.expect.items.as_ref().and_then(Value::as_array).map_or(0, Vec::len);
        let during = async {
            if case.abort == Some(Abort::During) {
                for _ in &case.server {
                    server.said.recv().await;
                }
                counted.wait_for(|items| *items >= awaited).await.unwrap();
                token.cancel();
            }
        };
        let (outcome, ()) = tokio::join!(run(client, &case.call, &count), during);
        if case.abort == Some(Abort::After) {
            token.cancel();
        }
        (case, outcome, server.seen())
    }
}

fn check(case: &Case, outcome: &Outcome, seen: &[Seen]) {
    let name = &case.name;
    match (&outcome.value, &case.expect.error) {
        (Err(error), Some(expected)) => check_error(name, error, expected),
        (Ok(value), None) => {
            let expected = case.expect.value.as_ref().unwrap_or(&Value::Null);
            assert!(holds(value, expected), "{name}: {value} is not {expected}");
        }
        (got, _) => panic!("{name}: {got:?}"),
    }
    if let Some(items) = &case.expect.items {
        assert!(holds(&json!(outcome.items), items), "{name}: {:?}", outcome.items);
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

fn check_request(name: &str, seen: &Seen, expected: &ExpectedRequest) {
    let mut words = seen.head.lines().next().unwrap().split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
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
    if let Some(json) = &expected.json {
        assert_eq!(&serde_json::from_slice::<Value>(&seen.body).unwrap(), json, "{name}");
    }
}

/// Whether every field that is named has the value that is named.
fn holds(value: &Value, expected: &Value) -> bool {
    match (value, expected) {
        (Value::Object(value), Value::Object(expected)) => {
            expected.iter().all(|(name, field)| value.get(name).is_some_and(|value| holds(value, field)))
        }
        (Value::Array(value), Value::Array(expected)) => {
            value.len() == expected.len()
                && value.iter().zip(expected).all(|(value, item)| holds(value, item))
        }
        _ => value == expected,
    }
}
