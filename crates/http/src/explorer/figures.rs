use std::collections::BTreeMap;

use causeway_domain::{Order, OrderStatus, RawAmount, TokenId, UsdAmount};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Bars of the charts.
const BUCKETS: usize = 24;

/// Orders that ended, counted.
#[derive(Debug, Default)]
struct Count {
    filled: u64,
    refunded: u64,
    /// Cents of what was paid for filled orders, each rounded down; orders without a price count nothing.
    cents: RawAmount,
    /// From the deposit's block to the fill's.
    seconds: Vec<u64>,
}

impl Count {
    fn add(&mut self, order: &Order, value: Option<UsdAmount>) {
        if order.status != OrderStatus::Filled {
            self.refunded = self.refunded.saturating_add(1);
            return;
        }
        self.filled = self.filled.saturating_add(1);
        if let Some(sum) = value.and_then(|value| self.cents.checked_add(value.cents())) {
            self.cents = sum;
        }
        let (deposit, fill) = (order.evidence.deposit.as_ref(), order.evidence.fill.as_ref());
        self.seconds.extend(deposit.zip(fill).map(|(deposit, fill)| fill.time.saturating_sub(deposit.time)));
    }

    fn to_json(&self) -> Value {
        json!({
            "orders": self.filled.saturating_add(self.refunded),
            "filled": self.filled,
            "refunded": self.refunded,
            "volumeUsd": UsdAmount::from_cents(self.cents).to_string(),
            "medianSeconds": median(&self.seconds),
        })
    }
}

/// The lower of the two middle values of an even number.
fn median(values: &[u64]) -> Option<u64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

/// What the orders of a time have in common.
pub(super) struct Figures {
    all: Count,
    pairs: BTreeMap<(TokenId, TokenId), Count>,
    buckets: Vec<(Timestamp, Count)>,
}

impl Figures {
    /// Counts orders that ended between the two times.
    pub(super) fn of(
        orders: &[Order],
        since: Timestamp,
        now: Timestamp,
        value: impl Fn(&TokenId, RawAmount) -> Option<UsdAmount>,
    ) -> Self {
        let (start, end) = (since.as_millisecond(), now.as_millisecond());
        let buckets = i64::try_from(BUCKETS).unwrap_or(1);
        let width = end.saturating_sub(start).checked_div(buckets).unwrap_or(1).max(1);
        let begins = (0..buckets).map(|at| start.saturating_add(width.saturating_mul(at)));
        let begins = begins.map(|at| Timestamp::from_millisecond(at).unwrap_or(now));
        let mut figures = Self {
            all: Count::default(),
            pairs: BTreeMap::new(),
            buckets: begins.map(|at| (at, Count::default())).collect(),
        };
        for order in orders {
            let value = value(&order.from, order.src_amount);
            figures.all.add(order, value);
            figures.pairs.entry((order.from, order.to)).or_default().add(order, value);
            let at = order.updated_at.as_millisecond().saturating_sub(start).checked_div(width).unwrap_or(0);
            let at = usize::try_from(at).unwrap_or(0).min(BUCKETS.saturating_sub(1));
            if let Some((_, bucket)) = figures.buckets.get_mut(at) {
                bucket.add(order, value);
            }
        }
        figures
    }

    pub(super) fn to_json(
        &self,
        hours: u64,
        is_cut: bool,
        symbol: impl Fn(&TokenId) -> Option<String>,
    ) -> Value {
        let side = |token: &TokenId| json!({ "chainId": token.chain().get(), "token": token.address().to_string(), "symbol": symbol(token) });
        let mut pairs: Vec<_> = self.pairs.iter().collect();
        pairs.sort_by_key(|(_, count)| std::cmp::Reverse(count.filled.saturating_add(count.refunded)));
        let pairs = pairs.into_iter().map(|((from, to), count)| {
            let mut pair = count.to_json();
            pair["from"] = side(from);
            pair["to"] = side(to);
            pair
        });
        let series = self.buckets.iter().map(|(at, count)| {
            let mut bar = count.to_json();
            bar["at"] = json!(at.to_string());
            bar
        });
        let mut figures = self.all.to_json();
        figures["hours"] = json!(hours);
        figures["isCut"] = json!(is_cut);
        figures["pairs"] = pairs.collect();
        figures["series"] = series.collect();
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_lower_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7]), Some(7));
        assert_eq!(median(&[9, 1, 4, 2]), Some(2));
        assert_eq!(median(&[9, 1, 4]), Some(4));
    }

    #[test]
    fn nothing_ended_gives_empty_bars() {
        let since: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let now: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
        let figures = Figures::of(&[], since, now, |_, _| None).to_json(24, false, |_| None);
        assert_eq!(figures["orders"], 0);
        assert_eq!(figures["volumeUsd"], "0.00");
        assert_eq!(figures["medianSeconds"], Value::Null);
        let series = figures["series"].as_array().unwrap();
        assert_eq!(series.len(), BUCKETS);
        assert_eq!(series[1]["at"], "2026-11-15T13:00:00Z");
    }
}
