//! A hand-written QR encoder, kept because it is at least six times as fast as the encoder crates that were tried; the
//! crate's README has the numbers and the command that measures them. Tests compare its modules with those of `qrcodegen`
//! for all forty versions at both correction levels.

mod codewords;
mod grid;
mod layout;
mod mask;
mod penalty;
mod place;
mod reed_solomon;
#[cfg(test)]
mod tests;
mod version;

use grid::{EDGE, Grid};
use layout::Layout;
use version::Version;

/// A QR code: a square of dark and light modules.
#[derive(Debug)]
pub(crate) struct Symbol {
    size: usize,
    grid: Grid,
}

impl Symbol {
    /// The capacity of the largest symbol at low correction.
    pub(crate) const MAX_BYTES: usize = 2953;

    /// The smallest symbol that holds this text as UTF-8 bytes, or `None` if even the largest is too small.
    pub(crate) fn encode(text: &str) -> Option<Self> {
        Version::for_bytes(text.len())
            .map(|version| Self::draw(text, version, mask::acceptable_penalty(version.size())))
    }

    fn draw(text: &str, version: Version, max_penalty: usize) -> Self {
        let codewords = codewords::codewords(text.as_bytes(), version);
        let mut grid = place::place(&codewords, Layout::of(version));
        mask::mask(&mut grid, version, max_penalty);
        Self { size: version.size(), grid }
    }

    /// Modules on each side.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// A row of modules, eight to a byte, the leftmost in the lowest bit, dark ones set; light past the end.
    pub(crate) fn row(&self, row: usize) -> [u8; 24] {
        let [first, second, third] = [0, 1, 2].map(|block| self.grid.block(block)[row + EDGE]);
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&(first >> EDGE | second << (64 - EDGE)).to_le_bytes());
        bytes[8..16].copy_from_slice(&(second >> EDGE | third << (64 - EDGE)).to_le_bytes());
        bytes[16..].copy_from_slice(&(third >> EDGE).to_le_bytes());
        bytes
    }
}
