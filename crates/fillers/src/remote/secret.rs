use std::fmt;

use alloy_primitives::hex;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use thiserror::Error;

/// Header: when a call was made, in Unix seconds.
pub const TIMESTAMP: &str = "x-causeway-timestamp";
/// Header: unique id of a call.
pub const NONCE: &str = "x-causeway-nonce";
/// Header: the signature of a call, and of its response.
pub const SIGNATURE: &str = "x-causeway-signature";
/// Header: milliseconds left to respond.
pub const DEADLINE: &str = "x-causeway-deadline-ms";

/// Maximum difference between a call's timestamp and the receiver's clock.
pub const WINDOW_SECONDS: u64 = 300;

/// Shorter secrets can be guessed.
const MIN_SECRET_BYTES: usize = 16;

/// Why a secret is rejected.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SecretError {
    #[error(
        "a filler's secret needs at least {MIN_SECRET_BYTES} characters; `openssl rand -hex 32` generates one"
    )]
    TooShort,
}

/// The shared HMAC key of a filler and the service, initialized once.
#[derive(Clone)]
pub struct Secret(Hmac<Sha256>);

impl Secret {
    pub fn new(text: &str) -> Result<Self, SecretError> {
        if text.len() < MIN_SECRET_BYTES {
            return Err(SecretError::TooShort);
        }
        // HMAC accepts keys of any length.
        Hmac::new_from_slice(text.as_bytes()).map(Self).map_err(|_| SecretError::TooShort)
    }

    fn request(&self, timestamp: &str, nonce: &str, path: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        for part in ["request\n", timestamp, "\n", nonce, "\nPOST\n", path, "\n"] {
            mac.update(part.as_bytes());
        }
        mac.update(body);
        mac
    }

    /// Includes the call's nonce, so that an earlier response is invalid for a later call.
    fn answer(&self, nonce: &str, status: u16, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        for part in ["answer\n", nonce, "\n", &status.to_string(), "\n"] {
            mac.update(part.as_bytes());
        }
        mac.update(body);
        mac
    }

    /// The signature of a call, in hex.
    pub fn sign_request(&self, timestamp: &str, nonce: &str, path: &str, body: &[u8]) -> String {
        hex::encode(self.request(timestamp, nonce, path, body).finalize().into_bytes())
    }

    /// Whether a call was signed with this secret.
    pub fn has_signed_request(
        &self,
        timestamp: &str,
        nonce: &str,
        path: &str,
        body: &[u8],
        signature: &str,
    ) -> bool {
        verify(self.request(timestamp, nonce, path, body), signature)
    }

    /// The signature of the response to the call with that nonce, in hex.
    pub fn sign_answer(&self, nonce: &str, status: u16, body: &[u8]) -> String {
        hex::encode(self.answer(nonce, status, body).finalize().into_bytes())
    }

    /// Whether a response was signed with this secret for this call.
    pub fn has_signed_answer(&self, nonce: &str, status: u16, body: &[u8], signature: &str) -> bool {
        verify(self.answer(nonce, status, body), signature)
    }
}

fn verify(mac: Hmac<Sha256>, signature: &str) -> bool {
    let mut bytes = [0; 32];
    hex::decode_to_slice(signature, &mut bytes).is_ok() && mac.verify_slice(&bytes).is_ok()
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn secret() -> Secret {
        Secret::new("correct horse battery staple").unwrap()
    }

    #[test]
    fn signature_matches_the_documented_example() {
        // As `printf 'request\n…' | openssl dgst -sha256 -hmac …` prints it.
        let signature = secret().sign_request("1794744000", "00ff", "/quote", b"{}");
        assert_eq!(signature, "0093419f45f3d40e42d351688f7dbbb3ede17f77f0b7254641bcdc312144da13");
    }

    #[test]
    fn short_secret_is_rejected() {
        assert!(matches!(Secret::new("hunter2"), Err(SecretError::TooShort)));
        assert!(!format!("{:?}", secret()).contains("horse"));
    }

    #[test]
    fn request_and_response_signatures_are_not_interchangeable() {
        let answered = secret().sign_answer("1\n2\nPOST\n/quote", 200, b"");
        assert!(!secret().has_signed_request("1", "2", "/quote", b"", &answered));
        let called = secret().sign_request("1", "2", "/quote", b"");
        assert!(!secret().has_signed_answer("1", 200, b"", &called));
    }

    #[test]
    fn response_signature_is_bound_to_its_request() {
        let signature = secret().sign_answer("first", 200, b"{}");
        assert!(secret().has_signed_answer("first", 200, b"{}", &signature));
        assert!(!secret().has_signed_answer("second", 200, b"{}", &signature));
        assert!(!secret().has_signed_answer("first", 201, b"{}", &signature));
    }

    proptest! {
        #[test]
        fn any_change_invalidates_a_signature(
            body in prop::collection::vec(any::<u8>(), 1..200), at in any::<prop::sample::Index>(), flip in 1u8..,
        ) {
            let signature = secret().sign_request("1", "n", "/quote", &body);
            prop_assert!(secret().has_signed_request("1", "n", "/quote", &body, &signature));
            let mut changed = body.clone();
            let place = at.index(body.len());
            changed[place] ^= flip;
            prop_assert!(!secret().has_signed_request("1", "n", "/quote", &changed, &signature));
            let other = Secret::new("another secret of enough length").unwrap();
            prop_assert!(!other.has_signed_request("1", "n", "/quote", &body, &signature));
        }

        #[test]
        fn arbitrary_signature_text_never_panics(text in ".{0,80}") {
            let is_valid = secret().has_signed_answer("n", 200, b"{}", &text);
            prop_assert!(!is_valid);
        }
    }
}
