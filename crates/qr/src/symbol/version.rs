/// How much damage a symbol survives: `Low` about 7 % of it, `Medium` about 15 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Correction {
    Low,
    Medium,
}

/// A symbol size and correction level: how much data it holds and into how many blocks that is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Version {
    /// 1 to 40.
    pub(super) number: usize,
    pub(super) correction: Correction,
    /// Codewords of all blocks together, data and correction.
    pub(super) codewords: usize,
    pub(super) blocks: usize,
    /// Correction codewords that follow each block.
    pub(super) check_len: usize,
}

impl Version {
    /// The smallest symbol that holds this many bytes: at medium correction if there is one, else at low.
    pub(super) fn for_bytes(len: usize) -> Option<Self> {
        let fits = |version: &Self| len <= version.capacity();
        Self::all(Correction::Medium).find(fits).or_else(|| Self::all(Correction::Low).find(fits))
    }

    /// Every version at one correction level, smallest first.
    pub(super) fn all(correction: Correction) -> impl Iterator<Item = Self> {
        TABLE.iter().zip(1..).map(move |(&(codewords, low, medium), number)| {
            let (blocks, check_len) = if correction == Correction::Low { low } else { medium };
            Self { number, correction, codewords, blocks, check_len }
        })
    }

    pub(super) fn data_len(self) -> usize {
        self.codewords - self.blocks * self.check_len
    }

    /// Bytes of text that fit next to the mode, the length and the closing nibble.
    pub(super) fn capacity(self) -> usize {
        self.data_len() - 1 - self.length_bytes()
    }

    pub(super) fn length_bytes(self) -> usize {
        if self.number < 10 { 1 } else { 2 }
    }

    pub(super) fn size(self) -> usize {
        17 + 4 * self.number
    }

    /// The rows (and columns) on which alignment patterns are centred.
    pub(super) fn alignment_centres(self) -> Vec<usize> {
        if self.number == 1 {
            return Vec::new();
        }
        let (first, last) = (6, self.size() - 7);
        let gaps = self.number / 7 + 1;
        // The standard rounds the distance up to an even number, except that version 32 rounds it down.
        let step = if self.number == 32 { 26 } else { (last - first).div_ceil(2 * gaps) * 2 };
        std::iter::once(first).chain((0..gaps).rev().map(|gap| last - gap * step)).collect()
    }
}

/// Blocks, and check codewords of each.
type Blocks = (usize, usize);

/// For versions 1 to 40: codewords, blocks at low and blocks at medium correction.
const TABLE: [(usize, Blocks, Blocks); 40] = [
    (26, (1, 7), (1, 10)),
    (44, (1, 10), (1, 16)),
    (70, (1, 15), (1, 26)),
    (100, (1, 20), (2, 18)),
    (134, (1, 26), (2, 24)),
    (172, (2, 18), (4, 16)),
    (196, (2, 20), (4, 18)),
    (242, (2, 24), (4, 22)),
    (292, (2, 30), (5, 22)),
    (346, (4, 18), (5, 26)),
    (404, (4, 20), (5, 30)),
    (466, (4, 24), (8, 22)),
    (532, (4, 26), (9, 22)),
    (581, (4, 30), (9, 24)),
    (655, (6, 22), (10, 24)),
    (733, (6, 24), (10, 28)),
    (815, (6, 28), (11, 28)),
    (901, (6, 30), (13, 26)),
    (991, (7, 28), (14, 26)),
    (1085, (8, 28), (16, 26)),
    (1156, (8, 28), (17, 26)),
    (1258, (9, 28), (17, 28)),
    (1364, (9, 30), (18, 28)),
    (1474, (10, 30), (20, 28)),
    (1588, (12, 26), (21, 28)),
    (1706, (12, 28), (23, 28)),
    (1828, (12, 30), (25, 28)),
    (1921, (13, 30), (26, 28)),
    (2051, (14, 30), (28, 28)),
    (2185, (15, 30), (29, 28)),
    (2323, (16, 30), (31, 28)),
    (2465, (17, 30), (33, 28)),
    (2611, (18, 30), (35, 28)),
    (2761, (19, 30), (37, 28)),
    (2876, (19, 30), (38, 28)),
    (3034, (20, 30), (40, 28)),
    (3196, (21, 30), (43, 28)),
    (3362, (22, 30), (45, 28)),
    (3532, (24, 30), (47, 28)),
    (3706, (25, 30), (49, 28)),
];
