use std::ops::Range;

/// The role of a term for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Symbol,
    Name,
    Word,
}

/// An entry of a term: token ordinal and role, in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting(u32);

impl Posting {
    pub(super) fn new(ordinal: u32, kind: Kind) -> Self {
        Self((ordinal << 2) | kind as u32)
    }

    pub(super) fn ordinal(self) -> u32 {
        self.0 >> 2
    }

    pub(super) fn kind(self) -> Kind {
        match self.0 & 3 {
            0 => Kind::Symbol,
            1 => Kind::Name,
            _ => Kind::Word,
        }
    }
}

/// All distinct terms in alphabetical order with their tokens, in four flat arrays.
#[derive(Debug, Default)]
pub(super) struct Terms {
    text: Box<str>,
    text_ends: Box<[u32]>,
    postings: Box<[Posting]>,
    posting_ends: Box<[u32]>,
}

impl Terms {
    pub(super) fn build(mut entries: Vec<(Box<str>, Posting)>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        let (mut text, mut text_ends) = (String::new(), Vec::new());
        let (mut postings, mut posting_ends) = (Vec::with_capacity(entries.len()), Vec::new());
        for chunk in entries.chunk_by(|one, two| one.0 == two.0) {
            let Some((term, _)) = chunk.first() else { continue };
            text.push_str(term);
            postings.extend(chunk.iter().map(|(_, posting)| *posting));
            text_ends.push(end(text.len()));
            posting_ends.push(end(postings.len()));
        }
        Self {
            text: text.into(),
            text_ends: text_ends.into(),
            postings: postings.into(),
            posting_ends: posting_ends.into(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.text_ends.len()
    }

    pub(super) fn term(&self, position: usize) -> &str {
        self.text.get(span(&self.text_ends, position)).unwrap_or_default()
    }

    pub(super) fn postings(&self, position: usize) -> &[Posting] {
        self.postings.get(span(&self.posting_ends, position)).unwrap_or_default()
    }

    /// The positions of all terms that start with `prefix`; if it is a term itself, it comes first.
    pub(super) fn starting_with(&self, prefix: &str) -> Range<usize> {
        let start = self.partition_point(|term| term < prefix);
        let end = self.partition_point(|term| term < prefix || term.starts_with(prefix));
        start..end
    }

    fn partition_point(&self, before: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if before(self.term(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Ends are four bytes; a catalog stays far below four gigabytes.
fn end(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn span(ends: &[u32], position: usize) -> Range<usize> {
    let at = |index: usize| ends.get(index).map_or(0, |end| *end as usize);
    let start = position.checked_sub(1).map_or(0, at);
    start..at(position)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn build(terms: &[String]) -> Terms {
        let entries = terms
            .iter()
            .zip(0..)
            .map(|(term, ordinal)| (term.clone().into_boxed_str(), Posting::new(ordinal, Kind::Word)));
        Terms::build(entries.collect())
    }

    #[test]
    fn a_posting_keeps_ordinal_and_kind() {
        for kind in [Kind::Symbol, Kind::Name, Kind::Word] {
            let posting = Posting::new(123_456, kind);
            assert_eq!((posting.ordinal(), posting.kind()), (123_456, kind));
        }
    }

    proptest! {
        #[test]
        fn every_term_is_found_by_each_of_its_prefixes(
            terms in prop::collection::vec("[a-cä]{1,5}", 1..40), prefix in "[a-cä]{1,3}",
        ) {
            let index = build(&terms);
            let mut found: Vec<u32> = index
                .starting_with(&prefix)
                .flat_map(|position| index.postings(position).iter().map(|posting| posting.ordinal()))
                .collect();
            found.sort_unstable();
            let expected: Vec<u32> = terms.iter().zip(0..)
                .filter(|(term, _)| term.starts_with(&prefix))
                .map(|(_, ordinal)| ordinal)
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}
