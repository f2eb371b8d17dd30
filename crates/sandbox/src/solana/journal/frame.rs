use std::io::{self, Write};

/// The longest entry: no account is longer than ten mebibytes.
const MAX_LENGTH: usize = 256 << 20;
const HEADER_BYTES: usize = 8;

/// Writes one entry with its length and checksum; returns the bytes written.
pub(super) fn write(out: &mut impl Write, entry: &[u8]) -> io::Result<u64> {
    let length = u32::try_from(entry.len()).ok().filter(|length| *length as usize <= MAX_LENGTH);
    let length = length.ok_or_else(|| io::Error::other("an entry is too long"))?;
    let mut frame = Vec::with_capacity(HEADER_BYTES + entry.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&crc32fast::hash(entry).to_le_bytes());
    frame.extend_from_slice(entry);
    // One write: a crash between two would leave a header without its body.
    out.write_all(&frame)?;
    Ok(frame.len() as u64)
}

/// The entries of a file up to the first that is torn or damaged.
pub(super) fn read(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (checksum, rest) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (entry, rest) = rest.split_at_checked(length)?;
        (crc32fast::hash(entry) == u32::from_le_bytes(*checksum)).then_some(())?;
        bytes = rest;
        Some(entry)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(entries: &[Vec<u8>]) -> Vec<u8> {
        let mut out = Vec::new();
        for entry in entries {
            write(&mut out, entry).unwrap();
        }
        out
    }

    proptest! {
        #[test]
        fn a_file_cut_anywhere_yields_the_entries_before_the_cut(
            entries in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..40), 0..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let whole = file(&entries);
            let at = cut.index(whole.len() + 1);
            let found: Vec<_> = read(&whole[..at]).collect();
            let mut end = 0;
            let complete = entries.iter().take_while(|entry| { end += HEADER_BYTES + entry.len(); end <= at }).count();
            prop_assert_eq!(found.len(), complete);
            prop_assert!(found.iter().zip(&entries).all(|(found, entry)| found == entry));
        }

        #[test]
        fn a_flipped_bit_ends_the_file(
            entries in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..40), 1..6),
            place in any::<prop::sample::Index>(),
            bit in 0..8,
        ) {
            let mut damaged = file(&entries);
            let at = place.index(damaged.len());
            damaged[at] ^= 1_u8 << bit;
            let found = read(&damaged).count();
            prop_assert!(found < entries.len());
        }
    }
}
