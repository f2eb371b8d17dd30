mod entry;
mod frame;
mod past;
mod snapshot;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use entry::{ClosedBlock, Entry};

use super::config::SolanaError;
use super::ledger::{Forked, Ledger};

/// Idle slots after which the file learns how far the chain has come.
pub(super) const NOTE_EVERY: u64 = 64;
/// Bytes of blocks after which the file is written anew as one snapshot.
const COMPACT_AFTER: u64 = 16 << 20;

/// The file that makes a chain outlive its process: a snapshot, then one entry per slot in which something
/// happened.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    file: File,
    genesis: [u8; 32],
    /// Where the last whole entry ends.
    end: u64,
    snapshot: u64,
    noted: u64,
}

impl Journal {
    /// Starts a file with everything that the ledger holds, in place of the one that was there.
    pub(crate) fn begin(
        folder: &Path,
        ledger: &Ledger,
        ahead: i64,
        genesis: [u8; 32],
    ) -> Result<Self, SolanaError> {
        let written = snapshot::write(folder, ledger, ahead, genesis);
        let (file, end) = written.map_err(|source| SolanaError::File { path: path(folder), source })?;
        let noted = ledger.slots.open().slot;
        Ok(Self { folder: folder.to_owned(), file, genesis, end, snapshot: end, noted })
    }

    /// Keeps the open slot, which is about to close.
    pub(crate) fn closed(&mut self, ledger: &Ledger, ahead: i64) {
        let block = ledger.slots.open();
        let accounts = ledger.touched();
        let records: Vec<_> =
            ledger.history.of_slot(block.slot).map(|record| record.as_ref().clone()).collect();
        if accounts.is_empty() && records.is_empty() {
            if block.slot.saturating_sub(self.noted) >= NOTE_EVERY {
                self.note(block.slot, ahead);
            }
            return;
        }
        let closed = ClosedBlock { slot: block.slot, time: block.time, ahead, accounts, records };
        self.append(&Entry::Block(Box::new(closed)));
        self.noted = block.slot;
        self.sync();
        if self.end.saturating_sub(self.snapshot) > COMPACT_AFTER.max(self.snapshot) {
            self.compact(ledger, ahead);
        }
    }

    /// Keeps a fork.
    pub(crate) fn forked(&mut self, ledger: &Ledger, forked: Forked) {
        self.append(&Entry::Fork { slots: forked.slots, accounts: forked.accounts });
        self.noted = ledger.slots.open().slot;
        self.sync();
    }

    /// Keeps how far the chain came before it stops.
    pub(crate) fn stop(&mut self, ledger: &Ledger, ahead: i64) {
        self.note(ledger.slots.open().slot, ahead);
        self.sync();
    }

    fn note(&mut self, slot: u64, ahead: i64) {
        self.append(&Entry::Slot { slot, ahead });
        self.noted = slot;
    }

    fn append(&mut self, entry: &Entry) {
        let bytes = postcard::to_stdvec(entry).map_err(io::Error::other);
        match bytes.and_then(|bytes| frame::write(&mut self.file, &bytes)) {
            Ok(length) => self.end += length,
            Err(error) => {
                tracing::error!(%error, file = %path(&self.folder).display(), "a Solana block was not kept");
                // Half an entry would hide every entry behind it.
                let cut = self.file.set_len(self.end);
                if let Err(error) = cut.and_then(|()| seek_to_end(&mut self.file)) {
                    tracing::error!(%error, "the file of the Solana chain is damaged");
                }
            }
        }
    }

    fn sync(&self) {
        if let Err(error) = self.file.sync_data() {
            tracing::error!(%error, "the Solana chain did not reach the disk");
        }
    }

    fn compact(&mut self, ledger: &Ledger, ahead: i64) {
        match snapshot::write(&self.folder, ledger, ahead, self.genesis) {
            Ok((file, end)) => (self.file, self.end, self.snapshot) = (file, end, end),
            Err(error) => {
                tracing::error!(%error, "the file of the Solana chain was not compacted");
                self.snapshot = self.end;
            }
        }
    }

    /// Forgets what a folder holds.
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

/// The chain's file in a folder.
fn path(folder: &Path) -> PathBuf {
    folder.join("solana.journal")
}
