use causeway_domain::ports::StoreError;
use thiserror::Error;

use crate::fillers::FillerNameError;

/// Why a filler cannot be added or removed. All but the last are the operator's to fix.
#[derive(Debug, Error)]
pub enum RegistryError {
    #[error("`{0}` is not a valid filler name: use 1 to 62 letters, digits, `-`, `_` or `.`")]
    Name(String),
    #[error("the filler `{0}` is built in or configured in the configuration file: change it there")]
    Configured(String),
    #[error("there is no filler `{0}`")]
    Unknown(String),
    #[error("the filler cannot be used: {0}")]
    Unusable(String),
    #[error(transparent)]
    Clash(#[from] FillerNameError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
