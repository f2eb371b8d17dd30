use std::collections::HashSet;
use std::fmt;

use jiff::Timestamp;
use parking_lot::Mutex;
use thiserror::Error;

use super::Secret;
use super::secret::{NONCE, SIGNATURE, TIMESTAMP, WINDOW_SECONDS};

/// Longer nonces are rejected.
const MAX_NONCE_LENGTH: usize = 64;

/// A signed request as a filler's server receives it.
#[derive(Clone, Copy, Debug)]
pub struct SignedRequest<'a> {
    /// The request path, such as `/quote`.
    pub path: &'a str,
    pub timestamp: &'a str,
    pub nonce: &'a str,
    pub signature: &'a str,
    pub body: &'a [u8],
}

impl<'a> SignedRequest<'a> {
    /// Reads a request from its headers; missing headers are empty, and rejected.
    pub fn read(path: &'a str, header: impl Fn(&'static str) -> Option<&'a str>, body: &'a [u8]) -> Self {
        let header = |name| header(name).unwrap_or_default();
        Self { path, timestamp: header(TIMESTAMP), nonce: header(NONCE), signature: header(SIGNATURE), body }
    }
}

/// Why a request is rejected; the response is 401.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum AuthError {
    #[error("a request needs {TIMESTAMP}, {NONCE} and {SIGNATURE}")]
    Unsigned,
    #[error("the timestamp is more than {WINDOW_SECONDS} seconds from the server's time: check both clocks")]
    Stale,
    #[error("the signature is invalid: both sides need the same secret")]
    Signature,
    #[error("this nonce was used before")]
    Replayed,
}

/// Authenticates the service's requests in a filler's server: verifies what [`super::RemoteFiller`] signs.
pub struct RequestAuthenticator {
    secret: Secret,
    seen: Mutex<SeenNonces>,
}

/// Recent nonces in two generations: when the newer one is older than any valid request, it
/// replaces the older one.
#[derive(Default)]
struct SeenNonces {
    newer: HashSet<String>,
    older: HashSet<String>,
    rotated_at: i64,
}

impl RequestAuthenticator {
    pub fn new(secret: Secret) -> Self {
        Self { secret, seen: Mutex::default() }
    }

    /// Accepts a request once.
    pub fn authenticate(&self, request: &SignedRequest<'_>, now: Timestamp) -> Result<(), AuthError> {
        if request.nonce.is_empty() || request.nonce.len() > MAX_NONCE_LENGTH || request.signature.is_empty()
        {
            return Err(AuthError::Unsigned);
        }
        let timestamp_seconds: i64 = request.timestamp.parse().map_err(|_| AuthError::Unsigned)?;
        if timestamp_seconds.abs_diff(now.as_second()) > WINDOW_SECONDS {
            return Err(AuthError::Stale);
        }
        let SignedRequest { path, timestamp, nonce, signature, body } = *request;
        if !self.secret.has_signed_request(timestamp, nonce, path, body, signature) {
            return Err(AuthError::Signature);
        }
        let mut seen = self.seen.lock();
        if seen.insert_if_new(nonce, now.as_second()) { Ok(()) } else { Err(AuthError::Replayed) }
    }

    /// The signature of the response to that request.
    pub fn sign(&self, nonce: &str, status: u16, body: &[u8]) -> String {
        self.secret.sign_answer(nonce, status, body)
    }
}

impl SeenNonces {
    fn insert_if_new(&mut self, nonce: &str, now: i64) -> bool {
        // A request may be one window ahead, and is then valid for one more window.
        if now.abs_diff(self.rotated_at) > 2 * WINDOW_SECONDS {
            self.older = std::mem::take(&mut self.newer);
            self.rotated_at = now;
        }
        !self.older.contains(nonce) && self.newer.insert(nonce.to_owned())
    }
}

impl fmt::Debug for RequestAuthenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestAuthenticator").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_794_744_000 + second).unwrap()
    }

    struct Caller(Secret);

    impl Caller {
        fn request(
            &self,
            authenticator: &RequestAuthenticator,
            timestamp_seconds: i64,
            nonce: &str,
            now: i64,
        ) -> Result<(), AuthError> {
            let timestamp = at(timestamp_seconds).as_second().to_string();
            let signature = self.0.sign_request(&timestamp, nonce, "/quote", b"{}");
            let request = SignedRequest {
                path: "/quote",
                timestamp: &timestamp,
                nonce,
                signature: &signature,
                body: b"{}",
            };
            authenticator.authenticate(&request, at(now))
        }
    }

    fn both() -> (RequestAuthenticator, Caller) {
        let secret = Secret::new("correct horse battery staple").unwrap();
        (RequestAuthenticator::new(secret.clone()), Caller(secret))
    }

    #[test]
    fn request_is_accepted_once_within_its_window() {
        let (authenticator, caller) = both();
        assert_eq!(caller.request(&authenticator, 0, "a", 0), Ok(()));
        assert_eq!(caller.request(&authenticator, 0, "a", 1), Err(AuthError::Replayed));
        assert_eq!(caller.request(&authenticator, 0, "b", 300), Ok(()));
        assert_eq!(caller.request(&authenticator, 0, "c", 301), Err(AuthError::Stale));
        assert_eq!(caller.request(&authenticator, 301, "c", 0), Err(AuthError::Stale));
    }

    #[test]
    fn nonce_is_remembered_as_long_as_its_request_is_valid() {
        let (authenticator, caller) = both();
        for second in 0..2_000_i64 {
            let nonce = second.to_string();
            assert_eq!(caller.request(&authenticator, second + 300, &nonce, second), Ok(()), "{second}");
            let again = (second - 600).max(0);
            let replayed = caller.request(&authenticator, again + 300, &again.to_string(), second);
            assert_eq!(replayed, Err(AuthError::Replayed), "{again} at {second}");
        }
        let nonces = authenticator.seen.lock();
        assert!(nonces.newer.len() + nonces.older.len() < 1_300, "old nonces are dropped");
    }

    #[test]
    fn request_with_another_secret_is_rejected() {
        let (authenticator, _) = both();
        let stranger = Caller(Secret::new("wrong horse battery staple").unwrap());
        assert_eq!(stranger.request(&authenticator, 0, "a", 0), Err(AuthError::Signature));
        assert_eq!(
            authenticator.authenticate(&SignedRequest::read("/quote", |_| None, b"{}"), at(0)),
            Err(AuthError::Unsigned)
        );
    }
}
