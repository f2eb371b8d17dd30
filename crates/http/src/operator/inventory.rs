//! What our own fillers hold, by chain, with marks where it runs low.

use std::collections::BTreeMap;

use causeway_domain::{ChainId, TokenId};
use serde_json::{Value, json};

use crate::App;
use crate::metrics;

/// Coins of a chain that are worth less, in dollars, soon pay no gas any more.
const LOW_GAS_USD: i64 = 20;
/// Tokens of a chain that are worth less in all, in dollars, deliver next to nothing.
const LOW_STOCK_USD: i64 = 100;
/// How many tokens of a chain are named.
const NAMED: usize = 3;

/// A token with its value in dollars.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    symbol: Option<String>,
    usd: i64,
    is_coin: bool,
}

/// What each filler holds on each chain, free of reservations.
pub(super) fn inventory(app: &App) -> Vec<Value> {
    let snapshot = app.catalog.snapshot();
    let mut places: BTreeMap<(String, u64), Vec<Held>> = BTreeMap::new();
    for metrics::Value { labels, value } in app.metrics.values("inventory_usd") {
        let label = |name: &str| labels.get(name).map(String::as_str).unwrap_or_default();
        let Some(chain) = label("chain").parse().ok().and_then(ChainId::new) else { continue };
        let Some(token) = TokenId::new(chain, label("token")).ok() else { continue };
        let held = Held {
            symbol: snapshot.token(&token).map(|listed| listed.token.symbol.clone()),
            usd: value,
            is_coin: token.is_native(),
        };
        places.entry((label("filler").to_owned(), chain.get())).or_default().push(held);
    }
    places.into_iter().map(|((filler, chain), held)| row(&filler, chain, held)).collect()
}

fn row(filler: &str, chain: u64, mut held: Vec<Held>) -> Value {
    held.sort_by_key(|one| std::cmp::Reverse(one.usd));
    // What cannot be read or priced is missing, which says nothing about it.
    let sum = |is_coin: bool| {
        held.iter().filter(|one| one.is_coin == is_coin).map(|one| one.usd).reduce(i64::saturating_add)
    };
    let (gas, stock) = (sum(true), sum(false));
    let largest = held.iter().filter(|one| !one.is_coin && one.usd > 0).take(NAMED);
    json!({
        "filler": filler,
        "chainId": chain,
        "gasUsd": gas,
        "isGasLow": gas.is_some_and(|usd| usd < LOW_GAS_USD),
        "stockUsd": stock,
        "isStockLow": stock.is_some_and(|usd| usd < LOW_STOCK_USD),
        "largest": largest.map(|one| json!({ "symbol": one.symbol, "usd": one.usd })).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gas_and_stock_are_marked_where_they_run_low() {
        let held = |symbol: &str, usd, is_coin| Held { symbol: Some(symbol.to_owned()), usd, is_coin };
        let well =
            row("north", 8453, vec![held("ETH", 20, true), held("DAI", 40, false), held("USDC", 60, false)]);
        assert_eq!(
            well,
            json!({
                "filler": "north", "chainId": 8453, "gasUsd": 20, "isGasLow": false, "stockUsd": 100, "isStockLow": false,
                "largest": [{ "symbol": "USDC", "usd": 60 }, { "symbol": "DAI", "usd": 40 }],
            })
        );
        let low = row("north", 8453, vec![held("ETH", 19, true), held("USDC", 99, false)]);
        assert_eq!((&low["isGasLow"], &low["isStockLow"]), (&json!(true), &json!(true)));
    }

    #[test]
    fn what_could_not_be_read_is_not_said_to_be_low() {
        let unread = row("north", 8453, vec![Held { symbol: None, usd: 5_000, is_coin: false }]);
        assert_eq!((&unread["gasUsd"], &unread["isGasLow"]), (&Value::Null, &json!(false)));
    }

    #[test]
    fn a_chain_names_its_largest_tokens_and_sums_cannot_overflow() {
        let tokens = (0..5).map(|number| Held { symbol: None, usd: i64::MAX - number, is_coin: false });
        let all = row("north", 1, tokens.collect());
        assert_eq!(all["largest"].as_array().unwrap().len(), NAMED);
        assert_eq!(all["stockUsd"], i64::MAX);
    }
}
