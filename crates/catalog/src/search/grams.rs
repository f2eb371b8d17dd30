use strsim::osa_distance;

use super::terms::Terms;

/// Term lengths with typo tolerance; shorter terms are too similar to each other.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=26;
const LETTERS: usize = 38;
const PAIRS: usize = LETTERS * LETTERS;
/// Maximum number of terms compared by edit distance per query, most shared pairs first.
const MAX_COMPARED: usize = 400;

/// A bigram index that finds the terms worth comparing with a misspelled word.
#[derive(Debug, Default)]
pub(super) struct Grams {
    /// Positions of terms by length, so that similar lengths are contiguous.
    by_length: Box<[u32]>,
    /// Where each length starts in `by_length`.
    length_starts: Box<[u32]>,
    /// Indices into `by_length`, grouped by pair, ascending within a group.
    members: Box<[u32]>,
    member_ends: Box<[u32]>,
}

/// Maximum edit distance for a word of that many letters.
pub(super) fn tolerance(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=5 => 1,
        _ => 2,
    }
}

impl Grams {
    pub(super) fn build(terms: &Terms) -> Self {
        let mut by_length: Vec<(u8, u32)> = (0u32..)
            .take(terms.len())
            .filter_map(|position| {
                let length = terms.term(position as usize).chars().count();
                LENGTHS.contains(&length).then(|| (u8::try_from(length).unwrap_or(u8::MAX), position))
            })
            .collect();
        by_length.sort_unstable();
        let length_starts = (0..=LENGTHS.end() + 1)
            .map(|length| by_length.partition_point(|(known, _)| usize::from(*known) < length))
            .map(|start| u32::try_from(start).unwrap_or(u32::MAX))
            .collect();
        let mut members: Vec<(u16, u32)> = Vec::with_capacity(by_length.len() * 8);
        for ((_, position), index) in by_length.iter().zip(0u32..) {
            members.extend(pairs(terms.term(*position as usize)).into_iter().map(|pair| (pair, index)));
        }
        members.sort_unstable();
        let member_ends = (0u16..)
            .take(PAIRS)
            .map(|pair| members.partition_point(|(known, _)| *known <= pair))
            .map(|end| u32::try_from(end).unwrap_or(u32::MAX))
            .collect();
        Self {
            by_length: by_length.into_iter().map(|(_, position)| position).collect(),
            length_starts,
            members: members.into_iter().map(|(_, index)| index).collect(),
            member_ends,
        }
    }

    /// The terms within the tolerated edit distance of `word`, with their distances.
    pub(super) fn near(&self, word: &str, terms: &Terms) -> Vec<(usize, usize)> {
        let letters = word.chars().count();
        let typos = tolerance(letters);
        let length_start = |length: usize| {
            self.length_starts.get(length.min(*LENGTHS.end() + 1)).map_or(0, |start| *start as usize)
        };
        let (low, high) = (length_start(letters.saturating_sub(typos)), length_start(letters + typos + 1));
        if typos == 0 || low >= high {
            return Vec::new();
        }
        let pairs = pairs(word);
        let mut shared = vec![0u8; high - low];
        for pair in &pairs {
            let members = self.members_of(*pair);
            let from = members.partition_point(|index| (*index as usize) < low);
            for index in members.iter().skip(from).take_while(|index| (**index as usize) < high) {
                if let Some(count) = shared.get_mut(*index as usize - low) {
                    *count += 1;
                }
            }
        }
        self.most_similar(&shared, low, min_shared(pairs.len(), typos))
            .into_iter()
            .filter_map(|position| {
                let distance = osa_distance(word, terms.term(position));
                (distance <= typos).then_some((position, distance))
            })
            .collect()
    }

    fn most_similar(&self, shared: &[u8], low: usize, least: u8) -> Vec<usize> {
        let mut alike: Vec<(u8, usize)> = shared
            .iter()
            .zip(low..)
            .filter(|(count, _)| **count >= least)
            .map(|(count, at)| (*count, at))
            .collect();
        if alike.len() > MAX_COMPARED {
            alike.select_nth_unstable_by(MAX_COMPARED, |one, two| two.cmp(one));
            alike.truncate(MAX_COMPARED);
        }
        alike.into_iter().filter_map(|(_, at)| self.by_length.get(at).map(|at| *at as usize)).collect()
    }

    fn members_of(&self, pair: u16) -> &[u32] {
        let end = |pair: usize| self.member_ends.get(pair).map_or(0, |end| *end as usize);
        let start = usize::from(pair).checked_sub(1).map_or(0, end);
        self.members.get(start..end(usize::from(pair))).unwrap_or_default()
    }
}

/// A typo breaks two pairs, or three for a transposition.
fn min_shared(pairs: usize, typos: usize) -> u8 {
    u8::try_from(pairs.saturating_sub(2 * typos + 1).max(2)).unwrap_or(u8::MAX)
}

/// The distinct bigrams, with a boundary marker before the first and after the last letter.
fn pairs(word: &str) -> Vec<u16> {
    let letters = std::iter::once(0).chain(word.chars().map(letter)).chain(std::iter::once(0));
    let mut last = None;
    let mut pairs: Vec<u16> = letters
        .filter_map(|letter| {
            let pair = last.map(|last: u16| last * 38 + letter);
            last = Some(letter);
            pair
        })
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// `a` to `z` and digits have distinct codes; all other characters share one.
fn letter(c: char) -> u16 {
    match c {
        'a'..='z' => c as u16 - 'a' as u16 + 1,
        '0'..='9' => c as u16 - '0' as u16 + 27,
        _ => 37,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::terms::{Kind, Posting};
    use super::*;

    fn near(word: &str, known: &[&str]) -> Vec<String> {
        let entries =
            known.iter().zip(0..).map(|(term, ordinal)| ((*term).into(), Posting::new(ordinal, Kind::Word)));
        let terms = Terms::build(entries.collect());
        let grams = Grams::build(&terms);
        grams.near(word, &terms).into_iter().map(|(position, _)| terms.term(position).to_owned()).collect()
    }

    #[test]
    fn typos_are_tolerated() {
        let known = ["ethereum", "solana", "arbitrum", "usdt", "polygon", "avalanche"];
        for (typed, meant) in [
            ("ethreum", "ethereum"),
            ("etheruem", "ethereum"),
            ("ehtereum", "ethereum"),
            ("ethereumm", "ethereum"),
            ("sokana", "solana"),
            ("solnaa", "solana"),
            ("udst", "usdt"),
            ("arbitum", "arbitrum"),
            ("plygon", "polygon"),
            ("avelanche", "avalanche"),
        ] {
            assert_eq!(near(typed, &known), [meant], "{typed}");
        }
    }

    #[test]
    fn short_words_have_no_typo_tolerance() {
        assert!(near("etj", &["eth", "etc"]).is_empty());
        assert!(near("abcd", &["wxyz", "usdc"]).is_empty());
    }

    proptest! {
        #[test]
        fn one_changed_letter_is_always_found(word in "[a-z]{5,12}", at in 0usize..12, letter in "[a-z]") {
            let at = at % word.len();
            let mut typed = word.clone();
            typed.replace_range(at..=at, &letter);
            // Words like `aaaaaa` have too few distinct pairs.
            prop_assume!(pairs(&word).len() > word.len() && pairs(&typed).len() > typed.len());
            prop_assert_eq!(near(&typed, &[&word]), [word]);
        }

        #[test]
        fn any_text_is_compared_without_panic(typed in "\\PC{0,60}", known in "\\PC{1,60}") {
            let _ = near(&typed, &[&known]);
        }
    }
}
