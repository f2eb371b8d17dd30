use std::collections::BTreeMap;

use causeway_prices::ApiKey;
use causeway_prices::coingecko::{CoinGeckoConfig, CoinGeckoPlan, CoinGeckoReader};

use crate::server::{Mood, Server, faults, read, say};

const FIXTURE: &str = include_str!("../../fixtures/coingecko-simple-price.json");

fn reader(url: &str, plan: CoinGeckoPlan) -> CoinGeckoReader {
    let ids = ["ethereum", "usd-coin", "pepe", "honey-3"].map(|coin| (coin.to_owned(), coin.to_owned()));
    let (url, api_key) = (Some(url.to_owned()), Some(ApiKey::new("hunter2".to_owned())));
    let ids = BTreeMap::from(ids);
    CoinGeckoReader::new(CoinGeckoConfig { url, api_key, plan, ids, ..CoinGeckoConfig::default() }).unwrap()
}

#[tokio::test]
async fn prices_come_as_documented_without_rounding_and_an_unknown_coin_is_missing_alone() {
    let server = Server::start(Mood::Says(FIXTURE.to_owned()), "x-cg-demo-api-key").await;
    let words = read(&reader(&server.url, CoinGeckoPlan::Demo)).await.unwrap();
    assert_eq!(say(&words, "ethereum").as_deref(), Ok("3500.1234567890123"));
    assert_eq!(say(&words, "usd-coin").as_deref(), Ok("0.9998765432109876"));
    assert_eq!(say(&words, "pepe").as_deref(), Ok("0.00000643"));
    assert_eq!(say(&words, "honey-3").unwrap_err(), "does not know the coin");
    let [(path, key)] = server.asked().try_into().unwrap();
    assert_eq!(
        path,
        "/base/simple/price?ids=ethereum%2Choney-3%2Cpepe%2Cusd-coin&vs_currencies=usd&include_last_updated_at=true&precision=full"
    );
    assert_eq!(key.as_deref(), Some("hunter2"));
}

#[tokio::test]
async fn each_plan_has_its_own_header() {
    let server = Server::start(Mood::Says(FIXTURE.to_owned()), "x-cg-pro-api-key").await;
    read(&reader(&server.url, CoinGeckoPlan::Pro)).await.unwrap();
    assert_eq!(server.asked()[0].1.as_deref(), Some("hunter2"));
    read(&reader(&server.url, CoinGeckoPlan::Demo)).await.unwrap();
    assert_eq!(server.asked()[1].1, None);
}

#[tokio::test]
async fn every_way_to_fail_is_the_sources_fault_and_has_a_name() {
    for (mood, expected) in faults() {
        let server = Server::start(mood.clone(), "x-cg-demo-api-key").await;
        let fault = read(&reader(&server.url, CoinGeckoPlan::Demo)).await.unwrap_err();
        assert!(expected(&fault), "{mood:?}: {fault:?}");
    }
}

#[tokio::test]
async fn many_coins_are_asked_for_in_several_requests() {
    let server = Server::start(Mood::Says("{}".to_owned()), "x-cg-demo-api-key").await;
    let ids: BTreeMap<_, _> =
        (0..201).map(|number| (format!("coin-{number}"), format!("id-{number}"))).collect();
    let url = Some(server.url.clone());
    let reader = CoinGeckoReader::new(CoinGeckoConfig { url, ids, ..CoinGeckoConfig::default() }).unwrap();
    assert_eq!(read(&reader).await.unwrap().len(), 201);
    assert_eq!(server.asked().len(), 3);
}
