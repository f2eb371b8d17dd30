use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::PriceFeed as _;
use causeway_domain::{ChainId, TokenId};
use causeway_prices::coingecko::{CoinGeckoConfig, CoinGeckoReader};
use causeway_prices::pyth::{PythConfig, PythReader};
use causeway_prices::{KeptSource, KnownFeeds, MedianPrices, MedianRules, PriceSource};
use jiff::Timestamp;
use serde_json::json;

use crate::server::{Mood, Server, faults};

const EVERY: Duration = Duration::from_millis(5);

fn ether() -> TokenId {
    TokenId::native(ChainId::new(1).unwrap())
}

async fn coingecko(mood: Mood) -> Arc<KeptSource> {
    let server = Server::start(mood, "accept").await;
    let ids = [("ethereum".to_owned(), "ethereum".to_owned())].into();
    let config = CoinGeckoConfig { url: Some(server.url), ids, ..CoinGeckoConfig::default() };
    Arc::new(KeptSource::new(CoinGeckoReader::new(config).unwrap(), EVERY))
}

/// A Pyth that tells this price now.
async fn pyth(price: &str) -> Arc<KeptSource> {
    let mut ids = KnownFeeds::load().unwrap().pyth;
    ids.retain(|coin, _| coin == "ethereum");
    let price =
        json!({ "price": price, "conf": "0", "expo": 0, "publish_time": Timestamp::now().as_second() });
    let entry = json!({ "id": ids["ethereum"], "price": price });
    let server = Server::start(Mood::Says(json!({ "parsed": [entry] }).to_string()), "accept").await;
    let config = PythConfig { url: server.url, ids, ..PythConfig::default() };
    Arc::new(KeptSource::new(PythReader::new(config).unwrap(), EVERY))
}

/// What CoinGecko says of ether now.
fn simple(price: &str) -> Mood {
    let at = Timestamp::now().as_second();
    Mood::Says(format!(r#"{{"ethereum":{{"usd":{price},"last_updated_at":{at}}}}}"#))
}

fn median(sources: &[&Arc<KeptSource>], least: usize) -> MedianPrices {
    let sources = sources.iter().map(|source| Arc::clone(source) as Arc<dyn PriceSource>).collect();
    let rules = MedianRules { least, ..MedianRules::default() };
    MedianPrices::new(sources, [(ether(), "ethereum".into())], rules)
}

#[tokio::test]
async fn rule_14_two_sources_that_agree_make_a_price_and_two_that_do_not_a_reason() {
    let (one, other) = (pyth("3500").await, coingecko(simple("3510.5")).await);
    let prices = median(&[&one, &other], 2);
    assert_eq!(prices.usd_price(&ether()), None);
    let reason = prices.unpriced(&ether()).unwrap();
    assert!(reason.contains("pyth: has not told yet; coingecko: has not told yet"), "{reason}");
    one.ask().await.unwrap();
    other.ask().await.unwrap();
    assert_eq!(prices.usd_price(&ether()).unwrap().to_string(), "3505.25");
    assert_eq!(prices.unpriced(&ether()), None);

    let far = coingecko(simple("4000")).await;
    far.ask().await.unwrap();
    let prices = median(&[&one, &far], 2);
    assert_eq!(prices.usd_price(&ether()), None);
    assert!(prices.unpriced(&ether()).unwrap().contains("apart"));
}

#[tokio::test]
async fn a_source_with_any_fault_harms_no_other_and_is_named() {
    let good = pyth("3500").await;
    good.ask().await.unwrap();
    for (mood, _) in faults() {
        let bad = coingecko(mood.clone()).await;
        bad.ask().await.unwrap_err();
        assert_eq!(median(&[&bad, &good], 1).usd_price(&ether()).unwrap().to_string(), "3500", "{mood:?}");
        let reason = median(&[&bad, &good], 2).unpriced(&ether()).unwrap();
        assert!(reason.contains("1 of at least 2") && reason.contains("coingecko: "), "{reason}");
        assert_eq!(bad.report().in_a_row, 1);
    }
}

#[tokio::test]
async fn kept_sources_ask_by_themselves() {
    let (one, other) = (pyth("3500").await, coingecko(simple("3500")).await);
    let prices = median(&[&one, &other], 2);
    let keeping = [&one, &other].map(|source| {
        let source = Arc::clone(source);
        tokio::spawn(async move { source.keep().await })
    });
    while prices.usd_price(&ether()).is_none() || one.report().reads < 3 {
        tokio::time::sleep(EVERY).await;
    }
    keeping.iter().for_each(tokio::task::JoinHandle::abort);
}
