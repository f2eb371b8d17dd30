//! Pagination of orders. A cursor is the key of the last order of a page.

use causeway_domain::{Order, RowKey};

pub(crate) const DEFAULT: usize = 20;
pub(crate) const MAX: usize = 100;

/// Fetches one row more than the page holds, to know whether another page follows.
pub(crate) fn fetch_limit(limit: usize) -> u32 {
    u32::try_from(limit).unwrap_or(u32::MAX).saturating_add(1)
}

/// The row key of a cursor.
pub(crate) fn cursor_key(cursor: Option<u64>) -> Option<RowKey> {
    RowKey::new(i64::try_from(cursor?).ok()?)
}

/// Truncates the rows to the page and returns the cursor of the next page, if any.
pub(crate) fn next_cursor(orders: &mut Vec<Order>, limit: usize) -> Option<u64> {
    let is_last = orders.len() <= limit;
    orders.truncate(limit);
    orders.last().filter(|_| !is_last).map(|order| order.key.get().unsigned_abs())
}
