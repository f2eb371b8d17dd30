use std::collections::HashMap;

use causeway_domain::ports::{Integrator, QuoteCount};
use jiff::Timestamp;
use parking_lot::Mutex;

const DAY_SECONDS: i64 = 86_400;

/// Counts quotes of integrators by day in UTC.
///
/// A quote is counted in memory, and the counts of all replicas meet in the store once a second. So the replicas together may
/// give what they answer within a second beyond a quota, and a crash forgets at most a second.
#[derive(Debug, Default)]
pub(super) struct Quotas(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    /// The day of `stored`.
    day: i64,
    /// What the store knew of that day when it was last read.
    stored: HashMap<String, u64>,
    /// What the store does not know yet.
    pending: HashMap<(String, i64), u64>,
}

impl Quotas {
    pub(super) fn take(&self, integrator: &Integrator, now: Timestamp) -> Result<(), u64> {
        let today = day(now);
        let mut counts = self.0.lock();
        let stored = if counts.day == today { counts.stored.get(&integrator.name) } else { None };
        let stored = stored.copied().unwrap_or_default();
        let pending = counts.pending.entry((integrator.name.clone(), today)).or_default();
        if integrator.quotes_per_day.is_some_and(|quota| stored.saturating_add(*pending) >= quota) {
            let midnight = today.saturating_add(1).saturating_mul(DAY_SECONDS);
            let wait = midnight.saturating_sub(now.as_second()).max(1);
            return Err(wait.unsigned_abs());
        }
        *pending = pending.saturating_add(1);
        Ok(())
    }

    /// What the store does not know yet.
    pub(super) fn pending(&self) -> Vec<QuoteCount> {
        let counts = self.0.lock();
        let pending = counts.pending.iter().filter(|(_, quotes)| **quotes > 0);
        pending
            .map(|((integrator, day), quotes)| QuoteCount {
                integrator: integrator.clone(),
                day: *day,
                quotes: *quotes,
            })
            .collect()
    }

    /// The store knows these counts now, which were pending.
    pub(super) fn written(&self, written: &[QuoteCount]) {
        let mut counts = self.0.lock();
        for QuoteCount { integrator, day, quotes } in written {
            let Some(pending) = counts.pending.get_mut(&(integrator.clone(), *day)) else { continue };
            *pending = pending.saturating_sub(*quotes);
            if *day == counts.day {
                let stored = counts.stored.entry(integrator.clone()).or_default();
                *stored = stored.saturating_add(*quotes);
            }
        }
        counts.pending.retain(|_, quotes| *quotes > 0);
    }

    /// What all replicas have written of that day.
    pub(super) fn set_stored(&self, day: i64, stored: Vec<QuoteCount>) {
        let mut counts = self.0.lock();
        counts.day = day;
        counts.stored = stored.into_iter().map(|count| (count.integrator, count.quotes)).collect();
    }
}

/// Days since 1970-01-01, in UTC.
pub(super) fn day(at: Timestamp) -> i64 {
    at.as_second().div_euclid(DAY_SECONDS)
}
