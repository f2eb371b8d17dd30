use super::grid::{Block, EDGE, Grid};

/// The penalty of a symbol by the four rules of the standard, computed 64 columns at a time.
pub(super) fn penalty(grid: &Grid, size: usize) -> usize {
    let mut total = 0;
    let mut dark = 0;
    for (number, here) in grid.blocks().iter().enumerate() {
        let columns = Columns { number, here, next: grid.block(number + 1), size };
        total += columns.runs_and_squares() + 40 * columns.false_finders();
        dark += here[EDGE..EDGE + size].iter().map(|&row| ones(row)).sum::<usize>();
    }
    // Ten for each full twentieth by which dark modules are more or fewer than half.
    let modules = size * size;
    total + (2 * dark).abs_diff(modules) * 10 / modules * 10
}

/// A block, with the one to its right for patterns that reach across.
struct Columns<'a> {
    number: usize,
    here: &'a Block,
    next: &'a Block,
    size: usize,
}

impl Columns<'_> {
    /// Rules one and two: n - 2 for each line of n >= 5 equal modules, 3 for each square of four.
    fn runs_and_squares(&self) -> usize {
        let rows = EDGE..EDGE + self.size;
        let (inside, _) = self.columns_below(self.size);
        let (pairs, pairs_next) = self.columns_below(self.size - 1);
        // Whether a module is equal to the one to its right, and whether it is equal to the one below.
        let (mut across, mut down): (Block, Block) = ([0; _], [0; _]);
        let mut penalty = 0;
        for row in rows.clone() {
            let (here, next) = (self.here[row], self.next[row]);
            across[row] = !(here ^ shifted(here, next, 1)) & pairs;
            let beyond = !(next ^ next >> 1) & pairs_next;
            let equal = |offset| shifted(across[row], beyond, offset);
            penalty += runs([across[row], equal(1), equal(2), equal(3), equal(4)]);
        }
        for (down, rows) in down[EDGE..EDGE + self.size - 1].iter_mut().zip(self.here[EDGE..].windows(2)) {
            *down = !(rows[0] ^ rows[1]) & inside;
        }
        for row in rows {
            penalty += runs([down[row], down[row + 1], down[row + 2], down[row + 3], down[row + 4]]);
            penalty += 3 * ones(across[row] & across[row + 1] & down[row]);
        }
        penalty
    }

    /// Rule three: dark-light-dark-dark-dark-light-dark with four light modules on one side, or on both.
    fn false_finders(&self) -> usize {
        let mut found = 0;
        for row in EDGE..EDGE + self.size {
            let (here, next) = (self.here[row], self.next[row]);
            // Seen from four modules before, where light ones may begin.
            let at = |offset| shifted(here, next, offset);
            let core = at(4) & !at(5) & at(6) & at(7) & at(8) & !at(9) & at(10);
            if core != 0 {
                found += ones(core & !(here | at(1) | at(2) | at(3)));
                found += ones(core & !(at(11) | at(12) | at(13) | at(14)));
            }
        }
        for at in self.here[EDGE - 4..EDGE + self.size + 4].windows(15) {
            let core = at[4] & !at[5] & at[6] & at[7] & at[8] & !at[9] & at[10];
            if core != 0 {
                found += ones(core & !(at[0] | at[1] | at[2] | at[3]));
                found += ones(core & !(at[11] | at[12] | at[13] | at[14]));
            }
        }
        found
    }

    /// The symbol's first `count` columns, as far as they lie in this block and in the next.
    fn columns_below(&self, count: usize) -> (u64, u64) {
        let below = |end: usize| if end < 64 { (1 << end) - 1 } else { u64::MAX };
        let block = |number: usize| {
            below((EDGE + count).saturating_sub(64 * number)) & !below(EDGE.saturating_sub(64 * number))
        };
        (block(self.number), block(self.number + 1))
    }
}

/// The modules some columns to the right, 1 to 63.
fn shifted(here: u64, next: u64, columns: u32) -> u64 {
    here >> columns | next << (64 - columns)
}

/// The penalty of the lines of equal modules, given where a module, and each of the four after it, equals its
/// successor: one for every window of five equal ones, and two more where a line ends.
fn runs([first, second, third, fourth, fifth]: [u64; 5]) -> usize {
    let five = first & second & third & fourth;
    ones(five) + 2 * ones(five & !fifth)
}

fn ones(word: u64) -> usize {
    word.count_ones() as usize
}
