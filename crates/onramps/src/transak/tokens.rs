use std::fmt;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use causeway_domain::ports::{RampError, RampToken};
use jiff::Timestamp;

use super::wire::{Data, TokenJson};
use crate::secret::SecretText;

/// A token is fetched anew so many seconds before it ends.
const EARLY: i64 = 3_600;

/// How many tokens before the newest still open webhooks: those that were on their way.
const KEPT: usize = 2;

/// So many tokens are fetched within a while, and no more: who shares the keys and not the tokens would end ours as often as we end theirs.
const FETCHES: usize = 6;
const WHILE: Duration = Duration::from_mins(5);

/// The access tokens of a partner. Fetching one ends the one before, here and wherever else the partner's keys are used.
#[derive(Default)]
pub(super) struct Tokens {
    /// The newest first.
    known: RwLock<Vec<Token>>,
    /// So that many who find the token ended fetch one; when the last ones were fetched.
    pub(super) fetching: tokio::sync::Mutex<Vec<Instant>>,
}

#[derive(Clone)]
struct Token {
    text: SecretText,
    ends: i64,
    refused: bool,
}

impl Tokens {
    /// The newest, if it is still good for a while.
    pub(super) fn good(&self, now: Timestamp) -> Option<SecretText> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let newest = known.first().filter(|token| !token.refused)?;
        (now.as_second().saturating_add(EARLY) < newest.ends).then(|| newest.text.clone())
    }

    /// Transak does not take it any more: somebody has fetched another.
    pub(super) fn refuse(&self, text: &SecretText) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for token in known.iter_mut().filter(|token| token.text == *text) {
            token.refused = true;
        }
    }

    /// Keeps a new one; it counts even if it ends sooner than we like, or it would be fetched without end.
    pub(super) fn keep(&self, fetched: Data<TokenJson>, now: Timestamp) -> Result<SecretText, RampError> {
        let TokenJson { access_token, expires_at } = fetched.data;
        if access_token.is_empty() || expires_at <= now.as_second() {
            return Err(RampError::Nonsense("its access token is over before it begins".to_owned()));
        }
        Ok(self.add(SecretText::new(access_token), expires_at, now))
    }

    /// Takes over what another replica has fetched, unless it is ours, is over, or was refused.
    pub(super) fn take_over(&self, shared: &RampToken, now: Timestamp) -> Option<SecretText> {
        let text = SecretText::new(shared.text.clone());
        let ends_soon = now.as_second().saturating_add(EARLY) >= shared.ends;
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let is_known = known.iter().any(|token| token.text == text);
        drop(known);
        (!ends_soon && !is_known && !text.is_empty()).then(|| self.add(text, shared.ends, now))
    }

    fn add(&self, text: SecretText, expires_at: i64, now: Timestamp) -> SecretText {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.retain(|token| token.text != text);
        let ends = expires_at.max(now.as_second().saturating_add(EARLY + 60));
        known.insert(0, Token { text: text.clone(), ends, refused: false });
        known.truncate(KEPT + 1);
        text
    }

    /// All that may have signed a webhook.
    pub(super) fn all(&self) -> Vec<SecretText> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|token| token.text.clone()).collect()
    }
}

/// Whether one more may be fetched now, which then counts.
pub(super) fn may_fetch(fetched: &mut Vec<Instant>, now: Instant) -> bool {
    fetched.retain(|time| now.duration_since(*time) < WHILE);
    let may = fetched.len() < FETCHES;
    if may {
        fetched.push(now);
    }
    may
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tokens(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(text: &str, expires_at: i64) -> Data<TokenJson> {
        Data { data: TokenJson { access_token: text.to_owned(), expires_at } }
    }

    #[test]
    fn tokens_are_not_fetched_without_end() {
        let (mut fetched, start) = (Vec::new(), Instant::now());
        let seconds = (0..300).filter(|second| may_fetch(&mut fetched, start + Duration::from_secs(*second)));
        assert_eq!(seconds.count(), FETCHES);
        assert!(may_fetch(&mut fetched, start + Duration::from_secs(301)), "never for good");
    }

    #[test]
    fn a_token_is_used_until_it_ends_or_is_refused() {
        let tokens = Tokens::default();
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        assert_eq!(tokens.good(now), None);
        let first = tokens.keep(fetched("one", 1_800_600_000), now).unwrap();
        assert_eq!(tokens.good(now), Some(first.clone()));
        assert_eq!(
            tokens.good(Timestamp::from_second(1_800_597_000).unwrap()),
            None,
            "it ends within the hour"
        );
        tokens.refuse(&first);
        assert_eq!(tokens.good(now), None);
        let second = tokens.keep(fetched("two", 1_800_600_000), now).unwrap();
        assert_eq!(tokens.good(now), Some(second.clone()));
        assert_eq!(tokens.all(), [second, first], "webhooks on their way were signed with the one before");
        let shared = |text: &str, ends| RampToken { text: text.to_owned(), ends };
        assert_eq!(tokens.take_over(&shared("one", 1_800_600_000), now), None, "it was refused");
        assert_eq!(tokens.take_over(&shared("three", 1_800_000_100), now), None, "it is as good as over");
        let third = tokens.take_over(&shared("three", 1_800_600_000), now).unwrap();
        assert_eq!(tokens.good(now), Some(third), "another replica has fetched it");
        assert!(tokens.keep(fetched("", 1_900_000_000), now).is_err());
        assert!(tokens.keep(fetched("old", 1_700_000_000), now).is_err());
    }
}
