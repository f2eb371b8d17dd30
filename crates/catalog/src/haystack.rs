//! The symbols and names of all tokens in one text, for substring filters.

use crate::search::compact;

/// Folded symbols and names, token after token.
#[derive(Debug, Default)]
pub(crate) struct Haystack {
    text: Box<str>,
    ends: Box<[u32]>,
}

impl Haystack {
    pub(crate) fn build<'a, Names: IntoIterator<Item = &'a str>>(
        tokens: impl Iterator<Item = Names>,
    ) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for names in tokens {
            for name in names {
                text.push_str(&compact(name));
                // Folded text contains no line feed, so no match spans two names.
                text.push('\n');
            }
            ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        }
        Self { text: text.into(), ends: ends.into() }
    }

    /// The ordinals from `start` on whose symbol or name contains `needle`, ascending, each once.
    pub(crate) fn matches<'a>(&'a self, needle: &'a str, start: usize) -> impl Iterator<Item = usize> + 'a {
        let offset = start.checked_sub(1).and_then(|last| self.ends.get(last)).map_or(0, |end| *end as usize);
        let mut next = start;
        self.text.get(offset..).unwrap_or_default().match_indices(needle).filter_map(move |(at, _)| {
            let ordinal = self.ends.partition_point(|end| (*end as usize) <= offset + at);
            (ordinal >= next).then(|| {
                next = ordinal + 1;
                ordinal
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_stay_within_one_name_and_come_once_a_token() {
        let tokens = [["AA", "Aardvark"], ["BA", "Banana"], ["RK", "Ark"]];
        let haystack = Haystack::build(tokens.into_iter());
        let find = |needle: &str, start: usize| haystack.matches(needle, start).collect::<Vec<_>>();
        assert_eq!(find("a", 0), [0, 1, 2]);
        assert_eq!(find("a", 1), [1, 2]);
        assert_eq!(find("ark", 0), [0, 2]);
        assert_eq!(find("rkba", 0), Vec::<usize>::new());
        assert_eq!(find("a", 9), Vec::<usize>::new());
    }
}
