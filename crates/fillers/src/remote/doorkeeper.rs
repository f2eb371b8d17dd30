use std::collections::HashSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use thiserror::Error;

use super::Secret;
use super::secret::{NONCE, SIGNATURE, TIMESTAMP, WINDOW_SECONDS};

/// Longer nonces are nobody's.
const LONGEST_NONCE: usize = 64;

/// A call as a filler's server gets it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// As it was asked for, such as `/quote`.
    pub path: &'a str,
    pub timestamp: &'a str,
    pub nonce: &'a str,
    pub signature: &'a str,
    pub body: &'a [u8],
}

impl<'a> Call<'a> {
    /// Reads a call from its headers by their names; what is missing is empty, and refused.
    pub fn read(path: &'a str, header: impl Fn(&'static str) -> Option<&'a str>, body: &'a [u8]) -> Self {
        let header = |name| header(name).unwrap_or_default();
        Self { path, timestamp: header(TIMESTAMP), nonce: header(NONCE), signature: header(SIGNATURE), body }
    }
}

/// Why a call is not let in; all of them are answered with 401.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Refused {
    #[error("a call carries {TIMESTAMP}, {NONCE} and {SIGNATURE}")]
    Unsigned,
    #[error("the call's time is more than {WINDOW_SECONDS} seconds from ours: look at both clocks")]
    Stale,
    #[error("the signature does not fit: both sides need the same secret")]
    Signature,
    #[error("this call was made before")]
    Replayed,
}

/// Lets a filler's server know the service from everybody else: the other side of what [`super::RemoteFiller`] signs.
pub struct Doorkeeper {
    secret: Secret,
    seen: Mutex<Seen>,
}

/// The nonces of the last while, in two halves: when the newer half is older than any call that would be let in, it takes the
/// place of the older one.
#[derive(Default)]
struct Seen {
    newer: HashSet<String>,
    older: HashSet<String>,
    turned_at: i64,
}

impl Doorkeeper {
    pub fn new(secret: Secret) -> Self {
        Self { secret, seen: Mutex::default() }
    }

    /// Lets a call in once.
    pub fn admit(&self, call: &Call<'_>, now: Timestamp) -> Result<(), Refused> {
        if call.nonce.is_empty() || call.nonce.len() > LONGEST_NONCE || call.signature.is_empty() {
            return Err(Refused::Unsigned);
        }
        let told: i64 = call.timestamp.parse().map_err(|_| Refused::Unsigned)?;
        if told.abs_diff(now.as_second()) > WINDOW_SECONDS {
            return Err(Refused::Stale);
        }
        let Call { path, timestamp, nonce, signature, body } = *call;
        if !self.secret.has_signed_request(timestamp, nonce, path, body, signature) {
            return Err(Refused::Signature);
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_new(nonce, now.as_second()) { Ok(()) } else { Err(Refused::Replayed) }
    }

    /// The signature to answer that call with.
    pub fn sign(&self, nonce: &str, status: u16, body: &[u8]) -> String {
        self.secret.sign_answer(nonce, status, body)
    }
}

impl Seen {
    fn is_new(&mut self, nonce: &str, now: i64) -> bool {
        // A call may be from the future by a window, and then be let in for a window more.
        if now.abs_diff(self.turned_at) > 2 * WINDOW_SECONDS {
            self.older = std::mem::take(&mut self.newer);
            self.turned_at = now;
        }
        !self.older.contains(nonce) && self.newer.insert(nonce.to_owned())
    }
}

impl fmt::Debug for Doorkeeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Doorkeeper").finish_non_exhaustive()
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
        fn call(&self, door: &Doorkeeper, told: i64, nonce: &str, now: i64) -> Result<(), Refused> {
            let timestamp = at(told).as_second().to_string();
            let signature = self.0.sign_request(&timestamp, nonce, "/quote", b"{}");
            let call =
                Call { path: "/quote", timestamp: &timestamp, nonce, signature: &signature, body: b"{}" };
            door.admit(&call, at(now))
        }
    }

    fn both() -> (Doorkeeper, Caller) {
        let secret = Secret::new("correct horse battery staple").unwrap();
        (Doorkeeper::new(secret.clone()), Caller(secret))
    }

    #[test]
    fn a_call_is_let_in_once_within_its_time() {
        let (door, caller) = both();
        assert_eq!(caller.call(&door, 0, "a", 0), Ok(()));
        assert_eq!(caller.call(&door, 0, "a", 1), Err(Refused::Replayed));
        assert_eq!(caller.call(&door, 0, "b", 300), Ok(()));
        assert_eq!(caller.call(&door, 0, "c", 301), Err(Refused::Stale));
        assert_eq!(caller.call(&door, 301, "c", 0), Err(Refused::Stale));
    }

    #[test]
    fn a_nonce_is_remembered_for_as_long_as_its_call_would_be_let_in() {
        let (door, caller) = both();
        for second in 0..2_000_i64 {
            let nonce = second.to_string();
            assert_eq!(caller.call(&door, second + 300, &nonce, second), Ok(()), "{second}");
            let again = (second - 600).max(0);
            let replayed = caller.call(&door, again + 300, &again.to_string(), second);
            assert_eq!(replayed, Err(Refused::Replayed), "{again} at {second}");
        }
        let kept = door.seen.lock().unwrap();
        assert!(kept.newer.len() + kept.older.len() < 1_300, "old nonces are forgotten");
    }

    #[test]
    fn a_stranger_is_not_let_in() {
        let (door, _) = both();
        let stranger = Caller(Secret::new("wrong horse battery staple").unwrap());
        assert_eq!(stranger.call(&door, 0, "a", 0), Err(Refused::Signature));
        assert_eq!(door.admit(&Call::read("/quote", |_| None, b"{}"), at(0)), Err(Refused::Unsigned));
    }
}
