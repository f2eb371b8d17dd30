use std::ops::Range;
use std::sync::OnceLock;

use super::grid::{EDGE, Grid};
use super::version::Version;

/// What all symbols of a version share: the fixed patterns and the path of the data around them.
#[derive(Debug)]
pub(super) struct Layout {
    /// Dark modules of the fixed patterns, except the format strips, which depend on the mask.
    pub(super) fixed: Grid,
    /// Modules that hold data, and so are masked.
    pub(super) data_area: Grid,
    /// Where the bits of the codewords are drawn, first bit first.
    pub(super) path: Vec<DataRun>,
}

/// Consecutive rows of one or two columns, edge included, that data fills from right to left, row by row.
#[derive(Clone, Debug)]
pub(super) struct DataRun {
    pub(super) block: usize,
    /// The left column's bit within its block, set; multiplying by it moves data there.
    pub(super) left: u64,
    /// Columns, 1 or 2.
    pub(super) width: usize,
    pub(super) rows: Range<usize>,
    pub(super) upward: bool,
}

impl Layout {
    /// The layout of a version, drawn on first use.
    pub(super) fn of(version: Version) -> &'static Self {
        static LAYOUTS: [OnceLock<Layout>; 40] = [const { OnceLock::new() }; 40];
        LAYOUTS[version.number - 1].get_or_init(|| Self::draw(version))
    }

    fn draw(version: Version) -> Self {
        let size = version.size();
        let mut drawing = Drawing { size, fixed: Grid::new(size), taken: Grid::new(size) };
        for i in 0..size {
            drawing.put(6, i, i % 2 == 0);
            drawing.put(i, 6, i % 2 == 0);
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] {
            drawing.rings(row, column, 4, &[2, 4]);
        }
        let centres = version.alignment_centres();
        let finders = [(6, 6), (6, size - 7), (size - 7, 6)];
        for &row in &centres {
            for &column in &centres {
                if !finders.contains(&(row, column)) {
                    drawing.rings(row, column, 2, &[1]);
                }
            }
        }
        drawing.version_strips(version.number);
        for (row, column) in format_places(size).into_iter().flatten() {
            drawing.put(row, column, false);
        }
        drawing.put(size - 8, 8, true);
        drawing.finish()
    }
}

struct Drawing {
    size: usize,
    fixed: Grid,
    taken: Grid,
}

impl Drawing {
    fn put(&mut self, row: usize, column: usize, dark: bool) {
        self.fixed.set(row, column, dark);
        self.taken.set(row, column, true);
    }

    /// Concentric squares around a dark centre, dark but for those at the distances given as light.
    fn rings(&mut self, row: usize, column: usize, radius: usize, light: &[usize]) {
        let end = self.size - 1;
        for r in row.saturating_sub(radius)..=end.min(row + radius) {
            for c in column.saturating_sub(radius)..=end.min(column + radius) {
                let distance = r.abs_diff(row).max(c.abs_diff(column));
                self.put(r, c, !light.contains(&distance));
            }
        }
    }

    /// From version 7 on, the number is drawn twice next to the finders, with twelve check bits.
    fn version_strips(&mut self, number: usize) {
        if number < 7 {
            return;
        }
        let check = (0..12).fold(number, |rest, _| (rest << 1) ^ ((rest >> 11) * 0x1f25));
        let bits = number << 12 | check;
        for i in 0..18 {
            let (near, far) = (i / 3, self.size - 11 + i % 3);
            self.put(near, far, bits >> i & 1 == 1);
            self.put(far, near, bits >> i & 1 == 1);
        }
    }

    /// Data runs up and down in strips two columns wide, from the right, around the fixed patterns.
    fn finish(self) -> Layout {
        let mut data_area = Grid::new(self.size);
        let mut path: Vec<DataRun> = Vec::new();
        // The timing column is no part of any strip.
        let columns: Vec<_> = (0..self.size).filter(|&column| column != 6).collect();
        for (strip, upward) in columns.rchunks_exact(2).zip([true, false].into_iter().cycle()) {
            for step in 0..self.size {
                let row = if upward { self.size - 1 - step } else { step };
                let mut free = strip.iter().copied().filter(|&column| !self.taken.get(row, column));
                let Some(left) = free.next() else { continue };
                let width = 1 + free.count();
                for column in left..left + width {
                    data_area.set(row, column, true);
                }
                let next = DataRun::at(row, left, width, upward);
                if !path.last_mut().is_some_and(|last| last.join(&next)) {
                    path.push(next);
                }
            }
        }
        Layout { fixed: self.fixed, data_area, path }
    }
}

impl DataRun {
    fn at(row: usize, left: usize, width: usize, upward: bool) -> Self {
        let (row, left) = (row + EDGE, left + EDGE);
        Self { block: left / 64, left: 1 << (left % 64), width, rows: row..row + 1, upward }
    }

    /// Appends the next row if it continues this run; returns whether it does.
    fn join(&mut self, next: &Self) -> bool {
        let follows = |end, start| {
            end == start && (self.block, self.left, self.width) == (next.block, next.left, next.width)
        };
        if self.upward && follows(next.rows.end, self.rows.start) {
            self.rows.start = next.rows.start;
        } else if !self.upward && follows(self.rows.end, next.rows.start) {
            self.rows.end = next.rows.end;
        } else {
            return false;
        }
        true
    }
}

/// The two places of each of the fifteen format bits, lowest bit first.
pub(super) fn format_places(size: usize) -> [[(usize, usize); 2]; 15] {
    std::array::from_fn(|bit| {
        let at_first_finder = match bit {
            0..=5 => (bit, 8),
            6..=7 => (bit + 1, 8),
            8 => (8, 7),
            _ => (8, 14 - bit),
        };
        let at_other_finders = if bit < 8 { (8, size - 1 - bit) } else { (size - 15 + bit, 8) };
        [at_first_finder, at_other_finders]
    })
}
