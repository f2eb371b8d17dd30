use std::collections::BTreeMap;

use causeway_prices::pyth::{PythConfig, PythReader};
use causeway_prices::{ApiKey, KnownFeeds, ReadFault};

use crate::server::{Mood, Server, faults, read, say};

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
async fn prices_come_as_documented_and_a_missing_id_is_missing_alone() {
    let server = Server::start(Mood::Says(FIXTURE.to_owned()), "authorization").await;
    let words = read(&reader(&server.url)).await.unwrap();
    assert_eq!(say(&words, "ethereum").as_deref(), Ok("3500.12345678"));
    assert_eq!(say(&words, "usd-coin").as_deref(), Ok("0.99987654"));
    assert_eq!(say(&words, "solana").unwrap_err(), "left its price out");
    let [(path, key)] = server.asked().try_into().unwrap();
    assert!(path.starts_with("/base/v2/updates/price/latest?ids%5B%5D="), "{path}");
    assert!(path.contains("ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace"), "{path}");
    assert!(path.ends_with("&parsed=true&encoding=hex&ignore_invalid_price_ids=true"), "{path}");
    assert_eq!(key.as_deref(), Some("Bearer hunter2"));
}

#[tokio::test]
async fn every_way_to_fail_is_the_sources_fault_and_has_a_name() {
    for (mood, expected) in faults() {
        let server = Server::start(mood.clone(), "authorization").await;
        let fault = read(&reader(&server.url)).await.unwrap_err();
        assert!(expected(&fault), "{mood:?}: {fault:?}");
        assert!(!format!("{fault} {fault:?}").contains("hunter2"));
    }
    let nobody = read(&reader("http://127.0.0.1:1")).await.unwrap_err();
    assert!(matches!(nobody, ReadFault::Unreachable(_)), "{nobody:?}");
}

#[test]
fn what_cannot_be_asked_for_is_told_at_the_start() {
    let ids = BTreeMap::from([("ethereum".to_owned(), "0x1234".to_owned())]);
    let error = PythReader::new(PythConfig { ids, ..PythConfig::default() }).unwrap_err();
    assert!(error.to_string().contains("`0x1234` is no Pyth price id"));
}
