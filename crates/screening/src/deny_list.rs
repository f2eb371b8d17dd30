use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use causeway_domain::Address;
use causeway_domain::ports::{Hit, Screen, ScreenError, ScreenRequest};
use parking_lot::Mutex;
use thiserror::Error;

/// The name of this screening.
const NAME: &str = "deny-list";

/// An invalid deny list.
#[derive(Debug, Error)]
pub enum DenyListError {
    #[error(
        "line {line}: `{text}` is no address; write one EVM or Solana address per line, `#` before words"
    )]
    Line { line: usize, text: String },
    #[error("{} cannot be read: {error}", .path.display())]
    File { path: PathBuf, error: std::io::Error },
}

/// Denied addresses, each with an optional reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DenyList(HashMap<Address, String>);

impl DenyList {
    /// Parses one address per line with an optional reason; `#` starts a comment line. One invalid line rejects the whole
    /// list, because a mistyped address would go unnoticed.
    pub fn parse(text: &str) -> Result<Self, DenyListError> {
        let mut list = HashMap::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (first, reason) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let address = Address::parse_any(first).ok_or_else(|| DenyListError::Line {
                line: index.saturating_add(1),
                text: first.chars().take(80).collect(),
            })?;
            let reason = reason.trim().trim_start_matches('#').trim();
            list.insert(address, reason.to_owned());
        }
        Ok(Self(list))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn hit(&self, request: &ScreenRequest) -> Option<Hit> {
        let found = |wallet: &Address| self.0.get_key_value(wallet);
        let (wallet, reason) = request.wallets.iter().find_map(found)?;
        let reason = if reason.is_empty() { "on the deny list" } else { reason };
        Some(Hit { wallet: Some(*wallet), by: NAME.to_owned(), reason: reason.to_owned() })
    }
}

/// Modification time and length, to detect changes.
type Stamp = (SystemTime, u64);

/// A deny list file, reloaded when it changes. While the file is invalid, the last valid list stays active.
#[derive(Debug)]
pub struct DenyFile {
    path: PathBuf,
    loaded: Mutex<(Option<Stamp>, Arc<DenyList>)>,
}

impl DenyFile {
    /// Reads the list, which must be valid at start.
    pub fn open(path: PathBuf) -> Result<Self, DenyListError> {
        let (stamp, list) = read(&path)?;
        Ok(Self { path, loaded: Mutex::new((Some(stamp), Arc::new(list))) })
    }

    /// The list, reloaded if the file changed.
    fn current(&self) -> Arc<DenyList> {
        let mut loaded = self.loaded.lock();
        let seen = stamp(&self.path).ok();
        if seen != loaded.0 {
            match read(&self.path) {
                Ok((stamp, list)) => {
                    tracing::info!(addresses = list.len(), "deny list reloaded");
                    *loaded = (Some(stamp), Arc::new(list));
                }
                Err(error) => {
                    tracing::error!(%error, "deny list reload failed, last valid list stays active");
                    // Logged once per change, not per order.
                    loaded.0 = seen;
                }
            }
        }
        Arc::clone(&loaded.1)
    }
}

fn stamp(path: &Path) -> std::io::Result<Stamp> {
    let metadata = std::fs::metadata(path)?;
    Ok((metadata.modified()?, metadata.len()))
}

fn read(path: &Path) -> Result<(Stamp, DenyList), DenyListError> {
    let failed = |error| DenyListError::File { path: path.to_owned(), error };
    // The stamp is read first, so that a concurrent write is noticed next time.
    let stamp = stamp(path).map_err(failed)?;
    let text = std::fs::read_to_string(path).map_err(failed)?;
    Ok((stamp, DenyList::parse(&text)?))
}

#[async_trait]
impl Screen for DenyFile {
    async fn screen(&self, request: &ScreenRequest) -> Result<Option<Hit>, ScreenError> {
        Ok(self.current().hit(request))
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::ports::OrderKind;
    use causeway_domain::{ChainId, RawAmount, TokenId};
    use proptest::prelude::*;

    use super::*;

    const MIXER: &str = "0x7F367cC41522cE07553e823bf3be79A889DEbe1B";

    fn request(wallets: &[Address]) -> ScreenRequest {
        let asset = TokenId::native(ChainId::new(1).unwrap());
        ScreenRequest { kind: OrderKind::Swap, wallets: wallets.to_vec(), asset, amount: RawAmount::ZERO }
    }

    fn address(text: &str) -> Address {
        Address::parse_any(text).unwrap()
    }

    #[test]
    fn an_address_is_found_in_any_spelling() {
        let list =
            DenyList::parse(&format!("\u{feff}# sanctioned\r\n\r\n {} # a mixer\r\n", MIXER.to_lowercase()));
        let list = list.unwrap();
        let hit = list.hit(&request(&[Address::Evm([1; 20].into()), address(MIXER)])).unwrap();
        assert_eq!((hit.wallet, hit.reason.as_str()), (Some(address(MIXER)), "a mixer"));
        assert!(list.hit(&request(&[Address::Evm([1; 20].into())])).is_none());
    }

    #[test]
    fn one_invalid_line_rejects_the_list_and_is_named() {
        let error = DenyList::parse(&format!("{MIXER}\nvitalik.eth\n")).unwrap_err();
        assert!(error.to_string().starts_with("line 2: `vitalik.eth` is no address"), "{error}");
    }

    #[tokio::test]
    async fn a_changed_file_applies_at_once_and_an_invalid_one_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deny.txt");
        std::fs::write(&path, "").unwrap();
        let file = DenyFile::open(path.clone()).unwrap();
        let request = request(&[address(MIXER)]);
        assert_eq!(file.screen(&request).await, Ok(None));
        std::fs::write(&path, MIXER).unwrap();
        assert!(file.screen(&request).await.unwrap().is_some());
        std::fs::write(&path, "nonsense").unwrap();
        assert!(file.screen(&request).await.unwrap().is_some(), "the last valid list stays active");
        std::fs::remove_file(&path).unwrap();
        assert!(file.screen(&request).await.unwrap().is_some(), "also when the file is missing");
        std::fs::write(&path, "# nobody").unwrap();
        assert_eq!(file.screen(&request).await, Ok(None));
    }

    #[test]
    fn a_missing_file_is_an_error_at_the_start() {
        let error = DenyFile::open("no/such/list".into()).unwrap_err();
        assert!(error.to_string().contains("no/such/list"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_rejected(text in ".{0,200}") {
            let _ = DenyList::parse(&text);
        }

        #[test]
        fn every_listed_address_is_found(evm in any::<[u8; 20]>(), solana in any::<[u8; 32]>()) {
            let all = [Address::Evm(evm.into()), Address::Solana(solana)];
            let list = DenyList::parse(&format!("{}\n{}", all[0], all[1])).unwrap();
            prop_assert!(all.iter().all(|wallet| list.hit(&request(&[*wallet])).is_some()));
        }
    }
}
