use std::fmt;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::failure::Failure;

/// The environment variable of the private key.
const KEY: &str = "CAUSEWAY_KEY";
const MAX_KEY_BYTES: u64 = 4096;

/// A private key as text; never printed.
pub(crate) struct Key(String);

impl Key {
    /// From the file if given (`-` is standard input), else from the environment. Never from an argument, which every user
    /// of the machine can read.
    pub(crate) fn read(file: Option<&PathBuf>) -> Result<Self, Failure> {
        if let Some(file) = file {
            return Self::from_file(file);
        }
        Self::from_environment().ok_or_else(|| {
            Failure::usage(format!(
                "who pays? Put the private key into a file and name it with --key-file, or set {KEY}"
            ))
        })
    }

    /// The key in the environment, if any.
    pub(crate) fn from_environment() -> Option<Self> {
        std::env::var(KEY).ok().filter(|text| !text.trim().is_empty()).map(Self)
    }

    fn from_file(file: &Path) -> Result<Self, Failure> {
        let fault = |error: std::io::Error| {
            Failure::usage(format!("cannot read the key in {}: {error}", file.display()))
        };
        let mut text = String::new();
        if file == Path::new("-") {
            std::io::stdin().take(MAX_KEY_BYTES).read_to_string(&mut text).map_err(fault)?;
            return Ok(Self(text));
        }
        let opened = std::fs::File::open(file).map_err(fault)?;
        let others = opened.metadata().map_err(fault)?.permissions().mode() & 0o077;
        if others != 0 {
            return Err(Failure::usage(format!(
                "others may read the key in {0}: chmod 600 {0}",
                file.display()
            )));
        }
        opened.take(MAX_KEY_BYTES).read_to_string(&mut text).map_err(fault)?;
        Ok(Self(text))
    }

    /// The key itself, for signing.
    pub(crate) fn reveal(&self) -> &str {
        self.0.trim()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_file_readable_by_others_is_rejected_and_keys_are_redacted() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        std::fs::write(&file, " 0xabc\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let problem = Key::read(Some(&file)).unwrap_err().to_string();
        assert!(problem.contains("chmod 600"), "{problem}");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let key = Key::read(Some(&file)).unwrap();
        assert_eq!((key.reveal(), format!("{key:?}").as_str()), ("0xabc", "Key(***)"));
    }
}
