use std::collections::HashMap;

use causeway_domain::FiatOrderId;
use causeway_domain::ports::FiatLease;
use parking_lot::Mutex;

/// The purchases that this process is processing, each at most once: two concurrent runs would both create a swap for the same
/// money.
#[derive(Debug, Default)]
pub(super) struct InFlightPurchases(Mutex<HashMap<FiatOrderId, Run>>);

#[derive(Debug)]
struct Run {
    lease: FiatLease,
    /// Whether the purchase became due again meanwhile.
    again: bool,
}

impl InFlightPurchases {
    /// Whether the caller may process the purchase that it has leased; if not, the current run repeats, with that lease.
    pub(super) fn begin(&self, id: &FiatOrderId, lease: FiatLease) -> bool {
        let mut purchases = self.0.lock();
        match purchases.get_mut(id) {
            Some(run) => {
                *run = Run { lease, again: true };
                false
            }
            None => purchases.insert(id.clone(), Run { lease, again: false }).is_none(),
        }
    }

    /// The lease of a purchase that is in flight.
    pub(super) fn lease(&self, id: &FiatOrderId) -> Option<FiatLease> {
        self.0.lock().get(id).map(|run| run.lease)
    }

    pub(super) fn set_lease(&self, id: &FiatOrderId, lease: FiatLease) {
        if let Some(run) = self.0.lock().get_mut(id) {
            run.lease = lease;
        }
    }

    /// Replaces this lease by the next one, unless the purchase has another one by now.
    pub(super) fn renew(&self, id: &FiatOrderId, lease: FiatLease, next: FiatLease) {
        if let Some(run) = self.0.lock().get_mut(id).filter(|run| run.lease == lease) {
            run.lease = next;
        }
    }

    /// Whether the purchase became due again; otherwise it is no longer in flight.
    pub(super) fn end(&self, id: &FiatOrderId) -> bool {
        let mut purchases = self.0.lock();
        let again = purchases.get_mut(id).is_some_and(|run| std::mem::take(&mut run.again));
        if !again {
            purchases.remove(id);
        }
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn version(version: u32) -> FiatLease {
        FiatLease::EndedByWrite { version }
    }

    #[test]
    fn purchase_is_processed_once_at_a_time_and_again_if_it_became_due() {
        let (in_flight, id) = (InFlightPurchases::default(), FiatOrderId::random().unwrap());
        assert!(in_flight.begin(&id, version(1)));
        assert!(!in_flight.begin(&id, version(2)));
        assert!(in_flight.end(&id), "it became due meanwhile");
        assert!(!in_flight.begin(&id, version(3)), "the second run is still in flight");
        assert!(in_flight.end(&id));
        assert!(!in_flight.end(&id));
        assert!(in_flight.begin(&id, version(4)));
    }

    #[test]
    fn the_newest_lease_of_a_purchase_counts() {
        let (in_flight, id) = (InFlightPurchases::default(), FiatOrderId::random().unwrap());
        assert!(in_flight.begin(&id, version(1)));
        in_flight.renew(&id, version(1), version(2));
        assert_eq!(in_flight.lease(&id), Some(version(2)));
        in_flight.renew(&id, version(1), version(3));
        assert_eq!(in_flight.lease(&id), Some(version(2)), "an answer that came late changes nothing");
        in_flight.begin(&id, version(4));
        assert_eq!(in_flight.lease(&id), Some(version(4)));
        in_flight.set_lease(&id, version(5));
        assert_eq!(in_flight.lease(&id), Some(version(5)));
        while in_flight.end(&id) {}
        assert_eq!(in_flight.lease(&id), None);
    }
}
