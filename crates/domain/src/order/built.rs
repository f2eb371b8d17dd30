use super::Order;

/// How many transactions are kept: each lives for a minute or so, and nobody needs more in that time.
const KEPT: usize = 8;

impl Order {
    /// Keeps a transaction that the payer is given to sign, before those that it was given earlier.
    pub fn give_to_sign(&mut self, transaction: &[u8]) {
        let mut kept = vec![transaction];
        kept.extend(self.given_to_sign().into_iter().filter(|earlier| *earlier != transaction));
        kept.truncate(KEPT);
        let packed = kept.into_iter().filter_map(|one| {
            let length = u16::try_from(one.len()).ok()?;
            Some([&length.to_be_bytes(), one].concat())
        });
        self.built = Some(packed.flatten().collect());
    }

    /// The transactions that the payer was given to sign, newest first.
    pub fn given_to_sign(&self) -> Vec<&[u8]> {
        let mut given = Vec::new();
        let mut rest = self.built.as_deref().unwrap_or_default();
        while let Some((length, after)) = rest.split_first_chunk::<2>() {
            let length = usize::from(u16::from_be_bytes(*length));
            let Some((one, after)) = after.split_at_checked(length) else { break };
            given.push(one);
            rest = after;
        }
        given
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::KEPT;
    use crate::sample::order;

    #[test]
    fn what_was_given_last_comes_first_and_nothing_comes_twice() {
        let mut order = order();
        assert!(order.given_to_sign().is_empty());
        for transaction in [&[1][..], &[2, 2], &[1]] {
            order.give_to_sign(transaction);
        }
        assert_eq!(order.given_to_sign(), [&[1][..], &[2, 2]]);
    }

    proptest! {
        #[test]
        fn the_newest_read_back(given in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..20)) {
            let mut order = order();
            for transaction in &given {
                order.give_to_sign(transaction);
            }
            let mut newest: Vec<&[u8]> = Vec::new();
            for transaction in given.iter().rev() {
                if !newest.contains(&transaction.as_slice()) {
                    newest.push(transaction);
                }
            }
            newest.truncate(KEPT);
            prop_assert_eq!(order.given_to_sign(), newest);
        }

        #[test]
        fn any_bytes_are_read_without_panic(built in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut order = order();
            order.built = Some(built);
            let _ = order.given_to_sign();
        }
    }
}
