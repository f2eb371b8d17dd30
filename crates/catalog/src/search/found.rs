use super::best::Best;
use super::hit::{Hit, TIERS, Tier};

/// What a query has found so far, tier by tier.
pub(super) struct Found([Best; 9]);

impl Found {
    /// Each tier keeps twice the limit, since up to that many may stand in a better tier already.
    pub(super) fn new(limit: usize) -> Self {
        Self(TIERS.map(|_| Best::new(2 * limit)))
    }

    pub(super) fn offer(&mut self, ordinal: u32, tier: Tier) {
        if let Some(best) = self.0.get_mut(tier as usize) {
            best.offer(ordinal);
        }
    }

    pub(super) fn has_exact(&self) -> bool {
        self.0.iter().zip(TIERS).any(|(best, tier)| tier.is_exact() && !best.is_empty())
    }

    pub(super) fn finish(self, limit: usize) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::with_capacity(limit);
        for (best, tier) in self.0.into_iter().zip(TIERS) {
            for ordinal in best.finish() {
                if hits.len() == limit {
                    return hits;
                }
                if hits.iter().all(|hit| hit.ordinal != ordinal) {
                    hits.push(Hit { ordinal, tier });
                }
            }
        }
        hits
    }
}
