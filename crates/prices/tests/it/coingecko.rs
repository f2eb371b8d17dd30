use std::collections::BTreeMap;

use causeway_prices::ApiKey;
use causeway_prices::coingecko::{CoinGeckoConfig, CoinGeckoPlan, CoinGeckoReader};

use crate::server::{Server, ServerBehavior, failures, price_text, read};

const FIXTURE: &str = include_str!("../../fixtures/coingecko-simple-price.json");

fn reader(url: &str, plan: CoinGeckoPlan) -> CoinGeckoReader {
    let ids = ["ethereum", "usd-coin", "pepe", "honey-3"].map(|coin| (coin.to_owned(), coin.to_owned()));
    let (url, api_key) = (Some(url.to_owned()), Some(ApiKey::new("hunter2".to_owned())));
    let ids = BTreeMap::from(ids);
    CoinGeckoReader::new(CoinGeckoConfig { url, api_key, plan, ids, ..CoinGeckoConfig::default() }).unwrap()
}

#[tokio::test]
async fn documented_responses_are_parsed_exactly_and_an_unknown_coin_affects_no_other() {
    let server = Server::start(ServerBehavior::Responds(FIXTURE.to_owned()), "x-cg-demo-api-key").await;
    let results = read(&reader(&server.url, CoinGeckoPlan::Demo)).await.unwrap();
    assert_eq!(price_text(&results, "ethereum").as_deref(), Ok("3500.1234567890123"));
    assert_eq!(price_text(&results, "usd-coin").as_deref(), Ok("0.9998765432109876"));
    assert_eq!(price_text(&results, "pepe").as_deref(), Ok("0.00000643"));
    assert_eq!(price_text(&results, "honey-3").unwrap_err(), "does not know the coin");
    let [(path, key)] = server.asked().try_into().unwrap();
    assert_eq!(
        path,
        "/base/simple/price?ids=ethereum%2Choney-3%2Cpepe%2Cusd-coin&vs_currencies=usd&include_last_updated_at=true&precision=full"
    );
    assert_eq!(key.as_deref(), Some("hunter2"));
}

#[tokio::test]
async fn each_plan_has_its_own_header() {
    let server = Server::start(ServerBehavior::Responds(FIXTURE.to_owned()), "x-cg-pro-api-key").await;
    read(&reader(&server.url, CoinGeckoPlan::Pro)).await.unwrap();
    assert_eq!(server.asked()[0].1.as_deref(), Some("hunter2"));
    read(&reader(&server.url, CoinGeckoPlan::Demo)).await.unwrap();
    assert_eq!(server.asked()[1].1, None);
}

#[tokio::test]
async fn every_failure_is_reported_as_its_error() {
    for (behavior, expected) in failures() {
        let server = Server::start(behavior.clone(), "x-cg-demo-api-key").await;
        let error = read(&reader(&server.url, CoinGeckoPlan::Demo)).await.unwrap_err();
        assert!(expected(&error), "{behavior:?}: {error:?}");
    }
}

#[tokio::test]
async fn many_coins_are_read_in_batches() {
    let server = Server::start(ServerBehavior::Responds("{}".to_owned()), "x-cg-demo-api-key").await;
    let ids: BTreeMap<_, _> =
        (0..201).map(|number| (format!("coin-{number}"), format!("id-{number}"))).collect();
    let url = Some(server.url.clone());
    let reader = CoinGeckoReader::new(CoinGeckoConfig { url, ids, ..CoinGeckoConfig::default() }).unwrap();
    assert_eq!(read(&reader).await.unwrap().len(), 201);
    assert_eq!(server.asked().len(), 3);
}
