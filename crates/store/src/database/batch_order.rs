//! The order in which the writes of a batch lock rows.
//!
//! Replicas that lock the same rows in one order wait for each other, and never in a circle. The server breaks a circle too, but
//! only after a second, in which neither replica writes anything.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// When a write runs among those of its batch: by the table whose rows it locks, then by the row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Turn(Locked, u64);

/// What writes lock, in the order in which batches do. What many orders share comes late: it is locked until the commit, and other
/// replicas wait for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Locked {
    #[default]
    Other,
    /// All of a batch are locked before its first write.
    Orders,
    Purchases,
    Outbox,
    Fees,
    Outflows,
    Books,
    Reservations,
    ClaimBatches,
    Losses,
    Cursors,
    /// What skips locked rows waits for nobody.
    Skipping,
}

impl Turn {
    /// The turn of a write that locks this row. Any order of the rows does, if all processes have the same.
    pub(crate) fn of(locked: Locked, row: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        row.hash(&mut hasher);
        Self(locked, hasher.finish())
    }

    /// The turn of a write that locks nothing but rows of orders.
    pub(crate) const fn orders() -> Self {
        Self(Locked::Orders, 0)
    }
}

/// The rows of orders that the writes of a batch change. Several kinds of writes change them, some know an order by its intent only,
/// and some change many: they are locked together, before anything else.
#[derive(Debug, Default)]
pub(crate) struct OrderRows {
    ids: BTreeSet<String>,
    intents: BTreeSet<String>,
}

impl OrderRows {
    pub(crate) fn add(&mut self, id: &str) {
        self.ids.insert(id.to_owned());
    }

    pub(crate) fn add_intent(&mut self, intent: &str) {
        self.intents.insert(intent.to_owned());
    }

    pub(crate) fn ids(&self) -> Vec<&str> {
        self.ids.iter().map(String::as_str).collect()
    }

    pub(crate) fn intents(&self) -> Vec<&str> {
        self.intents.iter().map(String::as_str).collect()
    }

    /// Whether they have to be locked in advance, for writes in these turns. A write of one order that locks nothing else waits at
    /// most once, before it holds anything.
    pub(crate) fn need_lock(&self, turns: &[Turn]) -> bool {
        match self.ids.len().saturating_add(self.intents.len()) {
            0 => false,
            1 => turns != [Turn::orders()],
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(ids: &[&str], intents: &[&str]) -> OrderRows {
        let mut rows = OrderRows::default();
        for id in ids {
            rows.add(id);
        }
        for intent in intents {
            rows.add_intent(intent);
        }
        rows
    }

    #[test]
    fn what_many_orders_share_has_a_late_turn() {
        let book = Turn::of(Locked::Books, ("maker", "usdc"));
        assert_eq!(book, Turn::of(Locked::Books, ("maker", "usdc")));
        assert_ne!(book, Turn::of(Locked::Books, ("maker", "eth")));
        assert!(Turn::default() < Turn::orders() && Turn::orders() < book);
        assert!(
            book < Turn::of(Locked::Cursors, 1)
                && Turn::of(Locked::Cursors, 1) < Turn::of(Locked::Skipping, 0)
        );
    }

    #[test]
    fn only_a_lone_write_of_one_order_locks_nothing_in_advance() {
        let (order, cursor) = (Turn::orders(), Turn::of(Locked::Cursors, 1));
        assert!(!rows(&["a"], &[]).need_lock(&[order]));
        assert!(!rows(&[], &[]).need_lock(&[cursor, cursor]));
        assert!(rows(&["a"], &[]).need_lock(&[order, cursor]));
        assert!(rows(&["a", "b"], &[]).need_lock(&[order]));
        // Facts lock a cursor too.
        assert!(rows(&[], &["a"]).need_lock(&[cursor]));
    }
}
