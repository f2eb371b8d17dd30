use std::collections::HashMap;

use causeway_domain::ports::PriceFeed;
use causeway_domain::{TokenId, UsdPrice};

/// Prices from a fixed table.
#[derive(Debug, Default)]
pub struct FixedPrices(HashMap<TokenId, UsdPrice>);

impl FixedPrices {
    pub fn new(prices: impl IntoIterator<Item = (TokenId, UsdPrice)>) -> Self {
        Self(prices.into_iter().collect())
    }
}

impl PriceFeed for FixedPrices {
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
        self.0.get(token).copied()
    }
}
