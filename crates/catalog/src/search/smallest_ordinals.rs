/// Collects the smallest of many ordinals in bounded memory.
#[derive(Debug)]
pub(super) struct SmallestOrdinals {
    kept: Vec<u32>,
    wanted: usize,
    /// Larger ordinals are ignored once enough are collected.
    threshold: u32,
}

/// How many extra ordinals are buffered before sorting.
const BUFFER: usize = 512;

impl SmallestOrdinals {
    pub(super) fn new(wanted: usize) -> Self {
        Self { kept: Vec::new(), wanted, threshold: u32::MAX }
    }

    pub(super) fn offer(&mut self, ordinal: u32) {
        if ordinal < self.threshold {
            self.kept.push(ordinal);
            if self.kept.len() >= self.wanted + BUFFER {
                self.compact_buffer();
            }
        }
    }

    fn compact_buffer(&mut self) {
        self.kept.sort_unstable();
        self.kept.dedup();
        if self.kept.len() > self.wanted {
            self.kept.truncate(self.wanted);
            self.threshold = self.kept.last().copied().unwrap_or(u32::MAX);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The smallest ordinals, ascending and distinct.
    pub(super) fn finish(mut self) -> Vec<u32> {
        self.compact_buffer();
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_smallest_distinct_ordinals_are_kept(
            offered in prop::collection::vec(0u32..3_000, 0..4_000), wanted in 1usize..60,
        ) {
            let mut best = SmallestOrdinals::new(wanted);
            for ordinal in &offered {
                best.offer(*ordinal);
            }
            let mut expected = offered;
            expected.sort_unstable();
            expected.dedup();
            expected.truncate(wanted);
            prop_assert_eq!(best.finish(), expected);
        }
    }
}
