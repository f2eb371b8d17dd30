use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use causeway_domain::Address;
use causeway_domain::ports::{Hit, Screen, ScreenAsk, ScreenError};
use thiserror::Error;

/// What this screening is called.
const NAME: &str = "deny-list";

/// A list that cannot be used.
#[derive(Debug, Error)]
pub enum DenyListError {
    #[error(
        "line {line}: `{text}` is no address; write one EVM or Solana address per line, `#` before words"
    )]
    Line { line: usize, text: String },
    #[error("{} cannot be read: {error}", .path.display())]
    File { path: PathBuf, error: std::io::Error },
}

/// Addresses that make no order, each with the words that stand after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DenyList(HashMap<Address, String>);

impl DenyList {
    /// One address a line, words after it, and whole lines of words after `#`. One bad line spoils the list: an address that
    /// was mistyped would go unnoticed.
    pub fn parse(text: &str) -> Result<Self, DenyListError> {
        let mut list = HashMap::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (first, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let address = Address::parse_any(first).ok_or_else(|| DenyListError::Line {
                line: index.saturating_add(1),
                text: first.chars().take(80).collect(),
            })?;
            let words = words.trim().trim_start_matches('#').trim();
            list.insert(address, words.to_owned());
        }
        Ok(Self(list))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn hit(&self, ask: &ScreenAsk) -> Option<Hit> {
        let found = |wallet: &Address| self.0.get_key_value(wallet);
        let (wallet, words) = ask.wallets.iter().find_map(found)?;
        let reason = if words.is_empty() { "on the deny list" } else { words };
        Some(Hit { wallet: Some(*wallet), by: NAME.to_owned(), reason: reason.to_owned() })
    }
}

/// Which file it was that was read: another time or length is another file.
type Stamp = (SystemTime, u64);

/// A deny list in a file, read anew when the file changes. While the file cannot be read, the last good list stays in force.
#[derive(Debug)]
pub struct DenyFile {
    path: PathBuf,
    held: Mutex<(Option<Stamp>, Arc<DenyList>)>,
}

impl DenyFile {
    /// Reads the list, which must be good at the start.
    pub fn open(path: PathBuf) -> Result<Self, DenyListError> {
        let (stamp, list) = read(&path)?;
        Ok(Self { path, held: Mutex::new((Some(stamp), Arc::new(list))) })
    }

    /// The list as the file says now.
    fn current(&self) -> Arc<DenyList> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = stamp(&self.path).ok();
        if seen != held.0 {
            match read(&self.path) {
                Ok((stamp, list)) => {
                    tracing::info!(addresses = list.len(), "the deny list was read anew");
                    *held = (Some(stamp), Arc::new(list));
                }
                Err(error) => {
                    tracing::error!(%error, "the deny list cannot be read anew; the last good one stays in force");
                    // Said once for each change, not at each order.
                    held.0 = seen;
                }
            }
        }
        Arc::clone(&held.1)
    }
}

fn stamp(path: &Path) -> std::io::Result<Stamp> {
    let about = std::fs::metadata(path)?;
    Ok((about.modified()?, about.len()))
}

fn read(path: &Path) -> Result<(Stamp, DenyList), DenyListError> {
    let failed = |error| DenyListError::File { path: path.to_owned(), error };
    // The stamp comes first: what is written in between is noticed at the next look.
    let stamp = stamp(path).map_err(failed)?;
    let text = std::fs::read_to_string(path).map_err(failed)?;
    Ok((stamp, DenyList::parse(&text)?))
}

#[async_trait]
impl Screen for DenyFile {
    async fn screen(&self, ask: &ScreenAsk) -> Result<Option<Hit>, ScreenError> {
        Ok(self.current().hit(ask))
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::ports::Deal;
    use causeway_domain::{ChainId, RawAmount, TokenId};
    use proptest::prelude::*;

    use super::*;

    const MIXER: &str = "0x7F367cC41522cE07553e823bf3be79A889DEbe1B";

    fn ask(wallets: &[Address]) -> ScreenAsk {
        let asset = TokenId::native(ChainId::new(1).unwrap());
        ScreenAsk { deal: Deal::Swap, wallets: wallets.to_vec(), asset, amount: RawAmount::ZERO }
    }

    fn address(text: &str) -> Address {
        Address::parse_any(text).unwrap()
    }

    #[test]
    fn an_address_is_found_however_it_is_spelled() {
        let list =
            DenyList::parse(&format!("\u{feff}# sanctioned\r\n\r\n {} # a mixer\r\n", MIXER.to_lowercase()));
        let list = list.unwrap();
        let hit = list.hit(&ask(&[Address::Evm([1; 20].into()), address(MIXER)])).unwrap();
        assert_eq!((hit.wallet, hit.reason.as_str()), (Some(address(MIXER)), "a mixer"));
        assert!(list.hit(&ask(&[Address::Evm([1; 20].into())])).is_none());
    }

    #[test]
    fn one_bad_line_spoils_the_list_and_is_named() {
        let error = DenyList::parse(&format!("{MIXER}\nvitalik.eth\n")).unwrap_err();
        assert!(error.to_string().starts_with("line 2: `vitalik.eth` is no address"), "{error}");
    }

    #[tokio::test]
    async fn a_changed_file_counts_at_once_and_a_broken_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deny.txt");
        std::fs::write(&path, "").unwrap();
        let file = DenyFile::open(path.clone()).unwrap();
        let asked = ask(&[address(MIXER)]);
        assert_eq!(file.screen(&asked).await, Ok(None));
        std::fs::write(&path, MIXER).unwrap();
        assert!(file.screen(&asked).await.unwrap().is_some());
        std::fs::write(&path, "nonsense").unwrap();
        assert!(file.screen(&asked).await.unwrap().is_some(), "the last good list stays in force");
        std::fs::remove_file(&path).unwrap();
        assert!(file.screen(&asked).await.unwrap().is_some(), "also when the file is gone");
        std::fs::write(&path, "# nobody").unwrap();
        assert_eq!(file.screen(&asked).await, Ok(None));
    }

    #[test]
    fn a_missing_file_is_an_error_at_the_start() {
        let error = DenyFile::open("no/such/list".into()).unwrap_err();
        assert!(error.to_string().contains("no/such/list"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,200}") {
            let _ = DenyList::parse(&text);
        }

        #[test]
        fn every_listed_address_is_found(evm in any::<[u8; 20]>(), solana in any::<[u8; 32]>()) {
            let all = [Address::Evm(evm.into()), Address::Solana(solana)];
            let list = DenyList::parse(&format!("{}\n{}", all[0], all[1])).unwrap();
            prop_assert!(all.iter().all(|wallet| list.hit(&ask(&[*wallet])).is_some()));
        }
    }
}
