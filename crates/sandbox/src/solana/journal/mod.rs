mod entry;
mod frame;
mod recovery;
mod snapshot;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use entry::{ClosedBlock, Entry};

use super::config::SolanaError;
use super::ledger::{Forked, Ledger};

/// Idle slots after which a checkpoint is written.
pub(super) const IDLE_CHECKPOINT_SLOTS: u64 = 64;
/// Bytes of blocks after which the file is compacted into one snapshot.
const COMPACT_AFTER: u64 = 16 << 20;

/// The file that makes a chain durable: a snapshot, then one entry per slot with changes.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    file: File,
    genesis: [u8; 32],
    /// The end of the last complete entry.
    end: u64,
    snapshot: u64,
    last_recorded: u64,
}

impl Journal {
    /// Creates the file with a snapshot of the ledger, replacing an existing one.
    pub(crate) fn create(
        folder: &Path,
        ledger: &Ledger,
        ahead: i64,
        genesis: [u8; 32],
    ) -> Result<Self, SolanaError> {
        let written = snapshot::write(folder, ledger, ahead, genesis);
        let (file, end) = written.map_err(|source| SolanaError::File { path: path(folder), source })?;
        let last_recorded = ledger.slots.open().slot;
        Ok(Self { folder: folder.to_owned(), file, genesis, end, snapshot: end, last_recorded })
    }

    /// Appends the open slot, which is about to close.
    pub(crate) fn append_block(&mut self, ledger: &Ledger, ahead: i64) {
        let block = ledger.slots.open();
        let accounts = ledger.touched();
        let records: Vec<_> =
            ledger.history.of_slot(block.slot).map(|record| record.as_ref().clone()).collect();
        if accounts.is_empty() && records.is_empty() {
            if block.slot.saturating_sub(self.last_recorded) >= IDLE_CHECKPOINT_SLOTS {
                self.checkpoint(block.slot, ahead);
            }
            return;
        }
        let closed = ClosedBlock { slot: block.slot, time: block.time, ahead, accounts, records };
        self.append(&Entry::Block(Box::new(closed)));
        self.last_recorded = block.slot;
        self.sync();
        if self.end.saturating_sub(self.snapshot) > COMPACT_AFTER.max(self.snapshot) {
            self.compact(ledger, ahead);
        }
    }

    /// Appends a fork.
    pub(crate) fn append_fork(&mut self, ledger: &Ledger, forked: Forked) {
        self.append(&Entry::Fork { slots: forked.slots, accounts: forked.accounts });
        self.last_recorded = ledger.slots.open().slot;
        self.sync();
    }

    /// Appends a final checkpoint.
    pub(crate) fn stop(&mut self, ledger: &Ledger, ahead: i64) {
        self.checkpoint(ledger.slots.open().slot, ahead);
        self.sync();
    }

    fn checkpoint(&mut self, slot: u64, ahead: i64) {
        self.append(&Entry::Slot { slot, ahead });
        self.last_recorded = slot;
    }

    fn append(&mut self, entry: &Entry) {
        let bytes = postcard::to_stdvec(entry).map_err(io::Error::other);
        match bytes.and_then(|bytes| frame::write(&mut self.file, &bytes)) {
            Ok(length) => self.end += length,
            Err(error) => {
                tracing::error!(%error, file = %path(&self.folder).display(), "Solana block not stored");
                // A partial entry would hide all later entries.
                let cut = self.file.set_len(self.end);
                if let Err(error) = cut.and_then(|()| seek_to_end(&mut self.file)) {
                    tracing::error!(%error, "Solana journal damaged");
                }
            }
        }
    }

    fn sync(&self) {
        if let Err(error) = self.file.sync_data() {
            tracing::error!(%error, "Solana journal not synced");
        }
    }

    fn compact(&mut self, ledger: &Ledger, ahead: i64) {
        match snapshot::write(&self.folder, ledger, ahead, self.genesis) {
            Ok((file, end)) => (self.file, self.end, self.snapshot) = (file, end, end),
            Err(error) => {
                tracing::error!(%error, "Solana journal not compacted");
                self.snapshot = self.end;
            }
        }
    }

    /// Removes the journal of a folder.
    pub(crate) fn remove(folder: &Path) -> Result<(), SolanaError> {
        match fs::remove_file(path(folder)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(SolanaError::File { path: path(folder), source })
            }
            _ => Ok(()),
        }
    }
}

fn seek_to_end(file: &mut File) -> io::Result<()> {
    io::Seek::seek(file, io::SeekFrom::End(0)).map(|_| ())
}

/// The path of the journal in a folder.
fn path(folder: &Path) -> PathBuf {
    folder.join("solana.journal")
}
