use std::collections::HashMap;

use alloy_primitives::U256;
use causeway_domain::{Order, OrderStatus, Quote, RefundCause, Route, TradeType};
use jiff::SignedDuration;

use super::{Standing, Standings};

/// From so many orders in a row that it left unfilled, a filler rests …
const LEFT: u32 = 3;

/// … for so long after the last of them, twice as long with each further one …
const REST: SignedDuration = SignedDuration::from_mins(10);

/// … and no longer than this.
const LONGEST_REST: SignedDuration = SignedDuration::from_hours(6);

/// A difference of more than this is no price any more.
const MOST_BPS: i32 = 10_000;

/// How each filler's offer of a quote compares with the median of them, in hundredths of a percent; above zero is better. A
/// quote with one offer compares nobody.
pub(super) fn compare(quote: &Quote) -> Vec<(String, i32)> {
    let input = quote.ask.trade_type == TradeType::ExactInput;
    let amount = |route: &Route| if input { route.amount_out.get() } else { route.amount_in.get() };
    // Of each filler its best.
    let mut best: HashMap<&str, U256> = HashMap::new();
    for route in &quote.routes {
        let (amount, known) = (amount(route), best.get(route.filler.as_str()));
        if known.is_none_or(|known| if input { amount > *known } else { amount < *known }) {
            best.insert(&route.filler, amount);
        }
    }
    let Some(middle) = median(best.values().copied().collect()).filter(|_| best.len() > 1) else {
        return Vec::new();
    };
    let compared = best.into_iter().filter_map(|(filler, amount)| {
        let bps = bps_above(amount, middle)?;
        Some((filler.to_owned(), if input { bps } else { bps.saturating_neg() }))
    });
    compared.collect()
}

/// By how much of `middle` an amount is above it, rounded towards zero.
fn bps_above(amount: U256, middle: U256) -> Option<i32> {
    let (larger, smaller) = (amount.max(middle), amount.min(middle));
    let bps = (larger - smaller).checked_mul(U256::from(10_000))?.checked_div(middle)?;
    let bps = i32::try_from(bps.saturating_to::<u32>()).unwrap_or(i32::MAX).min(MOST_BPS);
    Some(if amount < middle { -bps } else { bps })
}

/// The lower of the two in the middle where there are two.
pub(super) fn median<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied()
}

/// What the fillers' ended orders, newest first, and the comparisons of their prices make of their names.
pub(super) fn judge(orders: &[Order], prices: &[(String, i32)]) -> Standings {
    let mut fillers: HashMap<&str, Vec<&Order>> = HashMap::new();
    for order in orders {
        fillers.entry(&order.filler).or_default().push(order);
    }
    let mut by_price: HashMap<&str, Vec<i32>> = HashMap::new();
    for (filler, bps) in prices {
        by_price.entry(filler).or_default().push(*bps);
    }
    let names = fillers.keys().chain(by_price.keys()).copied().collect::<std::collections::BTreeSet<_>>();
    Standings::of(names.into_iter().map(|name| {
        let orders = fillers.get(name).map(Vec::as_slice).unwrap_or_default();
        let price_bps = by_price.remove(name).and_then(median);
        (name, Standing { price_bps, ..of_orders(orders) })
    }))
}

fn of_orders(newest_first: &[&Order]) -> Standing {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let newest_first: Vec<&Order> =
        newest_first.iter().copied().filter(|order| !is_the_payers_doing(order)).collect();
    let filled = newest_first.iter().filter(|order| order.status == OrderStatus::Filled);
    let seconds = filled.clone().filter_map(|order| {
        let (deposit, fill) = (order.evidence.deposit.as_ref()?, order.evidence.fill.as_ref()?);
        Some(u32::try_from(fill.time.saturating_sub(deposit.time)).unwrap_or(u32::MAX))
    });
    // Who waives says no in time, which is neither a delivery nor a broken word.
    let mut left = newest_first.iter().filter(|order| !was_waived(order));
    let last = left.clone().next();
    let left_in_a_row = count(left.by_ref().take_while(|order| was_left(order)).count());
    Standing {
        orders: count(newest_first.len()),
        filled: count(filled.clone().count()),
        median_seconds: median(seconds.collect()),
        price_bps: None,
        left_in_a_row,
        rests_until: last.and_then(|order| order.updated_at.checked_add(rest(left_in_a_row)?).ok()),
    }
}

fn cause(order: &Order) -> Option<RefundCause> {
    order.evidence.refund.as_ref().map(|(_, cause)| *cause)
}

fn was_waived(order: &Order) -> bool {
    order.status == OrderStatus::Refunded && cause(order) == Some(RefundCause::Waived)
}

/// Whether an order was not delivered for a reason that its payer has chosen: anybody may have any number of those.
fn is_the_payers_doing(order: &Order) -> bool {
    order.status == OrderStatus::Refunded && (order.came_late() || order.is_unpayable())
}

fn was_left(order: &Order) -> bool {
    let too_late = matches!(cause(order), Some(RefundCause::Unfilled | RefundCause::Expired));
    order.status == OrderStatus::Refunded && too_late
}

/// How long who left so many in a row is not asked.
pub(super) fn rest(left_in_a_row: u32) -> Option<SignedDuration> {
    let further = left_in_a_row.checked_sub(LEFT)?;
    let doubled = 1_i32.checked_shl(further).filter(|times| *times > 0).unwrap_or(i32::MAX);
    Some(REST.checked_mul(doubled).unwrap_or(LONGEST_REST).min(LONGEST_REST))
}
