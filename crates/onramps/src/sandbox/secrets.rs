use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::path::Path;

use alloy_primitives::hex;

use crate::signature::Secret;

/// The secrets shared by a sandbox provider and the service, created once per data folder.
#[derive(Clone)]
pub(super) struct Secrets {
    /// The key of the provider's API.
    pub(super) api_key: String,
    /// Signs webhooks.
    pub(super) webhook: Secret,
}

impl Secrets {
    /// Reads or creates them, in a file that only its owner can read.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.join("secrets");
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text).ok_or_else(|| {
                let message = format!("{} is damaged: remove it, and a new one is created", path.display());
                io::Error::new(io::ErrorKind::InvalidData, message)
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let text = format!("{}\n{}\n", random()?, random()?);
                write(folder, &path, &text)?;
                Self::parse(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
            }
            Err(error) => Err(error),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (api_key, webhook) = text.trim_end().split_once('\n')?;
        let parse_key = |line: &str| hex::decode(line).ok().filter(|bytes| bytes.len() == 32);
        parse_key(api_key)?;
        Some(Self { api_key: api_key.to_owned(), webhook: Secret::new(parse_key(webhook)?) })
    }
}

fn random() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(hex::encode(bytes))
}

/// Atomic, even if the process dies.
fn write(folder: &Path, path: &Path, text: &str) -> io::Result<()> {
    let temporary = folder.join("secrets.new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&temporary)?;
    #[cfg(unix)]
    file.set_permissions(<Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o600))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&temporary, path)?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_created_once_and_readable_by_their_owner_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let made = Secrets::open(folder.path()).unwrap();
        let read = Secrets::open(folder.path()).unwrap();
        assert_eq!((made.api_key, made.webhook), (read.api_key, read.webhook));
        let permissions = std::fs::metadata(folder.path().join("secrets")).unwrap().permissions();
        assert_eq!(permissions.mode() & 0o777, 0o600);
        std::fs::write(folder.path().join("secrets"), "half").unwrap();
        assert!(Secrets::open(folder.path()).is_err());
    }
}
