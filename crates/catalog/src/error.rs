use std::path::PathBuf;

use causeway_domain::TokenId;
use thiserror::Error;

use crate::ListError;

/// Why the catalog cannot be loaded.
#[derive(Debug, Error)]
pub enum CatalogError {
    /// The release itself is broken; no configuration fixes it.
    #[error("the bundled file {file} cannot be used: {reason}")]
    Bundled { file: &'static str, reason: String },
    #[error("the configuration of chain {id}: {reason}")]
    Chain { id: u64, reason: String },
    #[error("the icon {} of chain {id} cannot be used: {reason}", path.display())]
    Icon { id: u64, path: PathBuf, reason: String },
    #[error("the token {token} of our own deployment cannot be listed: {reason}")]
    Own { token: TokenId, reason: &'static str },
    #[error("the token list `{name}`: {source}")]
    List { name: String, source: ListError },
}
