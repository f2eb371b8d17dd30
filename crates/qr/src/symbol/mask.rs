use super::grid::{EDGE, Grid, MAX_SIZE};
use super::layout::{Layout, format_places};
use super::penalty::penalty;
use super::version::{Correction, Version};

/// The order in which masks are tried: for bytes of text, every third column is nearly always the best.
pub(super) const ORDER: [usize; 8] = [2, 4, 3, 6, 7, 5, 0, 1];

/// Applies a mask that breaks up large areas and false finders, and writes its number into the format bits.
///
/// Any mask decodes to the same text. The first whose penalty is at most `max_penalty` is taken, since computing all
/// eight would cost more than the rest of the drawing; if there is none, the best is taken.
pub(super) fn mask(grid: &mut Grid, version: Version, max_penalty: usize) {
    let layout = Layout::of(version);
    let mut best = (usize::MAX, 0);
    for number in ORDER {
        apply(number, grid, layout);
        put_format(number, grid, version);
        let penalty = penalty(grid, version.size());
        if penalty <= max_penalty {
            return;
        }
        best = best.min((penalty, number));
        // Inverting the same modules again removes the mask.
        apply(number, grid, layout);
    }
    apply(best.1, grid, layout);
    put_format(best.1, grid, version);
}

/// A penalty that nearly all symbols of random modules stay below; fixed patterns weigh more in small symbols.
pub(super) fn acceptable_penalty(size: usize) -> usize {
    size * size * 3 / 4 + 900
}

fn apply(number: usize, grid: &mut Grid, layout: &Layout) {
    for (number_of_block, (block, area)) in
        grid.blocks_mut().iter_mut().zip(layout.data_area.blocks()).enumerate()
    {
        for (rows, areas) in block.chunks_mut(PERIOD).zip(area.chunks(PERIOD)) {
            for ((row, area), pattern) in rows.iter_mut().zip(areas).zip(&PATTERNS[number]) {
                *row ^= area & pattern[number_of_block];
            }
        }
    }
}

/// Draws the level and the mask number, with ten check bits, twice next to the finders.
fn put_format(number: usize, grid: &mut Grid, version: Version) {
    let level = match version.correction {
        Correction::Low => 0b01,
        Correction::Medium => 0b00,
    };
    let data = level << 3 | number;
    let check = (0..10).fold(data, |rest, _| (rest << 1) ^ ((rest >> 9) * 0x537));
    let bits = (data << 10 | check) ^ 0x5412;
    for (bit, places) in format_places(version.size()).into_iter().enumerate() {
        for (row, column) in places {
            grid.set(row, column, bits >> bit & 1 == 1);
        }
    }
}

/// After this many rows every mask repeats.
const PERIOD: usize = 12;
const BLOCKS: usize = (MAX_SIZE + 2 * EDGE).div_ceil(64);

/// For each mask the rows of one period, edge included.
static PATTERNS: [[[u64; BLOCKS]; PERIOD]; 8] = {
    let mut patterns = [[[0; BLOCKS]; PERIOD]; 8];
    let mut number = 0;
    while number < 8 {
        let mut row = 0;
        while row < PERIOD {
            let mut column = 0;
            while column < MAX_SIZE {
                if inverts(number, row, column) {
                    let bit = column + EDGE;
                    patterns[number][(row + EDGE) % PERIOD][bit / 64] |= 1 << (bit % 64);
                }
                column += 1;
            }
            row += 1;
        }
        number += 1;
    }
    patterns
};

const fn inverts(mask: usize, row: usize, column: usize) -> bool {
    let (sum, product) = (row + column, row * column);
    let remainder = match mask {
        0 => sum % 2,
        1 => row % 2,
        2 => column % 3,
        3 => sum % 3,
        4 => (row / 2 + column / 3) % 2,
        5 => product % 2 + product % 3,
        6 => (product % 2 + product % 3) % 2,
        _ => (sum % 2 + product % 3) % 2,
    };
    remainder == 0
}
