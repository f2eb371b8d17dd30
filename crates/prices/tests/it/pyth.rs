use std::collections::BTreeMap;

use causeway_prices::pyth::{PythConfig, PythReader};
use causeway_prices::{ApiKey, KnownFeeds, ReadError};

use crate::server::{Server, ServerBehavior, failures, price_text, read};

const FIXTURE: &str = include_str!("../../fixtures/pyth-latest.json");

fn ids() -> BTreeMap<String, String> {
    let mut ids = KnownFeeds::load().unwrap().pyth;
    ids.retain(|coin, _| ["ethereum", "usd-coin", "solana"].contains(&coin.as_str()));
    ids
}

fn reader(url: &str) -> PythReader {
    let api_key = Some(ApiKey::new("hunter2".to_owned()));
    PythReader::new(PythConfig { url: url.to_owned(), api_key, ids: ids(), ..PythConfig::default() }).unwrap()
}

#[tokio::test]
async fn documented_responses_are_parsed_and_a_missing_id_affects_no_other() {
    let server = Server::start(ServerBehavior::Responds(FIXTURE.to_owned()), "authorization").await;
    let results = read(&reader(&server.url)).await.unwrap();
    assert_eq!(price_text(&results, "ethereum").as_deref(), Ok("3500.12345678"));
    assert_eq!(price_text(&results, "usd-coin").as_deref(), Ok("0.99987654"));
    assert_eq!(price_text(&results, "solana").unwrap_err(), "no price for its id");
    let [(path, key)] = server.asked().try_into().unwrap();
    assert!(path.starts_with("/base/v2/updates/price/latest?ids%5B%5D="), "{path}");
    assert!(path.contains("ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace"), "{path}");
    assert!(path.ends_with("&parsed=true&encoding=hex&ignore_invalid_price_ids=true"), "{path}");
    assert_eq!(key.as_deref(), Some("Bearer hunter2"));
}

#[tokio::test]
async fn every_failure_is_reported_as_its_error() {
    for (behavior, expected) in failures() {
        let server = Server::start(behavior.clone(), "authorization").await;
        let error = read(&reader(&server.url)).await.unwrap_err();
        assert!(expected(&error), "{behavior:?}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
    let unreachable = read(&reader("http://127.0.0.1:1")).await.unwrap_err();
    assert!(matches!(unreachable, ReadError::Unreachable(_)), "{unreachable:?}");
}

#[test]
fn an_invalid_id_is_rejected_at_start() {
    let ids = BTreeMap::from([("ethereum".to_owned(), "0x1234".to_owned())]);
    let error = PythReader::new(PythConfig { ids, ..PythConfig::default() }).unwrap_err();
    assert!(error.to_string().contains("`0x1234` is no Pyth price id"));
}
