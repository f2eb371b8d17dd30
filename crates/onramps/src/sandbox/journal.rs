use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::session::{PurchaseTerms, Reason, State};
use super::switches::Switches;

/// The journal's version; another one is not read.
const VERSION: u32 = 1;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error("{file} is damaged in line {line}: restore it from a backup, or start with an empty folder")]
    Damaged { file: PathBuf, line: usize },
    #[error("{file} was written by another version of this program, or for another provider")]
    Mismatch { file: PathBuf },
    #[error("{file} cannot be used: {source}")]
    Io { file: PathBuf, source: io::Error },
    #[error("an earlier write could not be rolled back, so nothing more is written until a restart")]
    Broken,
}

/// One journal entry of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum JournalEntry {
    /// The first line.
    Begin {
        version: u32,
        provider: String,
    },
    Opened(PurchaseTerms),
    Moved {
        session: String,
        state: State,
        at: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        due_at: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
    },
    /// A transfer is owed; written before it is sent.
    #[serde(rename = "owes")]
    PayoutOwed {
        session: String,
        #[serde(rename = "place")]
        index: usize,
        amount: String,
    },
    /// The transfer was sent in this transaction, which may still be replaced.
    Sent {
        session: String,
        #[serde(rename = "place")]
        index: usize,
        tx: String,
    },
    /// The transfer is final on the chain.
    Landed {
        session: String,
        #[serde(rename = "place")]
        index: usize,
        tx: String,
    },
    /// The event was delivered to the partner, or given up.
    #[serde(rename = "told")]
    EventDelivered {
        event: String,
    },
    Switched(Switches),
}

/// An append-only file of checksummed lines; a line is on the disk when `append` returns.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    is_broken: bool,
}

impl Journal {
    /// Opens or creates a provider's journal, and returns its entries. The torn end of an unfinished write
    /// is cut off; damage before that is an error.
    pub(super) fn open(folder: &Path, provider: &str) -> Result<(Self, Vec<JournalEntry>), JournalError> {
        let path = folder.join("journal");
        let fault = |source| JournalError::Io { file: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(fault)?;
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(fault)?;
        let bytes = std::fs::read(&path).map_err(fault)?;
        let (mut entries, length) = read(&path, &bytes)?;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length))).map_err(fault)?;
        let mut journal = Self { path: path.clone(), file, length, is_broken: false };
        let begin = JournalEntry::Begin { version: VERSION, provider: provider.to_owned() };
        match entries.first() {
            None => {
                journal.append(&[begin])?;
                File::open(folder).and_then(|folder| folder.sync_all()).map_err(fault)?;
            }
            Some(first) if *first == begin => drop(entries.remove(0)),
            Some(_) => return Err(JournalError::Mismatch { file: path }),
        }
        Ok((journal, entries))
    }

    pub(super) fn append(&mut self, entries: &[JournalEntry]) -> Result<(), JournalError> {
        if self.is_broken {
            return Err(JournalError::Broken);
        }
        let text: Result<String, _> = entries.iter().map(encode).collect();
        let text = text.map_err(|error| self.fault(error.into()))?;
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // After a failed sync the state on disk is unknown, so the write is rolled back.
            let undone = self.file.set_len(self.length);
            self.is_broken = undone.and_then(|()| self.file.seek(SeekFrom::Start(self.length))).is_err();
            return Err(self.fault(error));
        }
        self.length += text.len() as u64;
        Ok(())
    }

    fn fault(&self, source: io::Error) -> JournalError {
        JournalError::Io { file: self.path.clone(), source }
    }
}

/// The entries, and the number of bytes of whole lines.
fn read(path: &Path, bytes: &[u8]) -> Result<(Vec<JournalEntry>, u64), JournalError> {
    let (mut entries, mut length) = (Vec::new(), 0);
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').enumerate();
    while let Some((place, text)) = lines.next() {
        let Some(entry) = decode(text) else {
            // Only the end of the file may be torn: no whole line follows it.
            if lines.any(|(_, text)| decode(text).is_some()) {
                return Err(JournalError::Damaged { file: path.to_owned(), line: place + 1 });
            }
            break;
        };
        entries.push(entry);
        length += text.len() as u64;
    }
    Ok((entries, length))
}

/// Checksum, content, end of line.
fn encode(entry: &JournalEntry) -> Result<String, serde_json::Error> {
    let content = serde_json::to_string(entry)?;
    Ok(format!("{:08x} {content}\n", crc32fast::hash(content.as_bytes())))
}

/// The entry; `None` if the line is torn or damaged.
fn decode(text: &[u8]) -> Option<JournalEntry> {
    let (checksum, content) = text.strip_suffix(b"\n")?.split_at_checked(9)?;
    let checksum = std::str::from_utf8(checksum).ok()?.strip_suffix(' ')?;
    let is_intact = u32::from_str_radix(checksum, 16).ok()? == crc32fast::hash(content);
    is_intact.then(|| serde_json::from_slice(content).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered(event: &str) -> JournalEntry {
        JournalEntry::EventDelivered { event: event.to_owned() }
    }

    fn entries(folder: &Path) -> Vec<JournalEntry> {
        Journal::open(folder, "p").unwrap().1
    }

    #[test]
    fn torn_last_line_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal");
        Journal::open(folder.path(), "p").unwrap().0.append(&[delivered("one")]).unwrap();
        let whole = std::fs::read(&file).unwrap();
        Journal::open(folder.path(), "p").unwrap().0.append(&[delivered("two")]).unwrap();
        let more = std::fs::read(&file).unwrap();
        for cut in whole.len()..more.len() {
            std::fs::write(&file, &more[..cut]).unwrap();
            assert_eq!(entries(folder.path()), [delivered("one")], "cut at {cut}");
        }
        Journal::open(folder.path(), "p").unwrap().0.append(&[delivered("three")]).unwrap();
        assert_eq!(
            entries(folder.path()),
            [delivered("one"), delivered("three")],
            "appending continues after the cut"
        );
    }

    #[test]
    fn damage_in_the_middle_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal");
        Journal::open(folder.path(), "p").unwrap().0.append(&[delivered("one"), delivered("two")]).unwrap();
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x15;
        std::fs::write(&file, &bytes).unwrap();
        let error = Journal::open(folder.path(), "p").unwrap_err();
        assert!(matches!(error, JournalError::Damaged { line: 2, .. }), "{error}");
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "the file is left unchanged");
    }

    #[test]
    fn journal_of_another_provider_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        Journal::open(folder.path(), "p").unwrap();
        assert!(matches!(Journal::open(folder.path(), "q"), Err(JournalError::Mismatch { .. })));
    }
}
