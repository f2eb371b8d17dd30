use crate::symbol::Symbol;

/// Appends the path commands that draw a symbol: horizontal strokes over its dark modules, row by row.
///
/// A stroke is one unit wide, so along the middle of a row it fills exactly that row. Neighbouring modules
/// share a stroke within each group of eight, whose commands come from a table: finding the ends of every run took longer
/// than encoding the symbol, and would save a tenth of the text.
pub(crate) fn draw(out: &mut Vec<u8>, symbol: &Symbol, margin: usize) {
    let groups = symbol.size().div_ceil(8);
    // Commands take about two bytes for each module.
    out.reserve(symbol.size() * (MAX_ROW_START_BYTES + 16 * groups));
    let left = margin.to_string();
    for row in 0..symbol.size() {
        out.push(b'M');
        out.extend_from_slice(left.as_bytes());
        out.push(b' ');
        number(out, margin + row);
        out.extend_from_slice(b".5");
        let mut gap = 0;
        for &eight in &symbol.row(row)[..groups] {
            let piece = &PIECES[usize::from(eight)];
            // Copies the whole array and truncates, because a copy of constant length is a few instructions.
            let end = out.len() + usize::from(piece.len);
            out.extend_from_slice(&piece.text);
            out.truncate(end);
            gap = piece.gap;
        }
        // The last gap of a row draws nothing.
        out.truncate(out.len() - usize::from(gap));
    }
}

/// The longest start of a row: two numbers of three digits, `M`, a space and `.5`.
const MAX_ROW_START_BYTES: usize = 10;

/// Writes a number below 1000.
fn number(out: &mut Vec<u8>, n: usize) {
    let digit = |n: usize| b"0123456789"[n % 10];
    match n {
        0..10 => out.push(digit(n)),
        10..100 => out.extend_from_slice(&[digit(n / 10), digit(n)]),
        _ => out.extend_from_slice(&[digit(n / 100), digit(n / 10), digit(n)]),
    }
}

/// The longest commands of a group: four strokes and four gaps.
const MAX_PIECE_BYTES: usize = 24;

/// The commands that draw eight modules and end to the right of them.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Piece {
    text: [u8; MAX_PIECE_BYTES],
    len: u8,
    /// How many bytes at the end only move over light modules.
    gap: u8,
}

static PIECES: [Piece; 256] = {
    let mut pieces = [Piece { text: [0; MAX_PIECE_BYTES], len: 0, gap: 0 }; 256];
    let mut eight = 0;
    while eight < 256 {
        pieces[eight] = piece(eight);
        eight += 1;
    }
    pieces
};

const fn piece(eight: usize) -> Piece {
    let mut piece = Piece { text: [0; MAX_PIECE_BYTES], len: 0, gap: 0 };
    let mut start = 0;
    while start < 8 {
        let dark = eight >> start & 1;
        let mut end = start + 1;
        while end < 8 && eight >> end & 1 == dark {
            end += 1;
        }
        let length = b"012345678"[end - start];
        if dark == 1 {
            piece = piece.with(&[b'h', length]);
            piece.gap = 0;
        } else {
            piece = piece.with(&[b'm', length, b' ', b'0']);
            piece.gap = 4;
        }
        start = end;
    }
    piece
}

impl Piece {
    const fn with(mut self, text: &[u8]) -> Self {
        let mut i = 0;
        while i < text.len() {
            self.text[self.len as usize] = text[i];
            self.len += 1;
            i += 1;
        }
        self
    }
}
