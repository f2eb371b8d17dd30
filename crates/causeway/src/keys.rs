use std::path::Path;

use alloy_primitives::B256;
use anyhow::{Context as _, ensure};
use causeway_domain::{QuoteKey, QuoteKeys};
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

/// Reads the keys that mark our quotes, newest first, one per line, from `file`; makes the file where there is none. Who loses it can
/// honour none of the orders that are open, which then go back to their payers.
pub(crate) fn quote_keys(file: &Path) -> anyhow::Result<QuoteKeys> {
    if !file.exists() {
        write_quote_key(file).with_context(|| format!("cannot write {}", file.display()))?;
    }
    let text = read_file(file)?;
    let read = |line: &str| line.trim().parse::<B256>().ok().map(|key| QuoteKey::new(key.0));
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let keys: Option<Vec<QuoteKey>> = lines.map(read).collect();
    let mut keys = keys
        .with_context(|| format!("{} must hold 64 hex digits on every line", file.display()))?
        .into_iter();
    let current = keys.next().with_context(|| format!("{} is empty", file.display()))?;
    Ok(QuoteKeys { current, older: keys.collect() })
}

/// Whole or not at all: another process that starts at the same moment reads either nothing or the key.
fn write_quote_key(file: &Path) -> anyhow::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let fresh = file.with_extension(format!("new-{}", std::process::id()));
    let mut writer = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    let key = B256::from(*QuoteKey::random()?.as_bytes());
    writeln!(writer, "{}", alloy_primitives::hex::encode(key))?;
    writer.sync_all()?;
    // Does not replace a file that came into being meanwhile.
    let linked = std::fs::hard_link(&fresh, file);
    std::fs::remove_file(&fresh)?;
    match linked {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.into()),
        _ => Ok(std::fs::File::open(folder)?.sync_all()?),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_quote_key_is_made_once_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys").join("quote");
        let made = quote_keys(&file).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(quote_keys(&file).unwrap().current.as_bytes(), made.current.as_bytes());
        assert_eq!(
            std::fs::read_dir(file.parent().unwrap()).unwrap().count(),
            1,
            "nothing is left beside it"
        );
    }

    #[test]
    fn older_quote_keys_stand_below_the_current_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("quote");
        quote_keys(&file).unwrap();
        std::fs::write(&file, format!("{}\n{}\n", "11".repeat(32), "22".repeat(32))).unwrap();
        let keys = quote_keys(&file).unwrap();
        assert_eq!(keys.current.as_bytes(), &[0x11; 32]);
        assert_eq!(keys.older.len(), 1);
        std::fs::write(&file, "not a key\n").unwrap();
        assert!(quote_keys(&file).unwrap_err().to_string().contains("64 hex digits"));
    }
}
