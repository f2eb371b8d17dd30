use std::sync::Arc;

use alloy_primitives::U256;
use causeway_domain::{ChainId, Family};
use causeway_engine::{CompareGas, GasTotals};
use causeway_http::Metrics;

/// A counter's name, its help text and how it is read.
type Counter = (&'static str, &'static str, fn(ChainId, &GasTotals) -> u64);

/// Registers how often and by how much gas was dearer than orders were charged for it.
pub(crate) fn watch_gas(metrics: &Metrics, compare_gas: &Arc<CompareGas>) {
    let counters: [Counter; 4] = [
        ("gas_orders", "Orders whose transaction of this kind is final", |_, totals| totals.orders),
        ("gas_overruns", "Those of them whose transaction cost more than they were charged", |_, totals| {
            totals.overruns
        }),
        ("gas_charged_gwei", "What they were charged, in billionths of the chain's coin", |chain, totals| {
            billionths(chain, totals.charged)
        }),
        (
            "gas_spent_gwei",
            "What their transactions cost, in billionths of the chain's coin",
            |chain, totals| billionths(chain, totals.spent),
        ),
    ];
    for (name, help, value) in counters {
        let compare_gas = Arc::clone(compare_gas);
        let read = move || {
            let totals = compare_gas.totals().into_iter();
            let labelled = totals.map(|((chain, kind), totals)| {
                ([chain.to_string(), kind.as_str().to_owned()], value(chain, &totals))
            });
            labelled.collect()
        };
        metrics.register_counters(name, help, ["chain", "kind"], read);
    }
}

/// Billionths of a coin, rounded down: coins have 18 decimals on EVM chains and 9 on Solana.
fn billionths(chain: ChainId, amount: U256) -> u64 {
    let whole = match chain.family() {
        Family::Evm => amount / U256::from(1_000_000_000),
        Family::Solana | Family::Bitcoin | Family::Tron => amount,
    };
    u64::try_from(whole).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use causeway_domain::SOLANA_CHAIN_ID;

    use super::*;

    #[test]
    fn amounts_are_shown_in_billionths_of_a_coin() {
        let base = ChainId::new(8_453).unwrap();
        assert_eq!(billionths(base, U256::from(1_999_999_999_u64)), 1);
        assert_eq!(billionths(SOLANA_CHAIN_ID, U256::from(5_000)), 5_000);
        assert_eq!(billionths(SOLANA_CHAIN_ID, U256::MAX), u64::MAX);
    }
}
