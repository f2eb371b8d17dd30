use super::grid::Grid;
use super::layout::{DataRun, Layout};

/// Draws codewords, followed by a spare word, on a copy of the fixed patterns.
pub(super) fn place(codewords: &[u8], layout: &Layout) -> Grid {
    let mut grid = layout.fixed.clone();
    let mut position = 0;
    for run in &layout.path {
        let rows = &mut grid.blocks_mut()[run.block][run.rows.clone()];
        // Shifts by a constant make this loop, the hottest of all, twice as fast.
        match run.width {
            1 => fill::<1>(rows, run, codewords, &mut position),
            _ => fill::<2>(rows, run, codewords, &mut position),
        }
    }
    grid
}

fn fill<const WIDTH: usize>(rows: &mut [u64], run: &DataRun, codewords: &[u8], position: &mut usize) {
    // Eight bytes hold at least 57 bits from wherever the next one starts, enough for this many pairs.
    const AT_ONCE: usize = 28;
    let put = |row: &mut u64, bits: &mut u64| {
        *row |= (*bits >> (64 - WIDTH)) * run.left;
        *bits <<= WIDTH;
    };
    if run.upward {
        for rows in rows.rchunks_mut(AT_ONCE) {
            let mut bits = bits_at(codewords, *position);
            *position += rows.len() * WIDTH;
            for row in rows.iter_mut().rev() {
                put(row, &mut bits);
            }
        }
    } else {
        for rows in rows.chunks_mut(AT_ONCE) {
            let mut bits = bits_at(codewords, *position);
            *position += rows.len() * WIDTH;
            for row in rows {
                put(row, &mut bits);
            }
        }
    }
}

/// The bits from a position on, first bit highest.
fn bits_at(bytes: &[u8], position: usize) -> u64 {
    let word = bytes.get(position / 8..).and_then(|rest| rest.first_chunk());
    word.map_or(0, |word| u64::from_be_bytes(*word)) << (position % 8)
}
