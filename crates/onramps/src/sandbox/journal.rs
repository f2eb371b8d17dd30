use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::session::{Agreement, Reason, State};
use super::switches::Switches;

/// The journal's version; another one is not read.
const VERSION: u32 = 1;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    #[error("{file} is damaged in line {line}: restore it from a copy, or start fresh")]
    Damaged { file: PathBuf, line: usize },
    #[error("{file} was written by another version of this program, or for another provider")]
    Foreign { file: PathBuf },
    #[error("{file} cannot be used: {source}")]
    Io { file: PathBuf, source: io::Error },
    #[error("an earlier write could not be undone, so nothing more is written until a restart")]
    Broken,
}

/// One thing that happened at a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Note {
    /// The first line.
    Begin {
        version: u32,
        provider: String,
    },
    Opened(Agreement),
    Moved {
        session: String,
        state: State,
        at: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        due_at: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
    },
    /// A transfer is owed; written before anything is sent for it.
    Owes {
        session: String,
        place: usize,
        amount: String,
    },
    /// The transfer is on its way in this transaction, which another one may still replace.
    Sent {
        session: String,
        place: usize,
        tx: String,
    },
    /// It stands on the chain.
    Landed {
        session: String,
        place: usize,
        tx: String,
    },
    /// The partner has heard of the event, or will never.
    Told {
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
    broken: bool,
}

impl Journal {
    /// Opens a provider's journal in its folder, or begins it, and tells what it holds. The torn end of a write that never
    /// finished goes; damage before that is an error.
    pub(super) fn open(folder: &Path, provider: &str) -> Result<(Self, Vec<Note>), JournalError> {
        let path = folder.join("journal");
        let fault = |source| JournalError::Io { file: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(fault)?;
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(fault)?;
        let bytes = std::fs::read(&path).map_err(fault)?;
        let (mut notes, length) = read(&path, &bytes)?;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length))).map_err(fault)?;
        let mut journal = Self { path: path.clone(), file, length, broken: false };
        let begin = Note::Begin { version: VERSION, provider: provider.to_owned() };
        match notes.first() {
            None => {
                journal.append(&[begin])?;
                File::open(folder).and_then(|folder| folder.sync_all()).map_err(fault)?;
            }
            Some(first) if *first == begin => drop(notes.remove(0)),
            Some(_) => return Err(JournalError::Foreign { file: path }),
        }
        Ok((journal, notes))
    }

    pub(super) fn append(&mut self, notes: &[Note]) -> Result<(), JournalError> {
        if self.broken {
            return Err(JournalError::Broken);
        }
        let text: Result<String, _> = notes.iter().map(encode).collect();
        let text = text.map_err(|error| self.fault(error.into()))?;
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // After a failed sync nobody knows what is on the disk; what was written must not be taken for true later.
            let undone = self.file.set_len(self.length);
            self.broken = undone.and_then(|()| self.file.seek(SeekFrom::Start(self.length))).is_err();
            return Err(self.fault(error));
        }
        self.length += text.len() as u64;
        Ok(())
    }

    fn fault(&self, source: io::Error) -> JournalError {
        JournalError::Io { file: self.path.clone(), source }
    }
}

/// What the lines say, and how many bytes of them are whole.
fn read(path: &Path, bytes: &[u8]) -> Result<(Vec<Note>, u64), JournalError> {
    let (mut notes, mut length) = (Vec::new(), 0);
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').enumerate();
    while let Some((place, text)) = lines.next() {
        let Some(note) = decode(text) else {
            // Only the end of a write that never finished may be torn: nothing whole follows it.
            if lines.any(|(_, text)| decode(text).is_some()) {
                return Err(JournalError::Damaged { file: path.to_owned(), line: place + 1 });
            }
            break;
        };
        notes.push(note);
        length += text.len() as u64;
    }
    Ok((notes, length))
}

/// Checksum, content, end of line.
fn encode(note: &Note) -> Result<String, serde_json::Error> {
    let content = serde_json::to_string(note)?;
    Ok(format!("{:08x} {content}\n", crc32fast::hash(content.as_bytes())))
}

/// The note, unless the line is torn or was changed.
fn decode(text: &[u8]) -> Option<Note> {
    let (checksum, content) = text.strip_suffix(b"\n")?.split_at_checked(9)?;
    let checksum = std::str::from_utf8(checksum).ok()?.strip_suffix(' ')?;
    let sound = u32::from_str_radix(checksum, 16).ok()? == crc32fast::hash(content);
    sound.then(|| serde_json::from_slice(content).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(event: &str) -> Note {
        Note::Told { event: event.to_owned() }
    }

    fn notes(folder: &Path) -> Vec<Note> {
        Journal::open(folder, "p").unwrap().1
    }

    #[test]
    fn a_torn_last_line_goes_wherever_it_was_torn() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal");
        Journal::open(folder.path(), "p").unwrap().0.append(&[told("one")]).unwrap();
        let whole = std::fs::read(&file).unwrap();
        Journal::open(folder.path(), "p").unwrap().0.append(&[told("two")]).unwrap();
        let more = std::fs::read(&file).unwrap();
        for cut in whole.len()..more.len() {
            std::fs::write(&file, &more[..cut]).unwrap();
            assert_eq!(notes(folder.path()), [told("one")], "cut at {cut}");
        }
        Journal::open(folder.path(), "p").unwrap().0.append(&[told("three")]).unwrap();
        assert_eq!(notes(folder.path()), [told("one"), told("three")], "and it goes on after that");
    }

    #[test]
    fn damage_in_the_middle_is_never_overlooked() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal");
        Journal::open(folder.path(), "p").unwrap().0.append(&[told("one"), told("two")]).unwrap();
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x15;
        std::fs::write(&file, &bytes).unwrap();
        let error = Journal::open(folder.path(), "p").unwrap_err();
        assert!(matches!(error, JournalError::Damaged { line: 2, .. }), "{error}");
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "nothing is repaired behind anybody's back");
    }

    #[test]
    fn another_providers_journal_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        Journal::open(folder.path(), "p").unwrap();
        assert!(matches!(Journal::open(folder.path(), "q"), Err(JournalError::Foreign { .. })));
    }
}
