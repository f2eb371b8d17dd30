use alloy_primitives::hex;
use causeway_domain::ports::StoreError;
use causeway_domain::{Quote, QuoteId};

use super::compact;

/// The bytes of one index entry: the end of an id, and where its record ends.
const ENTRY_BYTES: usize = 12;
/// The ids of one batch start within one window of this many bits of milliseconds, so that few batches can hold an id.
const WINDOW_BITS: u32 = 7;

/// A quote to be written into a batch.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) row_key: i64,
    pub(crate) created_at: i64,
    pub(crate) place: Place,
    record: Vec<u8>,
}

/// Where a quote is stored, derived from its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The first 48 bits of the id: milliseconds, in every id made for batches.
    pub(crate) moment: i64,
    /// The last 64 bits of the id, which are random and used for a first comparison.
    pub(crate) mark: [u8; 8],
}

impl Place {
    pub(crate) fn of(id: &QuoteId) -> Self {
        Self::read(id.as_str()).unwrap_or(Self { moment: 0, mark: [0; 8] })
    }

    /// Every id has at least 32 digits.
    fn read(id: &str) -> Option<Self> {
        let mut mark = [0; 8];
        hex::decode_to_slice(id.get(id.len().checked_sub(16)?..)?, &mut mark).ok()?;
        Some(Self { moment: i64::from_str_radix(id.get(..12)?, 16).ok()?, mark })
    }

    pub(crate) const fn window(self) -> i64 {
        self.moment >> WINDOW_BITS
    }
}

/// The first millisecond of the window of a moment.
pub(crate) const fn window_start(moment: i64) -> i64 {
    moment & !((1 << WINDOW_BITS) - 1)
}

/// The last millisecond of the window of a moment.
pub(crate) const fn window_end(moment: i64) -> i64 {
    moment | ((1 << WINDOW_BITS) - 1)
}

impl From<&Quote> for Entry {
    fn from(quote: &Quote) -> Self {
        Self {
            row_key: quote.key.get(),
            created_at: quote.created_at.as_millisecond(),
            place: Place::of(&quote.id),
            record: compact::write(quote),
        }
    }
}

impl Entry {
    /// The id of its quote.
    pub(crate) fn id(&self) -> Result<QuoteId, StoreError> {
        let id = compact::id_of(&self.record).and_then(|id| hex::encode(id).parse().ok());
        id.ok_or(StoreError::Conflict("a record without the id of its quote"))
    }
}

/// A row of `quote_batches`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BatchRecord {
    pub(crate) row_key: i64,
    pub(crate) first_ms: i64,
    pub(crate) last_ms: i64,
    pub(crate) newest: i64,
    pub(crate) size: i64,
    pub(crate) contents: Vec<u8>,
    pub(crate) quotes: Vec<u8>,
}

impl BatchRecord {
    /// Builds one row of the quotes of one window; `None` if there are none.
    pub(crate) fn of(entries: &[&Entry]) -> Option<Self> {
        let moments = || entries.iter().map(|entry| entry.place.moment);
        let mut contents = Vec::with_capacity(entries.len() * ENTRY_BYTES);
        let mut quotes = Vec::with_capacity(entries.iter().map(|entry| entry.record.len()).sum());
        for entry in entries {
            quotes.extend_from_slice(&entry.record);
            contents.extend_from_slice(&entry.place.mark);
            contents.extend_from_slice(&u32::try_from(quotes.len()).ok()?.to_be_bytes());
        }
        Some(Self {
            row_key: entries.iter().map(|entry| entry.row_key).min()?,
            first_ms: moments().min()?,
            last_ms: moments().max()?,
            newest: entries.iter().map(|entry| entry.created_at).max()?,
            size: i64::try_from(entries.len()).ok()?,
            contents,
            quotes,
        })
    }
}

