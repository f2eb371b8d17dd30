use super::hit::{Hit, TIERS, Tier};
use super::smallest_ordinals::SmallestOrdinals;

/// The hits of a query by tier.
pub(super) struct TieredHits([SmallestOrdinals; 9]);

impl TieredHits {
    /// Each tier keeps twice the limit, because up to that many may also be in a better tier.
    pub(super) fn new(limit: usize) -> Self {
        Self(TIERS.map(|_| SmallestOrdinals::new(2 * limit)))
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
