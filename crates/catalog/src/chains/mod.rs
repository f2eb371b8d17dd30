//! The chains: the bundled file, what configuration changes in it, and their icons.

mod file;
mod icon;
mod mark;
mod overrides;

pub use icon::Icon;
pub use overrides::{ChainOverride, CurrencyConfig, ExplorerConfig};

pub(crate) use file::parse;
pub(crate) use icon::Icons;
pub(crate) use overrides::apply;
