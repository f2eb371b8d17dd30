//! The embedded files.

use causeway_domain::ChainId;

pub(crate) const CHAINS: &str = include_str!("../data/chains.toml");
pub(crate) const TOKENS: &str = include_str!("../data/tokens.tsv");
pub(crate) const TOP: &str = include_str!("../data/top.toml");

macro_rules! icons {
    ($($id:literal)*) => {
        &[$(($id, include_bytes!(concat!("../data/icons/", $id, ".svg")))),*]
    };
}

const ICONS: &[(&str, &[u8])] = icons! {
    "1" "10" "56" "130" "137" "143" "324" "2741" "5000" "8453" "16661" "42161" "43114" "59144" "80094" "747474"
    "4278608" "5734951" "20011000000"
};

/// The bundled logo of a chain.
pub(crate) fn icon(chain: ChainId) -> Option<&'static [u8]> {
    let wanted = chain.to_string();
    ICONS.iter().find(|(id, _)| *id == wanted).map(|(_, svg)| *svg)
}
