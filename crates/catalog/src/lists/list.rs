use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::Token;
use sha2::{Digest, Sha256};

use super::cache::Cache;
use super::config::{Source, TokenListConfig};
use super::format::{self, Parsed};
use super::{Fetcher, Incoming, ListError, MAX_LIST_BYTES, Refreshed};

pub(crate) type Tokens = Arc<[Arc<Token>]>;

/// One configured list with its source and current content.
#[derive(Debug)]
pub(crate) struct List {
    pub(crate) name: String,
    pub(crate) interval: Duration,
    source: Source,
    cache: Option<Cache>,
    current: Option<Current>,
}

#[derive(Clone, Debug)]
struct Current {
    tokens: Tokens,
    digest: [u8; 32],
    tag: Option<String>,
}

impl Current {
    fn new(parsed: Parsed, document: &[u8], tag: Option<String>) -> Self {
        let tokens = parsed.tokens.into_iter().map(Arc::new).collect();
        Self { tokens, digest: Sha256::digest(document).into(), tag }
    }
}

/// A document that differs from the current one.
#[derive(Debug)]
pub(crate) struct Change {
    current: Current,
    pub(crate) outcome: Refreshed,
}

impl List {
    /// Opens the list with its last valid copy, if any.
    pub(crate) fn open(config: &TokenListConfig, cache_dir: Option<&Path>) -> Result<Self, ListError> {
        let source = config.source()?;
        let cache = cache_dir.map(|folder| Cache::new(folder, &config.name, &source));
        let mut list =
            Self { name: config.name.clone(), interval: config.interval()?, source, cache, current: None };
        list.current = list.initial();
        Ok(list)
    }

    /// Reads a file at once. URLs are fetched later in the background; until then the cached copy is used.
    fn initial(&self) -> Option<Current> {
        if let Source::File(path) = &self.source {
            match read(path).and_then(|bytes| self.check(Incoming::Document { bytes, tag: None })) {
                Ok(change) => return change.map(|change| change.current),
                Err(error) => {
                    tracing::warn!(list = %self.name, %error, "token list invalid, trying its cached copy");
                }
            }
        }
        let (document, tag) = self.cache.as_ref()?.read()?;
        match format::parse(&document) {
            Ok(parsed) => Some(Current::new(parsed, &document, tag)),
            Err(error) => {
                tracing::warn!(list = %self.name, %error, "cached token list is damaged");
                None
            }
        }
    }

    pub(crate) fn tokens(&self) -> Tokens {
        self.current.as_ref().map(|current| Arc::clone(&current.tokens)).unwrap_or_default()
    }

    /// A request for the list that does not borrow it while waiting.
    pub(crate) fn request(
        &self,
        fetcher: Fetcher,
    ) -> impl Future<Output = Result<Incoming, ListError>> + use<> {
        let (source, tag) =
            (self.source.clone(), self.current.as_ref().and_then(|current| current.tag.clone()));
        async move { fetcher.get(&source, tag.as_deref()).await }
    }

    /// Validates a document and caches it on disk; `None` if nothing changed.
    pub(crate) fn check(&self, incoming: Incoming) -> Result<Option<Change>, ListError> {
        let Incoming::Document { bytes, tag } = incoming else { return Ok(None) };
        let known = self.current.as_ref();
        let same_bytes = known.is_some_and(|known| known.digest[..] == Sha256::digest(&bytes)[..]);
        if same_bytes && known.is_some_and(|known| known.tag == tag) {
            return Ok(None);
        }
        let parsed = format::parse(&bytes)?;
        if parsed.skipped > 0 {
            tracing::warn!(list = %self.name, skipped = parsed.skipped, "token list entries skipped");
        }
        if let Some(cache) = &self.cache
            && let Err(error) = cache.write(&bytes, tag.as_deref())
        {
            tracing::warn!(list = %self.name, %error, "token list cache write failed");
        }
        let outcome = if same_bytes {
            Refreshed::Unchanged
        } else {
            Refreshed::Updated { tokens: parsed.tokens.len(), skipped: parsed.skipped }
        };
        Ok(Some(Change { current: Current::new(parsed, &bytes, tag), outcome }))
    }

    pub(crate) fn accept(&mut self, change: Change) {
        self.current = Some(change.current);
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ListError> {
    let size = std::fs::metadata(path).map_err(ListError::File)?.len();
    if usize::try_from(size).is_ok_and(|size| size <= MAX_LIST_BYTES) {
        std::fs::read(path).map_err(ListError::File)
    } else {
        Err(ListError::TooLarge)
    }
}
