use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use solana_signature::Signature;

use super::record::Record;

/// The newest landed transactions; older ones are pruned.
#[derive(Clone, Debug)]
pub(crate) struct History {
    limit: usize,
    records: VecDeque<Arc<Record>>,
    by_signature: HashMap<Signature, Arc<Record>>,
}

impl History {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit: limit.max(1), records: VecDeque::new(), by_signature: HashMap::new() }
    }

    pub(crate) fn push(&mut self, record: Record) {
        let record = Arc::new(record);
        self.by_signature.insert(record.signature, Arc::clone(&record));
        self.records.push_back(record);
        if self.records.len() > self.limit
            && let Some(oldest) = self.records.pop_front()
        {
            self.by_signature.remove(&oldest.signature);
        }
    }

    pub(crate) fn get(&self, signature: &Signature) -> Option<&Arc<Record>> {
        self.by_signature.get(signature)
    }

    pub(crate) fn oldest_first(&self) -> impl DoubleEndedIterator<Item = &Arc<Record>> {
        self.records.iter()
    }

    /// The transactions of one slot in their order.
    pub(crate) fn of_slot(&self, slot: u64) -> impl Iterator<Item = &Arc<Record>> {
        let start = self.records.partition_point(|record| record.slot < slot);
        self.records.range(start..).take_while(move |record| record.slot == slot)
    }

    /// Removes the transactions of slots that are no longer part of the chain.
    pub(crate) fn remove_slots(&mut self, slots: &[u64]) {
        self.records.retain(|record| !slots.contains(&record.slot));
        self.by_signature.retain(|_, record| !slots.contains(&record.slot));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solana::ledger::record::Effects;

    fn record(number: u8, slot: u64) -> Record {
        Record {
            slot,
            time: 0,
            index: 0,
            signature: Signature::from([number; 64]),
            keys: Vec::new(),
            loaded: (0, 0),
            wire: Vec::new(),
            error: None,
            memo: None,
            effects: Effects::default(),
        }
    }

    #[test]
    fn oldest_transaction_is_pruned_first() {
        let mut history = History::new(2);
        for number in 1..=3 {
            history.push(record(number, number.into()));
        }
        assert!(history.get(&Signature::from([1; 64])).is_none());
        assert!(history.get(&Signature::from([3; 64])).is_some());
        assert_eq!(history.oldest_first().count(), 2);
    }

    #[test]
    fn transactions_of_an_abandoned_slot_are_dropped() {
        let mut history = History::new(9);
        for number in 1..=4 {
            history.push(record(number, u64::from(number) / 2));
        }
        history.remove_slots(&[1]);
        assert_eq!(history.of_slot(1).count(), 0);
        assert_eq!(history.of_slot(2).count(), 1);
        assert!(history.get(&Signature::from([2; 64])).is_none());
    }
}
