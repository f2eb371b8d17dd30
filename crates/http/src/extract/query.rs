use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use causeway_domain::ChainId;

use super::path::parse_chain_id;
use super::{Issues, check_text};
use crate::error::ApiError;

/// Cursors are JSON numbers, so they stay within the integers that a double represents exactly.
const MAX_CURSOR: u64 = (1 << 53) - 1;

/// The parameters of a query string and the issues found in them.
#[derive(Debug)]
pub(crate) struct QueryParams {
    pairs: Vec<(String, String)>,
    pub(crate) issues: Issues,
}

impl<S: Send + Sync> FromRequestParts<S> for QueryParams {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

impl QueryParams {
    pub(crate) fn parse(query: &str) -> Self {
        let pairs = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        Self { pairs, issues: Issues::default() }
    }

    /// A parameter that may occur at most once. It is moved out, so call this once per key.
    pub(crate) fn raw(&mut self, key: &str) -> Option<String> {
        let mut values = self.pairs.iter_mut().filter(|(name, _)| name == key);
        let first = values.next().map(|(_, value)| std::mem::take(value));
        if values.next().is_some() {
            self.issues.add(key, "is given more than once");
            return None;
        }
        first
    }

    /// Optional free text, at most once.
    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        let value = self.raw(key)?;
        self.issues.check(key, check_text(&value))?;
        Some(value)
    }

    /// Required free text, exactly once.
    pub(crate) fn required_text(&mut self, key: &str) -> Option<String> {
        if !self.has(key) {
            self.issues.add(key, "is required");
            return None;
        }
        self.text(key)
    }

    /// An optional chain id, at most once.
    pub(crate) fn chain_id(&mut self, key: &str) -> Option<ChainId> {
        let text = self.raw(key)?;
        self.issues.check(key, parse_chain_id(&text))
    }

