use causeway_domain::ChainId;
use jiff::SignedDuration;
use proptest::prelude::*;
use tokio::time::Instant;

use super::*;
use crate::source::FixedSource;

const VALID_FOR: Duration = Duration::from_secs(30);

/// A source with one result for ether and no other coin.
struct StubSource(&'static str, SourcePrice);

impl PriceSource for StubSource {
    fn name(&self) -> &str {
        self.0
    }

    fn latest(&self, coin: &str) -> Option<SourcePrice> {
        (coin == "ethereum").then(|| self.1.clone())
    }
}

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

fn stub(name: &'static str, price: &str, seconds_ago: i64) -> StubSource {
    let at = now().checked_sub(SignedDuration::from_secs(seconds_ago)).unwrap();
    let result = PriceObservation::new(price.parse().unwrap(), at, VALID_FOR, now());
    StubSource(name, SourcePrice { result, read_at: Some(Instant::now()) })
}

fn token(chain: u64) -> TokenId {
    TokenId::native(ChainId::new(chain).unwrap())
}

fn median(sources: Vec<StubSource>) -> MedianPrices {
    let sources = sources.into_iter().map(|source| Arc::new(source) as Arc<dyn PriceSource>).collect();
    let coins = [(token(1), "ethereum".into()), (token(2), "weth".into()), (token(3), "pepe".into())];
    MedianPrices::new(sources, coins, MedianRules::default())
}

fn price(sources: Vec<StubSource>) -> Result<String, String> {
    median(sources).price_of("ethereum", now()).map(|price| price.to_string())
}

#[test]
fn rule_14_the_price_is_the_median_of_two_or_more() {
    let one = || stub("chainlink", "3500", 20);
    assert_eq!(
        price(vec![one(), stub("pyth", "3510", 1), stub("coingecko", "3501", 9)]).as_deref(),
        Ok("3501")
    );
    assert_eq!(price(vec![one(), stub("pyth", "3511", 1)]).as_deref(), Ok("3505.5"));
    let alone = price(vec![one()]).unwrap_err();
    assert_eq!(
        alone,
        "ethereum is not priced now: 1 of at least 2 sources have a fresh price (chainlink: 3500, 20 s old)"
    );
}

#[test]
fn rule_14_an_old_price_does_not_count_and_the_reason_says_so() {
    let stale = price(vec![stub("chainlink", "3500", 20), stub("pyth", "3510", 31)]).unwrap_err();
    assert!(stale.contains("1 of at least 2"), "{stale}");
    assert!(stale.contains("pyth: 3510 is 31 s old, at most 30 s"), "{stale}");
    assert!(price(vec![stub("chainlink", "3500", 20), stub("pyth", "3510", 30)]).is_ok());
}

#[tokio::test(start_paused = true)]
async fn rule_14_a_price_read_too_long_ago_does_not_count() {
    let prices = median(vec![stub("chainlink", "3500", 20), stub("pyth", "3510", 1)]);
    assert!(prices.price_of("ethereum", now()).is_ok());
    tokio::time::advance(Duration::from_secs(121)).await;
    let reason = prices.price_of("ethereum", now()).unwrap_err();
    assert!(reason.contains("chainlink: 3500 was read 121 s ago, at most 120 s"), "{reason}");
}

#[test]
fn rule_14_disagreeing_sources_yield_no_price_and_the_reason_has_the_difference() {
    let reason = price(vec![stub("chainlink", "3500", 20), stub("pyth", "3570", 1)]).unwrap_err();
    assert!(reason.contains("the sources are 1.9802 % apart, at most 1.5 %"), "{reason}");
    assert!(reason.contains("chainlink: 3500, 20 s old; pyth: 3570, 1 s old"), "{reason}");
    // A lying source can stop pricing, but not move the price.
    let sources = vec![stub("a", "3500", 1), stub("b", "3501", 1), stub("c", "35", 1)];
    assert!(price(sources).unwrap_err().contains("apart"));
}

#[test]
fn a_source_without_a_price_is_named_and_does_not_affect_others() {
    let broken = || {
        let result = Err("invalid response".to_owned());
        StubSource("pyth", SourcePrice { result, read_at: Some(Instant::now()) })
    };
    let reason = price(vec![stub("chainlink", "3500", 2), broken()]).unwrap_err();
    assert!(reason.contains("pyth: invalid response"), "{reason}");
    let sources = vec![stub("chainlink", "3500", 2), broken(), stub("coingecko", "3500", 2)];
    assert_eq!(price(sources).as_deref(), Ok("3500"));
}

#[test]
fn wrapped_coins_use_the_price_of_the_underlying_asset() {
    let fixed = |price: &str| {
        let price = price.parse().unwrap();
        Arc::new(FixedSource::new([("ethereum".to_owned(), price)])) as Arc<dyn PriceSource>
    };
    let coins = [(token(1), "ethereum".into()), (token(2), "weth".into()), (token(3), "pepe".into())];
    let prices = MedianPrices::new(vec![fixed("10"), fixed("10.1")], coins, MedianRules::default());
    let price = |chain| prices.usd_price(&token(chain)).map(|price| price.to_string());
    assert_eq!(price(1).as_deref(), Some("10.05"));
    assert_eq!((price(2), prices.unpriced(&token(2))), (price(1), None));
    assert_eq!(price(3), None);
    assert!(prices.unpriced(&token(3)).unwrap().contains("no source covers it"));
    assert!(prices.unpriced(&token(4)).unwrap().contains("not a well-known asset"));
}

proptest! {
    #[test]
    fn the_median_is_between_its_sources_in_any_order(
        mut prices in prop::collection::vec(any::<[u64; 4]>(), 1..6), turn in 0usize..6, spread in any::<u32>(),
    ) {
        let rules = MedianRules { max_spread: spread, min_sources: 1, ..MedianRules::default() };
        let made = |prices: &[[u64; 4]]| {
            let price = |limbs: &[u64; 4]| UsdPrice::from_units(RawAmount::new(U256::from_limbs(*limbs)));
            prices.iter().map(price).collect::<Vec<_>>()
        };
        let one = median_price(made(&prices), &rules);
        let length = prices.len();
        prices.rotate_left(turn % length);
        prop_assert_eq!(one, median_price(made(&prices), &rules));
        if let Ok(median) = one {
            let all = made(&prices);
            prop_assert!(*all.iter().min().unwrap() <= median && median <= *all.iter().max().unwrap());
        }
    }
}
