use std::collections::HashMap;

use alloy_primitives::U256;
use causeway_domain::{Order, OrderStatus, RawAmount, RefundCause, TradeType};
use jiff::SignedDuration;

use super::{Reputation, Reputations};

/// After how many consecutive unfilled orders a filler is suspended …
const SUSPEND_AFTER: u32 = 3;

/// … for this long after the last of them, doubled with each further one …
const MIN_SUSPENSION: SignedDuration = SignedDuration::from_mins(10);

/// … up to this limit.
const MAX_SUSPENSION: SignedDuration = SignedDuration::from_hours(6);

/// Larger price differences are capped.
const MAX_BPS: i32 = 10_000;

/// How each filler's best offer for one ask compares with the median offer, in basis points; positive is better. Empty for
/// fewer than two fillers.
pub(crate) fn compare_prices(trade_type: TradeType, best: &[(usize, U256)]) -> Vec<(usize, i32)> {
    let middle = median(best.iter().map(|(_, amount)| *amount).collect());
    let Some(middle) = middle.filter(|_| best.len() > 1) else { return Vec::new() };
    let compared = best.iter().filter_map(|(filler, amount)| {
        let bps = bps_above(*amount, middle)?;
        Some((*filler, if trade_type == TradeType::ExactInput { bps } else { bps.saturating_neg() }))
    });
    compared.collect()
}

/// How far an amount is above `middle`, in basis points of `middle`, rounded towards zero.
fn bps_above(amount: U256, middle: U256) -> Option<i32> {
    let (larger, smaller) = (amount.max(middle), amount.min(middle));
    let bps = RawAmount::new(larger - smaller).mul_div_floor(U256::from(10_000), middle)?;
    let bps = i32::try_from(bps.get().saturating_to::<u32>()).unwrap_or(i32::MAX).min(MAX_BPS);
    Some(if amount < middle { -bps } else { bps })
}

/// The median; the lower one of two middle values.
pub(super) fn median<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied()
}

/// Reputations from the fillers' ended orders, newest first, and from their average prices.
pub(super) fn score(orders: &[Order], prices: &HashMap<String, i32>) -> Reputations {
    let mut fillers: HashMap<&str, Vec<&Order>> = HashMap::new();
    for order in orders {
        fillers.entry(&order.filler).or_default().push(order);
    }
    let with_price = prices.keys().map(String::as_str);
    let names = fillers.keys().copied().chain(with_price).collect::<std::collections::BTreeSet<_>>();
    Reputations::new(names.into_iter().map(|name| {
        let orders = fillers.get(name).map(Vec::as_slice).unwrap_or_default();
        (name, Reputation { price_bps: prices.get(name).copied(), ..from_orders(orders) })
    }))
}

fn from_orders(newest_first: &[&Order]) -> Reputation {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let newest_first: Vec<&Order> =
        newest_first.iter().copied().filter(|order| !is_payers_fault(order)).collect();
    let filled = newest_first.iter().filter(|order| order.status == OrderStatus::Filled);
    let seconds = filled.clone().filter_map(|order| {
        let (deposit, fill) = (order.evidence.deposit.as_ref()?, order.evidence.fill.as_ref()?);
        Some(u32::try_from(fill.time.saturating_sub(deposit.time)).unwrap_or(u32::MAX))
    });
    // A waiver declines in time and counts neither as a fill nor as a miss.
    let not_waived = newest_first.iter().filter(|order| !was_waived(order));
    let last = not_waived.clone().next();
    let consecutive_unfilled = count(not_waived.clone().take_while(|order| was_left_unfilled(order)).count());
    Reputation {
        orders: count(not_waived.clone().count()),
        filled: count(filled.clone().count()),
        median_seconds: median(seconds.collect()),
        price_bps: None,
        consecutive_unfilled,
        suspended_until: last
            .and_then(|order| order.updated_at.checked_add(suspension(consecutive_unfilled)?).ok()),
    }
}

fn cause(order: &Order) -> Option<RefundCause> {
    order.evidence.refund.as_ref().map(|(_, cause)| *cause)
}

fn was_waived(order: &Order) -> bool {
    order.status == OrderStatus::Refunded && cause(order) == Some(RefundCause::Waived)
}

/// Whether an order was not filled for a reason that its payer controls: anybody can create any number of those.
fn is_payers_fault(order: &Order) -> bool {
    order.status == OrderStatus::Refunded && (order.is_deposit_late() || order.is_unpayable())
}

fn was_left_unfilled(order: &Order) -> bool {
    let too_late = matches!(cause(order), Some(RefundCause::Unfilled | RefundCause::Expired));
    order.status == OrderStatus::Refunded && too_late
}

/// How long a filler is suspended after this many consecutive unfilled orders.
pub(super) fn suspension(consecutive_unfilled: u32) -> Option<SignedDuration> {
    let doublings = consecutive_unfilled.checked_sub(SUSPEND_AFTER)?;
    let factor = 1_i32.checked_shl(doublings).filter(|times| *times > 0).unwrap_or(i32::MAX);
    Some(MIN_SUSPENSION.checked_mul(factor).unwrap_or(MAX_SUSPENSION).min(MAX_SUSPENSION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_compared_with_the_median_of_the_fillers() {
        let amounts = [10_100_u64, 9_900, 10_000].map(U256::from);
        let offers: Vec<_> = amounts.into_iter().enumerate().collect();
        assert_eq!(compare_prices(TradeType::ExactInput, &offers), [(0, 100), (1, -100), (2, 0)]);
        assert_eq!(compare_prices(TradeType::ExactOutput, &offers), [(0, -100), (1, 100), (2, 0)]);
        assert!(compare_prices(TradeType::ExactInput, &offers[..1]).is_empty(), "nothing to compare with");
    }
}
