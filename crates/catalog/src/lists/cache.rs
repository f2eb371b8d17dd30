use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::config::Source;
use crate::digest::hex_digest;

/// The last valid copy of a list on disk: the document and its entity tag.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    document: PathBuf,
    tag: PathBuf,
}

impl Cache {
    /// The files of a list; another source gets other files.
    pub(super) fn new(folder: &Path, name: &str, source: &Source) -> Self {
        let source = match source {
            Source::Url(url) => url.clone(),
            Source::File(path) => path.display().to_string(),
        };
        let suffix = hex_digest(format!("{name}\n{source}").as_bytes(), 8);
        let readable: String = name
            .to_lowercase()
            .chars()
            .take(32)
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let stem = format!("{readable}-{suffix}");
        Self { document: folder.join(format!("{stem}.json")), tag: folder.join(format!("{stem}.etag")) }
    }

    pub(super) fn read(&self) -> Option<(Vec<u8>, Option<String>)> {
        let document = fs::read(&self.document).ok()?;
        Some((document, fs::read_to_string(&self.tag).ok()))
    }

    /// Writes the document before its tag, because a tag without its document would prevent a download.
    pub(super) fn write(&self, document: &[u8], tag: Option<&str>) -> io::Result<()> {
        if let Some(folder) = self.document.parent() {
            fs::create_dir_all(folder)?;
        }
        match fs::remove_file(&self.tag) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => replace(&self.document, document)?,
        }
        tag.map_or(Ok(()), |tag| replace(&self.tag, tag.as_bytes()))
    }
}

/// Replaces the file atomically.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = path.with_extension("part");
    fs::write(&unfinished, bytes)?;
    fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_round_trip_and_an_old_tag_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let cache =
            Cache::new(&folder.path().join("lists"), "My/../List", &Source::Url("https://x.org".into()));
        assert!(cache.read().is_none());
        cache.write(b"one", Some("\"1\"")).unwrap();
        assert_eq!(cache.read(), Some((b"one".to_vec(), Some("\"1\"".to_owned()))));
        cache.write(b"two", None).unwrap();
        assert_eq!(cache.read(), Some((b"two".to_vec(), None)));
    }

    #[test]
    fn lists_of_another_name_or_source_have_other_files() {
        let place = |name: &str, url: &str| {
            Cache::new(Path::new("lists"), name, &Source::Url(url.to_owned())).document
        };
        assert_ne!(place("a", "https://x.org"), place("b", "https://x.org"));
        assert_ne!(place("a", "https://x.org"), place("a", "https://y.org"));
        assert_ne!(place("a b", "https://x.org"), place("a-b", "https://x.org"));
        assert_eq!(place("../a", "https://x.org").parent(), Some(Path::new("lists")));
    }
}
