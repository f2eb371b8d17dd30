/// The smallest ordinals of all that are offered, without keeping all that are offered.
#[derive(Debug)]
pub(super) struct Best {
    kept: Vec<u32>,
    wanted: usize,
    /// Once more than enough are kept, whatever is larger need not be looked at.
    bar: u32,
}

/// How many may pile up before they are sorted out.
const PILE: usize = 512;

impl Best {
    pub(super) fn new(wanted: usize) -> Self {
        Self { kept: Vec::new(), wanted, bar: u32::MAX }
    }

    pub(super) fn offer(&mut self, ordinal: u32) {
        if ordinal < self.bar {
            self.kept.push(ordinal);
            if self.kept.len() >= self.wanted + PILE {
                self.sort_out();
            }
        }
    }

    fn sort_out(&mut self) {
        self.kept.sort_unstable();
        self.kept.dedup();
        if self.kept.len() > self.wanted {
            self.kept.truncate(self.wanted);
            self.bar = self.kept.last().copied().unwrap_or(u32::MAX);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The best, smallest first, each once.
    pub(super) fn finish(mut self) -> Vec<u32> {
        self.sort_out();
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_smallest_are_kept_each_once(
            offered in prop::collection::vec(0u32..3_000, 0..4_000), wanted in 1usize..60,
        ) {
            let mut best = Best::new(wanted);
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
