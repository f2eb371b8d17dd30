//! The chains: the bundled file, configured overrides, and icons.

mod file;
mod icon;
mod overrides;
mod placeholder_icon;
mod policy;

pub use icon::Icon;
pub use overrides::{ChainOverride, CurrencyConfig, ExplorerConfig};

#[cfg(test)]
pub(crate) use file::parse;
pub(crate) use icon::Icons;
#[cfg(test)]
use overrides::apply;
pub(crate) use placeholder_icon::{ink_on, stroke};

use causeway_domain::Chain;

use crate::{CatalogError, data};

/// The bundled chains with the configured changes, ordered by id.
pub fn load_chains(overrides: &[ChainOverride]) -> Result<Vec<Chain>, CatalogError> {
    overrides::apply(file::parse(data::CHAINS)?, overrides)
}