    /// Whether the parameter is present.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.pairs.iter().any(|(name, _)| name == key)
    }

    /// Optional free text, at most once; blank text counts as absent.
    pub(crate) fn filled_text(&mut self, key: &str) -> Option<String> {
        let value = self.raw(key).filter(|value| !value.trim().is_empty())?;
        self.issues.check(key, check_text(&value))?;
        Some(value)
    }

    /// A list that is comma-joined, repeated or both, with or without `[]` after the key; `None` if it is absent.
    pub(crate) fn list(&self, key: &str) -> Option<Vec<&str>> {
        let is_key = |name: &str| name == key || name.strip_suffix("[]") == Some(key);
        let mut values = self.pairs.iter().filter(|(name, _)| is_key(name)).peekable();
        values.peek()?;
        let texts = values.flat_map(|(_, value)| value.split(',')).map(str::trim);
        Some(texts.filter(|text| !text.is_empty()).collect())
    }

    /// `chainIds=1,8453`, `chainIds=1&chainIds=8453`, `chainIds[]=1` or all of them; empty means every chain.
    pub(crate) fn chain_ids(&mut self) -> Vec<ChainId> {
        let (mut chains, mut issues) = (Vec::new(), Vec::new());
        for part in self.list("chainIds").unwrap_or_default() {
            match parse_chain_id(part) {
                Ok(chain) if !chains.contains(&chain) => chains.push(chain),
                Ok(_) => {}
                Err(_) => issues.push(part.chars().take(40).collect::<String>()),
            }
        }
        for shown in issues {
            self.issues.add("chainIds", format!("`{shown}` is not a chain id; write chainIds=1,8453"));
        }
        chains
    }

    /// The page size. Values above `max` are clamped, not rejected.
    pub(crate) fn limit(&mut self, default: usize, max: usize) -> usize {
        let Some(text) = self.raw("limit") else { return default };
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // A number that overflows `usize` is still only above the maximum.
        match (digits, text.parse::<usize>()) {
            (true, Ok(0)) | (false, _) => {
                self.issues.add("limit", format!("must be a whole number from 1 to {max}"));
                default
            }
            (true, Ok(limit)) => limit.min(max),
            (true, Err(_)) => max,
        }
    }

    /// The cursor of the previous page.
    pub(crate) fn cursor(&mut self) -> Option<u64> {
        let text = self.raw("cursor")?;
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let cursor = text.parse().ok().filter(|cursor| digits && *cursor <= MAX_CURSOR);
        if cursor.is_none() {
            self.issues.add("cursor", "is not one that a page was answered with; pass it back as it came");
        }
        cursor
    }

    /// Returns the collected issues as one error, if there are any.
    pub(crate) fn finish(self) -> Result<(), ApiError> {
        self.issues.finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(query: &str) -> (Vec<u64>, bool) {
        let mut params = QueryParams::parse(query);
        let chains = params.chain_ids().into_iter().map(ChainId::get).collect();
        (chains, params.finish().is_ok())
    }

    #[test]
    fn arrays_are_comma_joined_or_repeated() {
        assert_eq!(ids("chainIds=1,8453"), (vec![1, 8453], true));
        assert_eq!(ids("chainIds=1&chainIds=8453"), (vec![1, 8453], true));
        assert_eq!(ids("chainIds=1%2C8453&chainIds=1"), (vec![1, 8453], true));
        assert_eq!(ids(""), (vec![], true));
        assert_eq!(ids("chainIds=1,x"), (vec![1], false));
    }

    #[test]
    fn empty_chain_ids_are_as_if_absent_and_brackets_are_read() {
        for query in ["chainIds=", "chainIds=,", "chainIds[]=", "chainIds=%20", "chainIds"] {
            assert_eq!(ids(query), (vec![], true), "{query}");
        }
        assert_eq!(ids("chainIds[]=1&chainIds[]=8453&chainIds=10"), (vec![1, 8453, 10], true));
        assert_eq!(ids("chainIds%5B%5D=1,10"), (vec![1, 10], true));
        assert_eq!(ids("chainIds=1,,8453"), (vec![1, 8453], true));
    }

    #[test]
    fn blank_text_is_as_if_absent() {
        for query in ["q=", "q=%20", "q", ""] {
            let mut params = QueryParams::parse(query);
            assert_eq!(params.filled_text("q"), None, "{query}");
            assert!(params.finish().is_ok(), "{query}");
        }
        assert_eq!(QueryParams::parse("q=usdc").filled_text("q").as_deref(), Some("usdc"));
    }

    #[test]
    fn repeated_scalar_parameter_is_rejected() {
        let mut params = QueryParams::parse("q=a&q=b&limit=1&limit=1&cursor=1&cursor=2");
        params.text("q");
        params.limit(20, 100);
        params.cursor();
        let error = params.finish().unwrap_err();
        assert!(format!("{error:?}").matches("more than once").count() >= 3);
    }

    #[test]
    fn limits_above_the_maximum_are_clamped_and_invalid_ones_rejected() {
        let limit = |query: &str| {
            let mut params = QueryParams::parse(query);
            (params.limit(20, 100), params.finish().is_ok())
        };
        assert_eq!(limit(""), (20, true));
        assert_eq!(limit("limit=7"), (7, true));
        assert_eq!(limit("limit=5000"), (100, true));
        assert_eq!(limit("limit=99999999999999999999999"), (100, true));
        for bad in ["limit=-1", "limit=0", "limit=", "limit=ten", "limit=1.5"] {
            assert!(!limit(bad).1, "{bad}");
        }
    }

    #[test]
    fn invalid_cursors_are_rejected() {
        for bad in ["cursor=", "cursor=-1", "cursor=abc", "cursor=9007199254740992", "cursor=1e3"] {
            let mut params = QueryParams::parse(bad);
            assert!(params.cursor().is_none() && params.finish().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_query_does_not_panic(query in "\\PC{0,200}") {
            let mut params = QueryParams::parse(&query);
            let _ = (params.text("q"), params.chain_ids(), params.limit(20, 100), params.cursor());
            let _ = params.finish();
        }
    }
}
