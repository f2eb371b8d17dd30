use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// 2026-01-01T00:00:00Z in milliseconds.
const EPOCH_MILLIS: i64 = 1_767_225_600_000;
const REPLICA_BITS: u32 = 5;
const COUNTER_BITS: u32 = 8;

/// A row key and page cursor: time-ordered, unique across replicas, exact as a JSON number.
///
/// 40 bits of milliseconds since 2026, 5 bits of replica, 8 bits of counter: 53 in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowKey(i64);

impl RowKey {
    /// A key from a client or the store; `None` outside 0..2^53.
    pub fn new(value: i64) -> Option<Self> {
        (0..1 << 53).contains(&value).then_some(Self(value))
    }

    pub const fn get(self) -> i64 {
        self.0
    }

    /// The smallest key of the given time, for time ranges.
    pub fn floor_at(at: Timestamp) -> Self {
        let millis = (at.as_millisecond() - EPOCH_MILLIS).clamp(0, (1 << 40) - 1);
        Self(millis << (REPLICA_BITS + COUNTER_BITS))
    }
}

/// Generates the row keys of one replica.
#[derive(Debug)]
pub struct RowKeys {
    replica: AtomicI64,
    /// Milliseconds since the epoch and the counter in one monotonic number.
    last: AtomicI64,
}

impl RowKeys {
    /// `replica` is below 32 and unique to this process.
    pub fn new(replica: u8) -> Self {
        let keys = Self { replica: AtomicI64::new(0), last: AtomicI64::new(0) };
        keys.move_to(replica);
        keys
    }

    /// Goes on as another replica, whose number nobody else has.
    pub fn move_to(&self, replica: u8) {
        self.replica.store(i64::from(replica) & ((1 << REPLICA_BITS) - 1), Ordering::Relaxed);
    }

    /// Makes all later keys larger than this one, which may come from a replica whose clock is ahead.
    pub fn observe(&self, key: RowKey) {
        let millis = key.get() >> (REPLICA_BITS + COUNTER_BITS);
        // The last key of its millisecond, because the replica bits are in between.
        self.last.fetch_max(((millis + 1) << COUNTER_BITS) - 1, Ordering::Relaxed);
    }

    /// A key larger than all previous ones, even when the clock stops or moves back.
    pub fn next(&self, now: Timestamp) -> RowKey {
        let floor = (RowKey::floor_at(now).get() >> REPLICA_BITS) & !((1 << COUNTER_BITS) - 1);
        let mut tick = floor;
        // The closure always returns `Some`.
        let _ = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
            tick = floor.max(last + 1);
            Some(tick)
        });
        let (millis, counter) = (tick >> COUNTER_BITS, tick & ((1 << COUNTER_BITS) - 1));
        let replica = self.replica.load(Ordering::Relaxed);
        RowKey((millis << (REPLICA_BITS + COUNTER_BITS)) | (replica << COUNTER_BITS) | counter)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_epoch_is_the_start_of_2026() {
        let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(start.as_millisecond(), EPOCH_MILLIS);
        assert_eq!(RowKey::floor_at(start).get(), 0);
    }

    #[test]
    fn keys_of_two_replicas_never_collide() {
        let now = "2026-11-15T00:00:00Z".parse().unwrap();
        let (one, two) = (RowKeys::new(1), RowKeys::new(2));
        let mut keys: Vec<_> = (0..1_000).flat_map(|_| [one.next(now), two.next(now)]).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 2_000);
    }

    #[test]
    fn keys_are_larger_than_an_observed_key_of_a_replica_whose_clock_is_ahead() {
        let now: Timestamp = "2026-11-15T00:00:00Z".parse().unwrap();
        let (ahead, behind) = (RowKeys::new(31), RowKeys::new(0));
        for seconds in [0, 90] {
            let seen = ahead.next(now + jiff::SignedDuration::from_secs(seconds));
            behind.observe(seen);
            let keys = [behind.next(now), behind.next(now)];
            assert!(seen < keys[0] && keys[0] < keys[1]);
        }
        let last = behind.next(now);
        behind.observe(RowKey::floor_at(now));
        assert!(behind.next(now) > last, "an old one changes nothing");
    }

    proptest! {
        #[test]
        fn keys_grow_and_fit_53_bits_whatever_the_clock_does(
            steps in prop::collection::vec(-5_000i64..5_000, 1..400), replica in 0u8..32,
        ) {
            let keys = RowKeys::new(replica);
            let mut clock = EPOCH_MILLIS + 1_000_000_000;
            let mut last = -1;
            for step in steps {
                clock += step;
                let key = keys.next(Timestamp::from_millisecond(clock).unwrap());
                prop_assert!(key.get() > last);
                prop_assert!(RowKey::new(key.get()).is_some());
                last = key.get();
            }
        }
    }
}