/// The id marks of a batch.
pub(crate) fn marks(contents: &[u8]) -> impl Iterator<Item = [u8; 8]> {
    contents.chunks_exact(ENTRY_BYTES).filter_map(|line| line.first_chunk().copied())
}

/// Finds the record of an id in a batch; `None` if the batch does not hold it.
pub(crate) fn find<'a>(
    id: &QuoteId,
    contents: &[u8],
    quotes: &'a [u8],
) -> Result<Option<&'a [u8]>, StoreError> {
    let mark = Place::of(id).mark;
    let end = |line: &[u8]| line.last_chunk().map(|end| u32::from_be_bytes(*end));
    let mut start = Some(0);
    for line in contents.chunks_exact(ENTRY_BYTES) {
        let bounds = start.zip(end(line));
        start = end(line);
        if !line.starts_with(&mark) {
            continue;
        }
        let record = bounds
            .and_then(|(start, end)| quotes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?));
        let known = record.and_then(|record| Some((record, compact::id_of(record)?)));
        let (record, found) = known.ok_or_else(|| damaged(id))?;
        if hex::encode(found) == id.as_str() {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// Decodes the quote of an id.
pub(crate) fn read(id: &QuoteId, record: &[u8]) -> Result<Quote, StoreError> {
    compact::read(record).ok_or_else(|| damaged(id))
}

/// Whether the stored record equals the entry's.
pub(crate) fn is_same(entry: &Entry, record: &[u8]) -> bool {
    entry.record == record
}

fn damaged(id: &QuoteId) -> StoreError {
    StoreError::Corrupt(format!("quote_batches.quotes holds no quote where {id} should be"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::compact::tests::any_quote;

    fn batch(quotes: &[Quote]) -> BatchRecord {
        let entries: Vec<Entry> = quotes.iter().map(Entry::from).collect();
        BatchRecord::of(&entries.iter().collect::<Vec<_>>()).unwrap()
    }

    proptest! {
        #[test]
        fn every_quote_of_a_batch_is_found_and_no_other(
            quotes in prop::collection::vec(any_quote(), 1..6), other in any_quote(),
        ) {
            let batch = batch(&quotes);
            for quote in &quotes {
                let record = find(&quote.id, &batch.contents, &batch.quotes).unwrap().unwrap();
                prop_assert_eq!(&read(&quote.id, record).unwrap(), quote);
                let moment = Place::of(&quote.id).moment;
                prop_assert!(batch.first_ms <= moment && moment <= batch.last_ms);
            }
            prop_assert!(find(&other.id, &batch.contents, &batch.quotes).unwrap().is_none());
        }

        #[test]
        fn damage_to_one_record_leaves_the_others(
            quotes in prop::collection::vec(any_quote(), 2..5), hit in any::<prop::sample::Index>(),
        ) {
            let mut batch = batch(&quotes);
            let hit = hit.index(quotes.len());
            let sizes: Vec<_> = quotes.iter().map(|quote| compact::write(quote).len()).collect();
            let start: usize = sizes[..hit].iter().sum();
            batch.quotes[start..start + sizes[hit]].fill(0xff);
            for (place, quote) in quotes.iter().enumerate() {
                let found = find(&quote.id, &batch.contents, &batch.quotes);
                if place == hit {
                    prop_assert!(matches!(found, Err(StoreError::Corrupt(_))));
                } else {
                    prop_assert_eq!(&read(&quote.id, found.unwrap().unwrap()).unwrap(), quote);
                }
            }
        }

        #[test]
        fn any_bytes_are_searched_without_panic(
            quote in any_quote(), contents in prop::collection::vec(any::<u8>(), 0..60),
            quotes in prop::collection::vec(any::<u8>(), 0..60),
        ) {
            let _ = find(&quote.id, &contents, &quotes);
            let mut pointing = Place::of(&quote.id).mark.to_vec();
            pointing.extend(contents);
            let _ = find(&quote.id, &pointing, &quotes);
        }
    }
}
