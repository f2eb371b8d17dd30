//! The chains: the bundled file, configured overrides, and icons.

mod file;
mod icon;
mod overrides;
mod placeholder_icon;

pub use icon::Icon;
pub use overrides::{ChainOverride, CurrencyConfig, ExplorerConfig};

pub(crate) use file::parse;
pub(crate) use icon::Icons;
pub(crate) use overrides::apply;
