use std::net::SocketAddr;
use std::path::PathBuf;

/// Settings that win over the configuration file and the environment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overrides {
    /// The configuration file; without it `causeway.toml`, if it exists.
    pub(crate) file: Option<PathBuf>,
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) sandbox_rpc: Option<String>,
    pub(crate) fresh: bool,
}
