use std::collections::HashMap;

use causeway_domain::FiatOrderId;
use parking_lot::Mutex;

/// The purchases that this process is processing, each at most once: two concurrent runs would both create a swap for the same
/// money. The flag records whether a purchase became due again meanwhile.
#[derive(Debug, Default)]
pub(super) struct InFlightPurchases(Mutex<HashMap<FiatOrderId, bool>>);

impl InFlightPurchases {
    /// Whether the caller may process the purchase; if not, the current run repeats.
    pub(super) fn begin(&self, id: &FiatOrderId) -> bool {
        let mut purchases = self.0.lock();
        match purchases.get_mut(id) {
            Some(again) => {
                *again = true;
                false
            }
            None => purchases.insert(id.clone(), false).is_none(),
        }
    }

    /// Whether the purchase became due again; otherwise it is no longer in flight.
    pub(super) fn end(&self, id: &FiatOrderId) -> bool {
        let mut purchases = self.0.lock();
        let again = purchases.get_mut(id).is_some_and(std::mem::take);
        if !again {
            purchases.remove(id);
        }
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purchase_is_processed_once_at_a_time_and_again_if_it_became_due() {
        let (in_flight, id) = (InFlightPurchases::default(), FiatOrderId::random().unwrap());
        assert!(in_flight.begin(&id));
        assert!(!in_flight.begin(&id));
        assert!(in_flight.end(&id), "it became due meanwhile");
        assert!(!in_flight.begin(&id), "the second run is still in flight");
        assert!(in_flight.end(&id));
        assert!(!in_flight.end(&id));
        assert!(in_flight.begin(&id));
    }
}
