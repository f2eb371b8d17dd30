use std::collections::BTreeSet;

use causeway_catalog::Catalog;

use super::{Finding, words};
use crate::boot::config::{Config, Mode};
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::market_makers::MarketMakerSpec;
use crate::boot::parts::prices::read_once;

const AREA: &str = "prices";

/// Coins that every pair needs: gas is paid in one, and most orders are in the other.
const USUAL: [&str; 2] = ["ethereum", "usd-coin"];

/// Whether every source answers, and the coins of the market makers have a price.
pub(super) async fn examine(
    config: &Config,
    catalog: &Catalog,
    clients: &ChainClients,
    makers: &[MarketMakerSpec],
) -> Vec<Finding> {
    if config.mode == Mode::Sandbox {
        return Vec::new();
    }
    let mut coins: BTreeSet<String> = USUAL.map(str::to_owned).into();
    coins.extend(makers.iter().flat_map(|maker| maker.coins.iter().cloned()));
    let reading = match read_once(config, catalog, clients, coins).await {
        Ok(reading) => reading,
        Err(error) => return vec![Finding::new(AREA, "sources", Err(words(&error)))],
    };
    let sources = reading.sources.into_iter().map(|(name, outcome)| {
        Finding::new(AREA, format!("prices.{name}"), outcome.map(|()| "it answers".to_owned()))
    });
    let coins = reading
        .coins
        .into_iter()
        .map(|(coin, price)| Finding::new(AREA, coin, price.map(|price| format!("one costs ${price}"))));
    sources.chain(coins).collect()
}
