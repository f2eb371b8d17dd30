use alloy_primitives::{B256, U256};
use causeway_domain::IntentTerms;
use causeway_domain::ports::BatchedClaim;

/// Where the runs of changed terms begin in an entry's head, above the time of the fill.
const RUNS_AT: usize = 64;
/// The size of a run in the head: the place of its first term, and how many terms it has.
const RUN_BITS: usize = 16;
/// How many runs a head has room for.
const MAX_RUNS: usize = 12;
/// In the place of the number of terms: the run is one term, which is that of the place in the lower bits.
const SAME_AS: usize = 128;
/// A copied term costs another run or two of 32 gas each, and saves 16 gas for each of its bytes.
const WORTH_COPYING: usize = 8;

/// The entries of a batch claim as the escrow reads them: for each order a head, the reference of its fill, and the terms
/// that differ from the order before (of the first: from zero). Orders of one pair share most of their terms, and a term that
/// an earlier one of the order repeats, as the refund address does with the user, is named by its place.
pub(super) fn batch_entries(claims: &[BatchedClaim]) -> Vec<B256> {
    let mut entries = Vec::new();
    let mut before = [B256::ZERO; IntentTerms::WORDS];
    for claim in claims {
        let words = claim.terms.words();
        let mut head = U256::from(claim.filled_at);
        let mut changed: Vec<B256> = Vec::new();
        for (number, (first, count)) in runs(&before, &words).into_iter().enumerate() {
            let run = U256::from(first << 8 | count);
            head |= run << (RUNS_AT + number * RUN_BITS);
            if count < SAME_AS {
                changed.extend(words.iter().skip(first).take(count));
            }
        }
        entries.push(head.into());
        entries.push(claim.fill_ref);
        entries.extend(changed);
        before = words;
    }
    entries
}

/// The runs of places in which the words differ: the first place and the length of each, or [`SAME_AS`] and a place.
fn runs(before: &[B256], words: &[B256]) -> Vec<(usize, usize)> {
    let runs = runs_with(before, words, |place| earlier_place(words, place));
    // With 21 terms there are at most 11 runs if none is copied.
    if runs.len() <= MAX_RUNS { runs } else { runs_with(before, words, |_| None) }
}

fn runs_with(
    before: &[B256],
    words: &[B256],
    same_as: impl Fn(usize) -> Option<usize>,
) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (place, _) in before.iter().zip(words).enumerate().filter(|(_, (old, new))| old != new) {
        match (same_as(place), runs.last_mut()) {
            (Some(earlier), _) => runs.push((place, SAME_AS | earlier)),
            (None, Some((first, count))) if *count < SAME_AS && *first + *count == place => *count += 1,
            (None, _) => runs.push((place, 1)),
        }
    }
    runs
}

/// The place of an earlier term that is the same, where naming it is cheaper than repeating it.
fn earlier_place(words: &[B256], place: usize) -> Option<usize> {
    let word = words.get(place)?;
    let is_long = word.iter().filter(|byte| **byte != 0).count() >= WORTH_COPYING;
    words.iter().take(place).position(|earlier| earlier == word).filter(|_| is_long)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads entries as the escrow does.
    fn read(count: usize, entries: &[B256]) -> Vec<BatchedClaim> {
        let (mut words, mut at) = ([B256::ZERO; IntentTerms::WORDS], 0);
        let mut claims = Vec::new();
        for _ in 0..count {
            let head = U256::from_be_bytes(entries[at].0);
            let (filled_at, fill_ref) = (head.as_limbs()[0], entries[at + 1]);
            at += 2;
            let mut left = head >> RUNS_AT;
            while !left.is_zero() {
                let run = usize::try_from(left & U256::from(0xffff)).unwrap();
                let (first, size) = (run >> 8, run & 0xff);
                if size < SAME_AS {
                    words[first..first + size].copy_from_slice(&entries[at..at + size]);
                    at += size;
                } else {
                    words[first] = words[size - SAME_AS];
                }
                left >>= RUN_BITS;
            }
            let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
            claims.push(BatchedClaim { terms, filled_at, fill_ref });
        }
        assert_eq!(at, entries.len());
        claims
    }

    fn claim(changed: u32, value: u8, filled_at: u64) -> BatchedClaim {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        for (place, word) in
            words.iter_mut().enumerate().skip(1).filter(|(place, _)| changed >> place & 1 == 1)
        {
            // Addresses are long and may be the same, the other terms are short.
            let place = u8::try_from(place).unwrap();
            *word = if matches!(place, 3 | 5 | 7..=10 | 13 | 14 | 16) {
                B256::repeat_byte(value | 1)
            } else {
                B256::with_last_byte(value.wrapping_add(place))
            };
        }
        let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
        BatchedClaim { terms, filled_at, fill_ref: B256::repeat_byte(value) }
    }

    proptest! {
        #[test]
        fn rule_31_the_escrow_reads_every_order_of_a_batch_as_it_is(
            orders in proptest::collection::vec((any::<u32>(), any::<u8>(), any::<u64>()), 1..30),
        ) {
            let claims: Vec<_> = orders.into_iter().map(|(places, value, at)| claim(places, value, at)).collect();
            prop_assert_eq!(read(claims.len(), &batch_entries(&claims)), claims);
        }
    }

    #[test]
    fn rule_31_orders_of_one_pair_take_few_words() {
        let one = claim(0, 0, 5);
        let nonce = |byte| IntentTerms { nonce: B256::repeat_byte(byte), ..one.terms };
        let claims: Vec<_> = (1..=20).map(|byte| BatchedClaim { terms: nonce(byte), ..one }).collect();
        assert_eq!(batch_entries(&claims).len(), 2 + IntentTerms::WORDS + 19 * 3);
    }

    #[test]
    fn rule_31_an_address_that_an_order_has_twice_is_written_once() {
        let one = claim(0, 0, 5);
        let user = |byte| {
            let address = B256::left_padding_from(&[byte; 20]);
            IntentTerms { user: address, refund_to: address, recipient: address, ..one.terms }
        };
        let claims: Vec<_> = (1..=20).map(|byte| BatchedClaim { terms: user(byte), ..one }).collect();
        assert_eq!(batch_entries(&claims).len(), 2 + IntentTerms::WORDS - 2 + 19 * 3);
        assert_eq!(read(20, &batch_entries(&claims)), claims);
    }
}
