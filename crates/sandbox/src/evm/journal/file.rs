use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::record::Record;
use crate::evm::ledger::{Ledger, RecentBlock};

/// A journal is compacted when it is larger than this and four times its last compacted size,
const COMPACT_BYTES: u64 = 4 * 1024 * 1024;
/// or when this many entries were added: each costs a hash at the next start.
const COMPACT_ENTRIES: u64 = 16_384;
const FRAME_HEAD: usize = 8;

/// The file that stores a chain: entries of length, checksum and records, each written at once.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    compacted_length: u64,
    entries: u64,
}

impl Journal {
    /// Writes a new journal and replaces an older one atomically.
    pub(super) fn create(path: &Path, entries: impl IntoIterator<Item = Vec<u8>>) -> io::Result<Self> {
        let draft = path.with_extension("new");
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&draft)?;
        let mut length = 0;
        {
            let mut out = io::BufWriter::new(&mut file);
            for entry in entries {
                let frame = frame(&entry)?;
                out.write_all(&frame)?;
                length += frame.len() as u64;
            }
            out.flush()?;
        }
        file.sync_all()?;
        std::fs::rename(&draft, path)?;
        sync_folder(path)?;
        Ok(Self { path: path.to_owned(), file, length, compacted_length: length, entries: 0 })
    }

    /// Opens a journal for appending after its first `length` bytes with `entries` entries. The rest is an incomplete
    /// write and is cut off.
    pub(super) fn resume(path: &Path, length: u64, entries: u64) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        if file.metadata()?.len() != length {
            file.set_len(length)?;
            file.sync_all()?;
        }
        file.seek(SeekFrom::Start(length))?;
        Ok(Self { path: path.to_owned(), file, length, compacted_length: length, entries })
    }

    /// Appends one entry. With `sync` it is on disk when this returns; without, in the OS cache, which survives a
    /// process crash.
    pub(crate) fn append(&mut self, records: &[Record], sync: bool) -> io::Result<()> {
        let frame = frame(&Record::encode_all(records))?;
        let written =
            self.file.write_all(&frame).and_then(|()| if sync { self.file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            // Half an entry in the middle would hide everything after it.
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::Start(self.length))?;
            return Err(error);
        }
        self.length += frame.len() as u64;
        self.entries += 1;
        Ok(())
    }

    /// Whether it is time to rewrite.
    pub(crate) fn is_due(&self) -> bool {
        self.entries >= COMPACT_ENTRIES || self.length > COMPACT_BYTES.max(self.compacted_length * 4)
    }

    /// Compacts the journal to the oldest kept state and everything after it.
    pub(crate) fn compact(&mut self, start: &Record, ledger: &Ledger) -> io::Result<()> {
        let base = ledger.base();
        let entries = std::iter::once(start.encode())
            .chain(Record::state(&base.world).map(|record| record.encode()))
            .chain(ledger.before_base().map(|block| Record::OldBlock(block.clone()).encode()))
            .chain(std::iter::once(Record::base(ledger).encode()))
            .chain(ledger.after_base().cloned().map(|recent| RecentBlock::into_record(recent).encode()));
        *self = Self::create(&self.path, entries)?;
        Ok(())
    }
}

fn frame(entry: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(entry.len()).map_err(|_| io::Error::other("a journal entry is over 4 GiB"))?;
    let mut frame = Vec::with_capacity(FRAME_HEAD + entry.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&crc32fast::hash(entry).to_le_bytes());
    frame.extend_from_slice(entry);
    Ok(frame)
}

/// The first whole entry of a journal's bytes, and what follows it; `None` at the end or where it is torn.
pub(super) fn split_entry(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (checksum, rest) = rest.split_first_chunk::<4>()?;
    let (entry, rest) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)?;
    // Zeros, which a crashed file system may leave, would pass as an empty entry.
    (!entry.is_empty() && crc32fast::hash(entry) == u32::from_le_bytes(*checksum)).then_some((entry, rest))
}

fn sync_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}
