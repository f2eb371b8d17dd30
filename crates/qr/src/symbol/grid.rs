/// Light modules on every side, so that the penalty rules, which look at most four modules past a symbol's edge, need no
/// special case. A fifth makes the width odd, so that no strip of two data columns is split across two words.
pub(super) const EDGE: usize = 5;
pub(super) const MAX_SIZE: usize = 177;
const ROWS: usize = MAX_SIZE + 2 * EDGE;

/// One bit per module, in blocks of 64 columns: most symbols are narrow enough for a single block.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    blocks: Vec<Block>,
}

/// The rows of 64 columns, edge included, the leftmost column in the lowest bit.
pub(super) type Block = [u64; ROWS];

impl Grid {
    /// A symbol of light modules only.
    pub(super) fn new(size: usize) -> Self {
        Self { blocks: vec![[0; ROWS]; (size + 2 * EDGE).div_ceil(64)] }
    }

    pub(super) fn set(&mut self, row: usize, column: usize, dark: bool) {
        let (row, column) = (row + EDGE, column + EDGE);
        let bit = 1 << (column % 64);
        let word = &mut self.blocks[column / 64][row];
        *word = if dark { *word | bit } else { *word & !bit };
    }

    pub(super) fn get(&self, row: usize, column: usize) -> bool {
        let (row, column) = (row + EDGE, column + EDGE);
        self.blocks[column / 64][row] >> (column % 64) & 1 == 1
    }

    /// A block by its number, or an empty one past the last.
    pub(super) fn block(&self, number: usize) -> &Block {
        const NONE: &Block = &[0; ROWS];
        self.blocks.get(number).unwrap_or(NONE)
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub(super) fn blocks_mut(&mut self) -> &mut [Block] {
        &mut self.blocks
    }
}
