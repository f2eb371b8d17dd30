use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::PriceFeed as _;
use causeway_domain::{ChainId, TokenId};
use causeway_prices::coingecko::{CoinGeckoConfig, CoinGeckoReader};
use causeway_prices::pyth::{PythConfig, PythReader};
use causeway_prices::{KnownFeeds, MedianPrices, MedianRules, PolledSource, PriceSource};
use jiff::Timestamp;
use serde_json::json;

use crate::server::{Server, ServerBehavior, failures};

const INTERVAL: Duration = Duration::from_millis(5);

fn ether() -> TokenId {
    TokenId::native(ChainId::new(1).unwrap())
}

async fn coingecko(behavior: ServerBehavior) -> Arc<PolledSource> {
    let server = Server::start(behavior, "accept").await;
    let ids = [("ethereum".to_owned(), "ethereum".to_owned())].into();
    let config = CoinGeckoConfig { url: Some(server.url), ids, ..CoinGeckoConfig::default() };
    Arc::new(PolledSource::new(CoinGeckoReader::new(config).unwrap(), INTERVAL))
}

/// A Pyth server with this current price.
async fn pyth(price: &str) -> Arc<PolledSource> {
    let mut ids = KnownFeeds::load().unwrap().pyth;
    ids.retain(|coin, _| coin == "ethereum");
    let price =
        json!({ "price": price, "conf": "0", "expo": 0, "publish_time": Timestamp::now().as_second() });
    let entry = json!({ "id": ids["ethereum"], "price": price });
    let server =
        Server::start(ServerBehavior::Responds(json!({ "parsed": [entry] }).to_string()), "accept").await;
    let config = PythConfig { url: server.url, ids, ..PythConfig::default() };
    Arc::new(PolledSource::new(PythReader::new(config).unwrap(), INTERVAL))
}

/// A CoinGecko response with this ether price.
fn simple(price: &str) -> ServerBehavior {
    let at = Timestamp::now().as_second();
    ServerBehavior::Responds(format!(r#"{{"ethereum":{{"usd":{price},"last_updated_at":{at}}}}}"#))
}

fn median(sources: &[&Arc<PolledSource>], min_sources: usize) -> MedianPrices {
    let sources = sources.iter().map(|source| Arc::clone(source) as Arc<dyn PriceSource>).collect();
    let rules = MedianRules { min_sources, ..MedianRules::default() };
    MedianPrices::new(sources, [(ether(), "ethereum".into())], rules)
}

#[tokio::test]
async fn rule_14_agreeing_sources_yield_a_price_and_disagreeing_ones_a_reason() {
    let (one, other) = (pyth("3500").await, coingecko(simple("3510.5")).await);
    let prices = median(&[&one, &other], 2);
    assert_eq!(prices.usd_price(&ether()), None);
    let reason = prices.unpriced(&ether()).unwrap();
    assert!(reason.contains("pyth: not read yet; coingecko: not read yet"), "{reason}");
    one.poll().await.unwrap();
    other.poll().await.unwrap();
    assert_eq!(prices.usd_price(&ether()).unwrap().to_string(), "3505.25");
    assert_eq!(prices.unpriced(&ether()), None);

    let far = coingecko(simple("4000")).await;
    far.poll().await.unwrap();
    let prices = median(&[&one, &far], 2);
    assert_eq!(prices.usd_price(&ether()), None);
    assert!(prices.unpriced(&ether()).unwrap().contains("apart"));
}

#[tokio::test]
async fn a_failing_source_is_named_and_does_not_affect_others() {
    let good = pyth("3500").await;
    good.poll().await.unwrap();
    for (behavior, _) in failures() {
        let bad = coingecko(behavior.clone()).await;
        bad.poll().await.unwrap_err();
        assert_eq!(
            median(&[&bad, &good], 1).usd_price(&ether()).unwrap().to_string(),
            "3500",
            "{behavior:?}"
        );
        let reason = median(&[&bad, &good], 2).unpriced(&ether()).unwrap();
        assert!(reason.contains("1 of at least 2") && reason.contains("coingecko: "), "{reason}");
        assert_eq!(bad.report().consecutive_errors, 1);
    }
}

#[tokio::test]
async fn polled_sources_poll_by_themselves() {
    let (one, other) = (pyth("3500").await, coingecko(simple("3500")).await);
    let prices = median(&[&one, &other], 2);
    let tasks = [&one, &other].map(|source| {
        let source = Arc::clone(source);
        tokio::spawn(async move { source.run().await })
    });
    while prices.usd_price(&ether()).is_none() || one.report().reads < 3 {
        tokio::time::sleep(INTERVAL).await;
    }
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
}
