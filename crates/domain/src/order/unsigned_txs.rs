use super::Order;

/// How many transactions are stored. Each is valid for about a minute.
const MAX_STORED: usize = 8;

impl Order {
    /// Stores a transaction that the payer is asked to sign, newest first.
    pub fn record_unsigned_tx(&mut self, transaction: &[u8]) {
        let mut stored = vec![transaction];
        stored.extend(self.unsigned_txs().into_iter().filter(|earlier| *earlier != transaction));
        stored.truncate(MAX_STORED);
        let packed = stored.into_iter().filter_map(|one| {
            let length = u16::try_from(one.len()).ok()?;
            Some([&length.to_be_bytes(), one].concat())
        });
        self.built = Some(packed.flatten().collect());
    }

    /// The transactions that the payer was asked to sign, newest first.
    pub fn unsigned_txs(&self) -> Vec<&[u8]> {
        let mut transactions = Vec::new();
        let mut rest = self.built.as_deref().unwrap_or_default();
        while let Some((length, after)) = rest.split_first_chunk::<2>() {
            let length = usize::from(u16::from_be_bytes(*length));
            let Some((one, after)) = after.split_at_checked(length) else { break };
            transactions.push(one);
            rest = after;
        }
        transactions
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::MAX_STORED;
    use crate::sample::order;

    #[test]
    fn transactions_are_newest_first_without_duplicates() {
        let mut order = order();
        assert!(order.unsigned_txs().is_empty());
        for transaction in [&[1][..], &[2, 2], &[1]] {
            order.record_unsigned_tx(transaction);
        }
        assert_eq!(order.unsigned_txs(), [&[1][..], &[2, 2]]);
    }

    proptest! {
        #[test]
        fn the_newest_transactions_are_read_back(given in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20)) {
            let mut order = order();
            for transaction in &given {
                order.record_unsigned_tx(transaction);
            }
            let mut newest: Vec<&[u8]> = Vec::new();
            for transaction in given.iter().rev() {
                if !newest.contains(&transaction.as_slice()) {
                    newest.push(transaction);
                }
            }
            newest.truncate(MAX_STORED);
            prop_assert_eq!(order.unsigned_txs(), newest);
        }

        #[test]
        fn any_bytes_are_read_without_panic(built in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut order = order();
            order.built = Some(built);
            let _ = order.unsigned_txs();
        }
    }
}
