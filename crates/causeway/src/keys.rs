use std::path::Path;

use alloy_primitives::B256;
use anyhow::{Context as _, ensure};
use causeway_evm::Signer;
use causeway_sandbox::genesis::is_test_key;

use crate::config::Mode;

/// Reads a private key from `file` if one is named, else from the environment. In production a key that everybody knows is
/// refused. Nothing here ever shows the key.
pub(crate) fn read_key(mode: Mode, variable: &str, file: Option<&Path>) -> anyhow::Result<Signer> {
    let (place, text) = if let Some(file) = file {
        (file.display().to_string(), read_file(file)?)
    } else {
        let missing = || format!("set {variable} to the private key (64 hex digits)");
        (variable.to_owned(), std::env::var(variable).with_context(missing)?)
    };
    let key: B256 =
        text.trim().parse().ok().with_context(|| format!("{place} does not hold 64 hex digits"))?;
    let known = mode == Mode::Production && is_test_key(&key);
    ensure!(!known, "{place} holds a key of the test phrase, which everybody knows");
    Ok(Signer::from_bytes(&key.0)?)
}

fn read_file(file: &Path) -> anyhow::Result<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let fault = || format!("cannot read the key in {}", file.display());
    let mode = std::fs::metadata(file).with_context(fault)?.permissions().mode();
    let others = mode & 0o077;
    ensure!(others == 0, "others may read the key in {0}: chmod 600 {0}", file.display());
    std::fs::read_to_string(file).with_context(fault)
}
