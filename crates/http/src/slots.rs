use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use parking_lot::Mutex;

/// A bounded number of places, in total and for each client address.
#[derive(Debug)]
pub(crate) struct Slots {
    total: usize,
    per_address: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// Which bound is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotsFull {
    Total,
    Address,
}

/// A place that is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Arc<Slots>,
    address: IpAddr,
}

impl Slots {
    pub(crate) fn new(total: usize, per_address: usize) -> Arc<Self> {
        Arc::new(Self { total, per_address, taken: Mutex::default() })
    }

    pub(crate) fn take(self: &Arc<Self>, address: IpAddr) -> Result<Slot, SlotsFull> {
        let address = network(address);
        let mut taken = self.taken.lock();
        if taken.total >= self.total {
            return Err(SlotsFull::Total);
        }
        let own = taken.by_address.entry(address).or_default();
        if *own >= self.per_address {
            return Err(SlotsFull::Address);
        }
        *own += 1;
        taken.total += 1;
        Ok(Slot { slots: Arc::clone(self), address })
    }

    /// How many places are taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken.lock().total
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken.lock();
        taken.total = taken.total.saturating_sub(1);
        let left = taken.by_address.get_mut(&self.address).map(|own| {
            *own = own.saturating_sub(1);
            *own
        });
        if left == Some(0) {
            taken.by_address.remove(&self.address);
        }
    }
}

/// What counts as one client: all addresses of an IPv6 /64 network together.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bounded_in_total_and_per_address_and_come_back() {
        let slots = Slots::new(3, 2);
        let [one, other, third] =
            ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(|text| text.parse::<IpAddr>().unwrap());
        let (first, second) = (slots.take(one).unwrap(), slots.take(one).unwrap());
        assert_eq!(slots.take(one).unwrap_err(), SlotsFull::Address);
        let elsewhere = slots.take(other).unwrap();
        assert_eq!(slots.take(third).unwrap_err(), SlotsFull::Total);
        drop(first);
        assert!(slots.take(one).is_ok());
        drop((second, elsewhere));
        assert_eq!(slots.taken(), 0);
        assert!(slots.taken.lock().by_address.is_empty(), "nothing is kept of clients that are gone");
    }

    #[test]
    fn one_ipv6_network_is_one_client() {
        let slots = Slots::new(9, 1);
        let _first = slots.take("2001:db8::1".parse().unwrap()).unwrap();
        assert_eq!(slots.take("2001:db8::2".parse().unwrap()).unwrap_err(), SlotsFull::Address);
        assert!(slots.take("2001:db8:0:1::1".parse().unwrap()).is_ok());
    }
}
