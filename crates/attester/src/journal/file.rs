use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use alloy_primitives::Address;

use super::line::{Line, VERSION};
use super::{JournalEntry, JournalError, JournalState};

/// An append-only file of checksummed lines, locked by one process at a time.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    broken: bool,
    /// Held for as long as the process lives, however it ends.
    _lock: File,
}

impl Journal {
    /// Opens or creates the journal of an attester in a folder of its own and returns its content. The torn end of an
    /// unfinished write is cut off; damage before a signed entry is an error.
    pub fn open(folder: &Path, attester: Address) -> Result<(Self, JournalState), JournalError> {
        let path = folder.join("journal");
        let io_error = |source| JournalError::Io { file: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(io_error)?;
        let lock = lock(folder)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(io_error)?;
        let bytes = std::fs::read(&path).map_err(io_error)?;
        let (state, length) = read(&path, &bytes, attester)?;
        file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length))).map_err(io_error)?;
        let mut journal = Self { path, file, length, broken: false, _lock: lock };
        if length == 0 {
            journal.write(&[Line::Begin { version: VERSION, attester }], true)?;
            journal.sync_folder()?;
        }
        Ok((journal, state))
    }

    /// Appends entries. With `sync` they, and all before them, are on the disk when this returns; without it they are in
    /// the operating system's cache, which survives the process.
    pub fn append(&mut self, entries: &[JournalEntry], sync: bool) -> Result<(), JournalError> {
        let lines: Vec<Line> = entries.iter().map(Line::new).collect();
        self.write(&lines, sync)
    }

    fn write(&mut self, lines: &[Line], sync: bool) -> Result<(), JournalError> {
        if self.broken {
            return Err(JournalError::Broken);
        }
        let text: Result<String, _> = lines.iter().map(Line::encode).collect();
        let text = text.map_err(|error| self.io_error(error.into()))?;
        let written = self.file.write_all(text.as_bytes());
        let written = written.and_then(|()| if sync { self.file.sync_data() } else { Ok(()) });
        if let Err(error) = written {
            // Half a line in the middle would read as damage, and after a failed sync the content of the disk is unknown.
            let undone = self.file.set_len(self.length);
            let undone = undone.and_then(|()| self.file.seek(SeekFrom::Start(self.length)));
            self.broken = sync || undone.is_err();
            return Err(self.io_error(error));
        }
        self.length += text.len() as u64;
        Ok(())
    }

    fn io_error(&self, source: io::Error) -> JournalError {
        JournalError::Io { file: self.path.clone(), source }
    }

    /// A new file survives a power cut only if its folder entry is synced.
    fn sync_folder(&self) -> Result<(), JournalError> {
        let folder = self.path.parent().unwrap_or(&self.path);
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| self.io_error(error))
    }
}

fn lock(folder: &Path) -> Result<File, JournalError> {
    let path = folder.join("lock");
    let io_error = |source| JournalError::Io { file: path.clone(), source };
    let file = File::create(&path).map_err(io_error)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(JournalError::Locked(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(io_error(error)),
    }
}

/// The content of the lines, and how many bytes of them are intact.
fn read(path: &Path, bytes: &[u8], attester: Address) -> Result<(JournalState, u64), JournalError> {
    let mut state = JournalState::default();
    let mut length = 0;
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').enumerate();
    while let Some((place, text)) = lines.next() {
        let Some(line) = Line::decode(text) else {
            // A power cut may leave holes in what was never synced, but nothing synced can follow a hole.
            let damaged = lines.any(|(_, text)| Line::decode(text).is_some_and(|line| line.is_synced()));
            if damaged || place == 0 && !is_torn_first_line(bytes) {
                return Err(JournalError::Damaged { file: path.to_owned(), line: place + 1 });
            }
            break;
        };
        match (&line, place) {
            (Line::Begin { version, .. }, _) if *version != VERSION => {
                return Err(JournalError::Version { file: path.to_owned() });
            }
            (Line::Begin { attester: owner, .. }, 0) if *owner == attester => {}
            (Line::Begin { attester: owner, .. }, 0) => {
                return Err(JournalError::Owner { file: path.to_owned(), owner: *owner });
            }
            (Line::Begin { .. }, _) | (_, 0) => {
                return Err(JournalError::Damaged { file: path.to_owned(), line: place + 1 });
            }
            _ => {}
        }
        if let Some(entry) = line.entry() {
            state.apply(entry);
        }
        length += text.len() as u64;
    }
    Ok((state, length))
}

/// Whether a file without a whole line can be the torn first line of a new journal.
fn is_torn_first_line(bytes: &[u8]) -> bool {
    bytes.len() < 256 && !bytes.contains(&b'\n')
}
