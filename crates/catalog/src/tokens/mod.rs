//! The tokens: bundled ones, well-known assets, sort order and look-alikes.

mod assets;
mod bundled;
mod icon;
mod key;
mod lookalike;

pub use assets::{Asset, OwnToken};
pub use key::Cursor;

pub(crate) use assets::{Assets, parse as parse_assets};
pub(crate) use bundled::parse as parse_bundled;
pub(crate) use icon::token_icon;
pub(crate) use key::{is_well_known, sort_key};
pub(crate) use lookalike::Protected;

/// With more decimals amounts could not be priced within 256 bits.
pub(crate) const MAX_DECIMALS: u8 = 36;
