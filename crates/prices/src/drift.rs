use std::collections::HashMap;
use std::sync::Arc;

use alloy_primitives::U256;
use causeway_domain::ports::PriceFeed;
use causeway_domain::{RawAmount, TokenId, UsdPrice};
use jiff::Timestamp;

/// Seconds between price changes.
const STEP: i64 = 3;

/// Superposed waves: the period in steps, and the weight.
const WAVES: [(i64, i64); 3] = [(600, 6), (90, 3), (10, 1)];

/// Sum of the weights.
const TOTAL_WEIGHT: i64 = 10;

/// Maximum height of a wave; the scale of all arithmetic.
const SCALE: i64 = 1_000_000;

/// How a token's price moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volatility {
    /// Tokens of one group move together.
    pub group: u64,
    /// Maximum deviation from the base price, in millionths.
    pub amplitude: u32,
}

/// Sandbox prices that move around those of another feed. They depend on time alone, so that all replicas agree.
pub struct DriftingPrices {
    around: Arc<dyn PriceFeed>,
    volatilities: HashMap<TokenId, Volatility>,
    seed: u64,
}

impl std::fmt::Debug for DriftingPrices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DriftingPrices").field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl DriftingPrices {
    /// Tokens without a volatility have a fixed price.
    pub fn new(
        around: Arc<dyn PriceFeed>,
        volatilities: impl IntoIterator<Item = (TokenId, Volatility)>,
        seed: u64,
    ) -> Self {
        Self { around, volatilities: volatilities.into_iter().collect(), seed }
    }

    /// The price at a time, rounded down.
    pub fn price_at(&self, token: &TokenId, at: Timestamp) -> Option<UsdPrice> {
        let middle = self.around.usd_price(token)?;
        let Some(volatility) = self.volatilities.get(token) else { return Some(middle) };
        let height = height(self.seed, volatility.group, at.as_second().div_euclid(STEP));
        // Both factors are at most a million, so the price cannot become negative.
        let amplitude = i64::from(volatility.amplitude.min(1_000_000));
        let moved = SCALE.saturating_mul(SCALE).saturating_add(amplitude.saturating_mul(height));
        let moved = U256::from(u64::try_from(moved).unwrap_or(0));
        let scale = U256::from(SCALE.unsigned_abs().saturating_mul(SCALE.unsigned_abs()));
        let units: RawAmount = middle.units().mul_div_floor(moved, scale)?;
        Some(UsdPrice::from_units(units))
    }
}

impl PriceFeed for DriftingPrices {
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
        self.price_at(token, Timestamp::now())
    }
}

/// The height of a group at a step, between minus and plus [`SCALE`].
fn height(seed: u64, group: u64, step: i64) -> i64 {
    let waves = WAVES.into_iter().zip(1u64..).map(|((length, part), number)| {
        let (crest, way) = (step.div_euclid(length), step.rem_euclid(length));
        let crest_height = |crest: i64| crest_height(seed ^ mix(group) ^ mix(number).rotate_left(32), crest);
        // Linear interpolation between crests; fits 64 bits, because a height is below 2^20 and a period below 2^10.
        let along = crest_height(crest) * (length - way) + crest_height(crest.saturating_add(1)) * way;
        along / length * part
    });
    waves.sum::<i64>() / TOTAL_WEIGHT
}

/// The pseudo-random height of one crest.
fn crest_height(source: u64, crest: i64) -> i64 {
    let random = mix(source ^ mix(crest.cast_unsigned()));
    let span = 2 * SCALE.unsigned_abs() + 1;
    i64::try_from(random % span).unwrap_or(0) - SCALE
}

/// Mixes the bits of a number (the finalizer of `SplitMix64`).
const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use causeway_domain::ChainId;
    use proptest::prelude::*;

    use super::*;
    use crate::FixedPrices;

    fn token(chain: u64) -> TokenId {
        TokenId::native(ChainId::new(chain).unwrap())
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// Ether on two chains, a stablecoin and a token with a fixed price.
    fn prices(seed: u64) -> DriftingPrices {
        let table = [(1, "3500"), (10, "3500"), (20, "1"), (30, "7")];
        let table = table.map(|(chain, price)| (token(chain), price.parse().unwrap()));
        let ether = Volatility { group: 1, amplitude: 10_000 };
        let dollar = Volatility { group: 2, amplitude: 200 };
        let volatilities = [(token(1), ether), (token(10), ether), (token(20), dollar)];
        DriftingPrices::new(Arc::new(FixedPrices::new(table)), volatilities, seed)
    }

    proptest! {
        #[test]
        fn prices_stay_near_the_table_and_equal_within_a_group(seed in any::<u64>(), second in 0i64..4_000_000_000) {
            let prices = prices(seed);
            let price = |chain| prices.price_at(&token(chain), at(second)).unwrap();
            let between = |price: UsdPrice, low: &str, high: &str| {
                price >= low.parse().unwrap() && price <= high.parse().unwrap()
            };
            prop_assert!(between(price(1), "3465", "3535"), "{}", price(1));
            prop_assert!(between(price(20), "0.9998", "1.0002"), "{}", price(20));
            prop_assert_eq!(price(1), price(10));
            prop_assert_eq!(price(30).to_string(), "7");
        }

        #[test]
        fn a_step_is_small(seed in any::<u64>(), second in 0i64..4_000_000_000) {
            let prices = prices(seed);
            let price = |second| prices.price_at(&token(1), at(second)).unwrap().units().get();
            // The shortest wave, a tenth of the whole, crosses its full height in ten steps.
            let change = price(second).abs_diff(price(second + STEP));
            prop_assert!(change < price(second) / U256::from(2_500));
        }
    }

    #[test]
    fn prices_move_every_few_seconds_and_every_replica_agrees() {
        let (one, other) = (prices(7), prices(7));
        let seen: Vec<_> =
            (0..100).map(|step| one.price_at(&token(1), at(1_790_000_001 + step * STEP))).collect();
        let again: Vec<_> =
            (0..100).map(|step| other.price_at(&token(1), at(1_790_000_001 + step * STEP))).collect();
        assert_eq!(seen, again);
        assert!(seen.windows(2).filter(|pair| pair[0] != pair[1]).count() > 90);
        assert_ne!(prices(8).price_at(&token(1), at(1_790_000_001)), seen[0]);
    }

    #[test]
    fn prices_move_both_ways_within_the_amplitude() {
        let prices = prices(7);
        let day =
            (0..28_800).map(|step| prices.price_at(&token(1), at(1_790_000_000 + step * STEP)).unwrap());
        let (low, high) =
            day.fold((None, None), |(low, high): (Option<UsdPrice>, Option<UsdPrice>), price| {
                (
                    Some(low.map_or(price, |low| low.min(price))),
                    Some(high.map_or(price, |high| high.max(price))),
                )
            });
        assert!(low.unwrap() < "3490".parse().unwrap() && high.unwrap() > "3510".parse().unwrap());
    }

    #[test]
    fn unknown_tokens_have_no_price() {
        assert_eq!(prices(7).usd_price(&token(99)), None);
        assert!(prices(7).usd_price(&token(1)).is_some());
    }
}
