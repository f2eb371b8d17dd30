use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use causeway_domain::{Address, AddressError, ChainId, Family};

use super::{Issues, MAX_TEXT, check_text};
use crate::error::ApiError;

/// The path parameter of a route, percent-decoded. Where the route continues with `{*rest}`, the slashes are part of it.
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
        let mut params = params.iter();
        let (name, first) =
            params.next().ok_or_else(|| ApiError::internal(&"the route has no path parameter"))?;
        let value = params.fold(first.to_owned(), |value, (_, rest)| format!("{value}/{rest}"));
        Ok(Self { name: name.to_owned(), value })
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

    /// The parameter as a person types it: slashes, percent signs and emoji too. Control characters count as spaces.
    pub(crate) fn keyword(self, issues: &mut Issues) -> Option<String> {
        let text = self.value.replace(char::is_control, " ");
        let length = text.chars().count();
        let limit = if length > MAX_TEXT {
            Err(format!("is {length} characters long; at most {MAX_TEXT} are read"))
        } else {
            Ok(text)
        };
        issues.check(&self.name, limit)
    }

    /// The parameter as it came.
    pub(crate) fn raw(self) -> String {
        self.value
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

/// An address of any family, in the spelling that its family demands.
pub(crate) fn parse_address(text: &str) -> Result<Address, String> {
    let address = Address::parse_any(text).ok_or_else(|| no_address(text))?;
    Address::parse(address.family(), text).map_err(|error| error.to_string())
}

/// Why a text is no address: of families with checksums it is said which character to look for.
fn no_address(text: &str) -> String {
    let errors = [Family::Bitcoin, Family::Tron].map(|family| Address::parse(family, text).err());
    let mut known = errors.into_iter().flatten();
    let told = known.find(|error| !matches!(error, AddressError::Bitcoin | AddressError::Tron));
    let unknown = || "is neither an EVM address (0x and 40 hex digits) nor a Solana one (base58)".to_owned();
    told.map_or_else(unknown, |error| error.to_string())
}

pub(crate) fn parse_chain_id(text: &str) -> Result<ChainId, &'static str> {
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

    #[test]
    fn an_address_in_mixed_case_needs_its_eip_55_checksum() {
        assert!(parse_address("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266").is_ok());
        assert!(parse_address("0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266").is_ok());
        let words = parse_address("0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266").unwrap_err();
        assert!(words.contains("EIP-55") && words.contains("lower case"), "{words}");
        for (text, part) in [
            ("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "test network"),
            ("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", "checksum of this Bitcoin address"),
            ("41a614f803b6fd780986a42c78ec9c7f77e6ded13c", "hex form"),
            ("bitcoin", "neither"),
        ] {
            assert!(parse_address(text).unwrap_err().contains(part), "{text}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_does_not_panic(text in "\\PC{0,40}") {
            let _ = parse_chain_id(&text);
        }
    }
}
