use causeway_domain::ChainId;

use super::{Listed, Snapshot};
use crate::search::compact;
use crate::tokens::Cursor;

/// Which tokens a listing shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokenFilter<'a> {
    /// Part of a symbol or name, or an address.
    pub q: Option<&'a str>,
    /// Only these chains; all when empty.
    pub chains: &'a [ChainId],
}

/// One page of a listing.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    pub tokens: Vec<Listed<'a>>,
    /// Where the next page starts; `None` on the last.
    pub next: Option<Cursor>,
}

impl Snapshot {
    /// The tokens after `cursor`: well-known ones by rank, then the others in a stable order.
    pub fn tokens(&self, filter: TokenFilter<'_>, cursor: Option<Cursor>, limit: usize) -> Page<'_> {
        let start = cursor.map_or(0, |cursor| self.keys.partition_point(|key| *key <= cursor.get()));
        let scope = self.scope(filter.chains);
        let admitted =
            |ordinal: &usize| u32::try_from(*ordinal).is_ok_and(|ordinal| self.admits(&scope, ordinal));
        let q = filter.q.map(str::trim).filter(|q| !q.is_empty());
        let identified = q.and_then(|q| self.identified(q));
        let needle = q.map(compact).unwrap_or_default();
        let ordinals: Box<dyn Iterator<Item = usize>> = match (&identified, q) {
            (Some(found), _) => {
                Box::new(found.iter().map(|ordinal| *ordinal as usize).filter(|ordinal| *ordinal >= start))
            }
            (None, Some(_)) => Box::new(self.haystack.matches(&needle, start)),
            (None, None) => Box::new(start..self.tokens.len()),
        };
        let (taken, next) = cut(ordinals.filter(admitted), &self.keys, limit);
        let tokens =
            taken.into_iter().filter_map(|ordinal| self.listed(u32::try_from(ordinal).ok()?)).collect();
        Page { tokens, next: next.and_then(Cursor::new) }
    }
}

/// Takes a page and returns the key of its last token if another page follows.
///
/// Two hashed keys may rarely be equal. A cursor cannot point between them, so they stay on one page even if it
/// exceeds the limit.
fn cut(ordinals: impl Iterator<Item = usize>, keys: &[u64], limit: usize) -> (Vec<usize>, Option<u64>) {
    let key = |ordinal: usize| keys.get(ordinal).copied();
    let mut page: Vec<usize> = Vec::with_capacity(limit.min(1_000));
    for ordinal in ordinals {
        let last = page.last().and_then(|last| key(*last));
        if page.len() >= limit.max(1) && last != key(ordinal) {
            return (page, last);
        }
        page.push(ordinal);
    }
    (page, None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture;

    fn walk(snapshot: &Snapshot, filter: TokenFilter<'_>, limit: usize) -> Vec<String> {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let page = snapshot.tokens(filter, cursor, limit);
            assert!(page.tokens.len() <= limit);
            seen.extend(page.tokens.iter().map(|listed| listed.token.id.to_string()));
            cursor = page.next;
            if cursor.is_none() {
                return seen;
            }
        }
    }

    #[test]
    fn pages_of_any_size_list_everything_once_in_order() {
        let snapshot = fixture::snapshot();
        let whole = walk(&snapshot, TokenFilter::default(), 1_000);
        assert_eq!(whole.len(), snapshot.token_count());
        for limit in 1..6 {
            assert_eq!(walk(&snapshot, TokenFilter::default(), limit), whole);
        }
    }

    #[test]
    fn the_best_known_come_first() {
        let snapshot = fixture::snapshot();
        let page = snapshot.tokens(TokenFilter::default(), None, 3);
        let symbols: Vec<_> = page.tokens.iter().map(|listed| listed.token.symbol.as_str()).collect();
        assert_eq!(symbols, ["ETH", "ETH", "ETH"]);
    }

    #[test]
    fn the_filter_matches_symbol_name_and_address() {
        let snapshot = fixture::snapshot();
        let count =
            |q: &str| snapshot.tokens(TokenFilter { q: Some(q), chains: &[] }, None, 100).tokens.len();
        assert_eq!(count("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"), 1);
        assert!(count("sd co") >= 2);
        assert_eq!(count("nothing of the kind"), 0);
        let all_natives = count(&format!("0x{}", "E".repeat(40)));
        assert_eq!(all_natives, fixture::chains().iter().filter(|chain| chain.id.get() < 1 << 32).count());
    }

    #[test]
    fn a_filter_limits_pages_to_its_chains() {
        let snapshot = fixture::snapshot();
        let chains = [ChainId::new(8453).unwrap()];
        let filter = TokenFilter { q: Some("usd"), chains: &chains };
        let found = walk(&snapshot, filter, 1);
        assert!(!found.is_empty() && found.iter().all(|id| id.starts_with("eip155:8453:")));
    }

    #[test]
    fn a_cursor_that_matches_nothing_continues_after_it() {
        let snapshot = fixture::snapshot();
        let first = snapshot.tokens(TokenFilter::default(), Cursor::new(0), 2);
        assert_eq!(first.tokens.len(), 2);
        let end = snapshot.tokens(TokenFilter::default(), Cursor::new(Cursor::MAX), 2);
        assert!(end.tokens.is_empty() && end.next.is_none());
    }

    #[test]
    fn tokens_with_equal_keys_stay_on_one_page() {
        let keys = [1, 2, 2, 2, 3];
        assert_eq!(cut(0..5, &keys, 2), (vec![0, 1, 2, 3], Some(2)));
        assert_eq!(cut(4..5, &keys, 2), (vec![4], None));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn a_refresh_between_pages_neither_skips_nor_repeats_what_stays(
            before in prop::collection::btree_set(0u32..400, 0..120),
            after in prop::collection::btree_set(0u32..400, 0..120),
            limit in 1usize..20, pages in 0usize..8,
        ) {
            let (old, new) = (fixture::with_list(&before), fixture::with_list(&after));
            let (mut seen, mut cursor, mut turned) = (Vec::new(), None, 0);
            loop {
                let snapshot = if turned < pages { &old } else { &new };
                let page = snapshot.tokens(TokenFilter::default(), cursor, limit);
                seen.extend(page.tokens.iter().map(|listed| listed.token.id));
                turned += 1;
                cursor = page.next;
                if cursor.is_none() { break }
            }
            let mut distinct = seen.clone();
            distinct.sort_unstable();
            distinct.dedup();
            prop_assert_eq!(distinct.len(), seen.len());
            for stays in before.intersection(&after) {
                prop_assert!(seen.contains(&fixture::list_token(*stays).id));
            }
        }
    }
}
