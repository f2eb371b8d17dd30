use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use solana_account::Account;

use super::entry::{Entry, FORMAT, Start};
use super::{frame, path};
use crate::solana::ledger::Ledger;

/// Accounts per entry, to bound the size of an entry.
const ACCOUNTS_PER_ENTRY: usize = 64;

/// Writes a snapshot of the ledger to a new file, which replaces the old one only when it is complete.
pub(super) fn write(
    folder: &Path,
    ledger: &Ledger,
    ahead: i64,
    genesis: [u8; 32],
) -> io::Result<(File, u64)> {
    fs::create_dir_all(folder)?;
    let unfinished = folder.join("solana.journal.new");
    let mut out = Writer { file: BufWriter::new(File::create(&unfinished)?), length: 0 };

    let block = ledger.slots.open();
    let names = ledger.slots.names().clone();
    out.put(&Entry::Start(Start {
        format: FORMAT,
        genesis,
        names,
        slot: block.slot,
        time: block.time,
        ahead,
    }))?;
    let mut accounts = ledger.machine.own_accounts();
    loop {
        let chunk: Vec<_> = accounts
            .by_ref()
            .take(ACCOUNTS_PER_ENTRY)
            .map(|(address, account)| (*address, Some(Account::from(account.clone()))))
            .collect();
        if chunk.is_empty() {
            break;
        }
        out.put(&Entry::Accounts(chunk))?;
    }
    for record in ledger.history.oldest_first() {
        out.put(&Entry::Record(Box::new(record.as_ref().clone())))?;
    }
    out.put(&Entry::Ready)?;

    let file = out.file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    fs::rename(&unfinished, path(folder))?;
    // The new name is durable only with the folder.
    File::open(folder)?.sync_all()?;
    Ok((file, out.length))
}

struct Writer {
    file: BufWriter<File>,
    length: u64,
}

impl Writer {
    fn put(&mut self, entry: &Entry) -> io::Result<()> {
        let bytes = postcard::to_stdvec(entry).map_err(io::Error::other)?;
        self.length += frame::write(&mut self.file, &bytes)?;
        Ok(())
    }
}
