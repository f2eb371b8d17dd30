use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use causeway_domain::{Address, ChainId};

use super::{Issues, check_text};
use crate::error::ApiError;

/// The single path parameter of a route, percent-decoded.
#[derive(Debug)]
pub(crate) struct PathParam {
    name: String,
    value: String,
}

impl<S: Send + Sync> FromRequestParts<S> for PathParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let params = RawPathParams::from_request_parts(parts, state).await.map_err(|_| {
            let mut issues = Issues::default();
            issues.add("path", "the percent-encoding is not valid UTF-8");
            issues.finish().err().unwrap_or_else(|| ApiError::validation(&[]))
        })?;
        let (name, value) =
            params.iter().next().ok_or_else(|| ApiError::internal(&"the route has no path parameter"))?;
        Ok(Self { name: name.to_owned(), value: value.to_owned() })
    }
}

impl PathParam {
    /// The parameter as free text.
    pub(crate) fn text(self, issues: &mut Issues) -> Option<String> {
        if self.value.contains('/') {
            issues.add(&self.name, "must not hold a slash");
            return None;
        }
        issues.check(&self.name, check_text(&self.value))?;
        Some(self.value)
    }

    /// The parameter as an address; its format determines the chain family.
    pub(crate) fn address(self, issues: &mut Issues) -> Option<Address> {
        let name = self.name.clone();
        let text = self.text(issues)?;
        issues.check(&name, parse_address(&text))
    }

    /// The parameter as a chain id.
    pub(crate) fn chain_id(&self, issues: &mut Issues) -> Option<ChainId> {
        issues.check(&self.name, parse_chain_id(&self.value))
    }
}

pub(crate) fn parse_address(text: &str) -> Result<Address, &'static str> {
    Address::parse_any(text)
        .ok_or("is neither an EVM address (0x and 40 hex digits) nor a Solana one (base58)")
}

pub(super) fn parse_chain_id(text: &str) -> Result<ChainId, &'static str> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let id = if digits { text.parse().ok().and_then(ChainId::new) } else { None };
    id.ok_or("a chain id is a number between 1 and 2^53 - 1")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn invalid_chain_ids_are_rejected() {
        for text in ["", "0", "-1", "+1", "1.0", "0x1", "9007199254740992", "18446744073709551616", "1 "] {
            assert!(parse_chain_id(text).is_err(), "{text}");
        }
        assert_eq!(parse_chain_id("8453").unwrap().get(), 8453);
    }

    proptest! {
        #[test]
        fn arbitrary_text_does_not_panic(text in "\\PC{0,40}") {
            let _ = parse_chain_id(&text);
        }
    }
}
