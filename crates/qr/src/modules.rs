use crate::Error;
use crate::symbol::Symbol;

/// A payload as rows of modules, dark ones `true`, without the quiet zone, for drawing by other means than SVG.
pub fn modules(payload: &str) -> Result<Vec<Vec<bool>>, Error> {
    let symbol = encode(payload)?;
    let row = |row: usize| {
        let bytes = symbol.row(row);
        let bits = bytes.into_iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
        bits.take(symbol.size()).collect()
    };
    Ok((0..symbol.size()).map(row).collect())
}

pub(crate) fn encode(payload: &str) -> Result<Symbol, Error> {
    Symbol::encode(payload).ok_or(Error::TooLong {
        length: payload.len(),
        limit: Symbol::MAX_BYTES,
        unit: "bytes",
    })
}
