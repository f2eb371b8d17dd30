//! Pages of orders: a cursor is the key of the last one shown.

use causeway_domain::{Order, RowKey};

pub(crate) const DEFAULT: usize = 20;
pub(crate) const MAX: usize = 100;

/// One more than the page holds tells whether there is another page.
pub(crate) fn one_more(limit: usize) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX).saturating_add(1)
}

/// The key that a cursor stands for.
pub(crate) fn cursor_key(cursor: Option<u64>) -> Option<RowKey> {
    RowKey::new(i64::try_from(cursor?).ok()?)
}

/// Cuts what was read down to the page, and tells where the next begins.
pub(crate) fn next_cursor(orders: &mut Vec<Order>, limit: usize) -> Option<u64> {
    let is_last = orders.len() <= limit;
    orders.truncate(limit);
    orders.last().filter(|_| !is_last).map(|order| order.key.get().unsigned_abs())
}
