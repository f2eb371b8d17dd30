//! The embedded files.

use causeway_domain::ChainId;

pub(crate) const CHAINS: &str = include_str!("../data/chains.toml");
pub(crate) const TOKENS: &str = include_str!("../data/tokens.tsv");
pub(crate) const TOP: &str = include_str!("../data/top.toml");

/// Every file in `data/icons`, as `build.rs` lists them.
const ICONS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/icons.rs"));

/// Every file in `data/icons/tokens`, by coin.
const TOKEN_ICONS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/token_icons.rs"));

/// The bundled logo of a chain.
pub(crate) fn icon(chain: ChainId) -> Option<&'static [u8]> {
    let wanted = chain.to_string();
    ICONS.iter().find(|(id, _)| *id == wanted).map(|(_, svg)| *svg)
}

/// How many coins have a bundled mark.
#[cfg(test)]
pub(crate) fn token_icon_count() -> usize {
    TOKEN_ICONS.len()
}

/// The bundled mark of a well-known coin.
pub(crate) fn token_icon(coin: &str) -> Option<&'static [u8]> {
    TOKEN_ICONS.iter().find(|(name, _)| *name == coin).map(|(_, svg)| *svg)
}
