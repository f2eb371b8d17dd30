use std::fs::{File, TryLockError};
use std::path::Path;

use anyhow::{Context as _, bail};

/// Allows one service per data folder; the lock ends with the process.
pub(crate) fn lock_data_dir(data_dir: &Path) -> anyhow::Result<File> {
    std::fs::create_dir_all(data_dir).with_context(|| format!("cannot create {}", data_dir.display()))?;
    let path = data_dir.join("lock");
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => bail!(
            "another causeway is running on the data folder {}: stop it, or choose another folder with --data-dir",
            data_dir.display()
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}
