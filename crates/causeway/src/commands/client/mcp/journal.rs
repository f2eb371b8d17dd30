use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy_primitives::U256;
use causeway_client::wire::Token;
use serde::{Deserialize, Serialize};

use super::super::failure::Failure;

/// The window of the daily limit.
const DAY: Duration = Duration::from_hours(24);

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
enum Entry {
    /// Written before anything is signed.
    #[serde(rename_all = "camelCase")]
    Reserved { id: u64, at: u64, chain_id: u64, token: String, amount: U256, recipient: String },
    /// Nothing was signed.
    Released { id: u64 },
}

/// What the agent spent, kept on disk so that a restart does not renew the daily limit.
///
/// The file is locked: two agents with one journal would each spend the whole limit.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    entries: Vec<Entry>,
    next_id: u64,
}

/// A reservation of the daily limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reservation(u64);

impl Journal {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let fault = |error: std::io::Error| {
            Failure::Local(format!("cannot use the journal {}: {error}", path.display()))
        };
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true).mode(0o600);
        let file = options.open(path).map_err(fault)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::Local(format!(
                    "another agent uses the journal {}: give this one its own with --journal",
                    path.display()
                )));
            }
            Err(TryLockError::Error(error)) => return Err(fault(error)),
        }
        let mut entries = Vec::new();
        let mut lines = BufReader::new(&file).lines().peekable();
        let mut is_torn = false;
        while let Some(line) = lines.next() {
            match serde_json::from_str(&line.map_err(fault)?) {
                Ok(entry) => entries.push(entry),
                // A crash while writing leaves half of the last line; nothing was signed for it.
                Err(_) if lines.peek().is_none() => is_torn = true,
                Err(error) => {
                    return Err(Failure::Local(format!(
                        "the journal {} has an unreadable line: {error}",
                        path.display()
                    )));
                }
            }
        }
        let next_id = entries.iter().map(Entry::id).max().map_or(0, |id| id.saturating_add(1));
        let mut journal = Self { file, entries, next_id };
        if is_torn {
            journal.rewrite().map_err(fault)?;
        }
        Ok(journal)
    }

    /// Writes the readable entries anew, without the torn line.
    fn rewrite(&mut self) -> std::io::Result<()> {
        self.file.set_len(0)?;
        for entry in &self.entries {
            writeln!(self.file, "{}", serde_json::to_string(entry)?)?;
        }
        self.file.sync_all()
    }

    /// What was reserved of the token within the last 24 hours.
    fn spent(&self, token: &Token, now: u64) -> U256 {
        let since = now.saturating_sub(DAY.as_secs());
        let is_released = |wanted: u64| {
            self.entries.iter().any(|entry| matches!(entry, Entry::Released { id } if *id == wanted))
        };
        let amounts = self.entries.iter().filter_map(|entry| match entry {
            Entry::Reserved { id, at, chain_id, token: address, amount, .. }
                if *at > since
                    && *chain_id == token.chain_id
                    && address.eq_ignore_ascii_case(&token.address)
                    && !is_released(*id) =>
            {
                Some(*amount)
            }
            _ => None,
        });
        amounts.fold(U256::ZERO, U256::saturating_add)
    }

    /// Reserves an amount if the daily limit has room for it. The reservation is on disk when this returns.
    pub(super) fn reserve(
        &mut self,
        token: &Token,
        amount: U256,
        per_day: U256,
        recipient: &str,
    ) -> Result<Reservation, ReserveError> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let left = per_day.saturating_sub(self.spent(token, at));
        if amount > left {
            return Err(ReserveError::Exceeded { left });
        }
        let id = self.next_id;
        let (token, recipient) = (token.clone(), recipient.to_owned());
        self.append(Entry::Reserved {
            id,
            at,
            chain_id: token.chain_id,
            token: token.address,
            amount,
            recipient,
        })?;
        self.next_id = id.saturating_add(1);
        Ok(Reservation(id))
    }

    /// Gives a reservation back. Only for swaps of which nothing was signed.
    pub(super) fn release(&mut self, Reservation(id): Reservation) -> Result<(), ReserveError> {
        self.append(Entry::Released { id })
    }

    fn append(&mut self, entry: Entry) -> Result<(), ReserveError> {
        let line = serde_json::to_string(&entry).map_err(std::io::Error::from)?;
        self.file.write_all(format!("{line}\n").as_bytes())?;
        self.file.sync_data()?;
        self.entries.push(entry);
        Ok(())
    }
}

impl Entry {
    const fn id(&self) -> u64 {
        match self {
            Self::Reserved { id, .. } | Self::Released { id } => *id,
        }
    }
}

/// Why an amount was not reserved.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReserveError {
    #[error("the daily limit has room for {left} more raw units")]
    Exceeded { left: U256 },
    #[error("the journal cannot be written: {0}")]
    Io(#[from] std::io::Error),
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn token(chain_id: u64) -> Token {
        serde_json::from_value(json!({
            "chainId": chain_id, "address": "0xAb", "symbol": "USDC", "name": "USD Coin", "decimals": 6,
        }))
        .unwrap()
    }

    fn reserve(journal: &mut Journal, amount: u64) -> Result<Reservation, ReserveError> {
        journal.reserve(&token(1), U256::from(amount), U256::from(100), "0xb")
    }

    #[test]
    fn the_daily_limit_holds_over_restarts_and_by_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&path).unwrap();
        reserve(&mut journal, 60).unwrap();
        drop(journal);
        let mut journal = Journal::open(&path).unwrap();
        let refused = reserve(&mut journal, 41).unwrap_err();
        assert!(matches!(refused, ReserveError::Exceeded { left } if left == U256::from(40)), "{refused}");
        journal.reserve(&token(2), U256::from(100), U256::from(100), "0xb").unwrap();
        let reservation = reserve(&mut journal, 40).unwrap();
        assert!(reserve(&mut journal, 1).is_err());
        journal.release(reservation).unwrap();
        reserve(&mut journal, 40).unwrap();
    }

    #[test]
    fn spending_older_than_a_day_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(&folder.path().join("journal")).unwrap();
        reserve(&mut journal, 100).unwrap();
        let Entry::Reserved { at, .. } = journal.entries[0] else { panic!() };
        assert_eq!(journal.spent(&token(1), at + DAY.as_secs() - 1), U256::from(100));
        assert_eq!(journal.spent(&token(1), at + DAY.as_secs()), U256::ZERO);
    }

    #[test]
    fn a_torn_last_line_is_dropped_and_other_damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        reserve(&mut Journal::open(&path).unwrap(), 60).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{{\"kind\":\"Res")).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert!(reserve(&mut journal, 41).is_err());
        drop(journal);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        std::fs::write(&path, format!("nonsense\n{whole}")).unwrap();
        assert!(Journal::open(&path).unwrap_err().to_string().contains("unreadable line"));
    }

    #[test]
    fn two_agents_do_not_share_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let _first = Journal::open(&path).unwrap();
        assert!(Journal::open(&path).unwrap_err().to_string().contains("another agent"));
    }
}
