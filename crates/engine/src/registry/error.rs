use causeway_domain::ports::StoreError;
use thiserror::Error;

use crate::fillers::FillerNameError;

/// Why the fillers stay as they are. All but the last are for the operator to change.
#[derive(Debug, Error)]
pub enum RegistryError {
    #[error("`{0}` is no name for a filler: 1 to 62 letters, digits, `-`, `_` or `.`")]
    Name(String),
    #[error("the filler `{0}` is the service's own or stands in its configuration: change it there")]
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
