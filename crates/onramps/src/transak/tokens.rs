use std::fmt;
use std::time::{Duration, Instant};

use causeway_domain::ports::{RampError, RampToken};
use jiff::Timestamp;
use parking_lot::RwLock;

use super::wire::{Data, TokenJson};
use crate::secret::SecretText;

/// A token is renewed this many seconds before it expires.
const RENEW_BEFORE_SECONDS: i64 = 3_600;

/// Previous tokens that still verify webhooks that were sent before the renewal.
const MAX_PREVIOUS_TOKENS: usize = 2;

/// Rate limit of fetches: another user of the same API keys invalidates our tokens as we invalidate theirs.
const MAX_FETCHES: usize = 6;
const FETCH_WINDOW: Duration = Duration::from_mins(5);

/// The access tokens of a partner. Fetching one invalidates the previous one, wherever the partner's keys are used.
#[derive(Default)]
pub(super) struct AccessTokens {
    /// The newest first.
    tokens: RwLock<Vec<AccessToken>>,
    /// Serializes fetches, so that concurrent callers fetch one token; holds the times of recent fetches.
    pub(super) recent_fetches: tokio::sync::Mutex<Vec<Instant>>,
}

#[derive(Clone)]
struct AccessToken {
    text: SecretText,
    ends: i64,
    is_rejected: bool,
}

impl AccessTokens {
    /// The newest token, if it does not expire soon.
    pub(super) fn valid_token(&self, now: Timestamp) -> Option<SecretText> {
        let tokens = self.tokens.read();
        let newest = tokens.first().filter(|token| !token.is_rejected)?;
        (now.as_second().saturating_add(RENEW_BEFORE_SECONDS) < newest.ends).then(|| newest.text.clone())
    }

    /// Marks a token that Transak rejects: another one was fetched.
    pub(super) fn mark_rejected(&self, text: &SecretText) {
        let mut tokens = self.tokens.write();
        for token in tokens.iter_mut().filter(|token| token.text == *text) {
            token.is_rejected = true;
        }
    }

    /// Stores a fetched token. One that expires soon is used as well, or it would be fetched in a loop.
    pub(super) fn store(&self, fetched: Data<TokenJson>, now: Timestamp) -> Result<SecretText, RampError> {
        let TokenJson { access_token, expires_at } = fetched.data;
        if access_token.is_empty() || expires_at <= now.as_second() {
            return Err(RampError::Nonsense("its access token has already expired".to_owned()));
        }
        Ok(self.add(SecretText::new(access_token), expires_at, now))
    }

    /// Adopts a token that another replica has fetched, unless it is known, expired or rejected.
    pub(super) fn adopt_shared(&self, shared: &RampToken, now: Timestamp) -> Option<SecretText> {
        let text = SecretText::new(shared.text.clone());
        let ends_soon = now.as_second().saturating_add(RENEW_BEFORE_SECONDS) >= shared.ends;
        let tokens = self.tokens.read();
        let is_known = tokens.iter().any(|token| token.text == text);
        drop(tokens);
        (!ends_soon && !is_known && !text.is_empty()).then(|| self.add(text, shared.ends, now))
    }

    fn add(&self, text: SecretText, expires_at: i64, now: Timestamp) -> SecretText {
        let mut tokens = self.tokens.write();
        tokens.retain(|token| token.text != text);
        let ends = expires_at.max(now.as_second().saturating_add(RENEW_BEFORE_SECONDS + 60));
        tokens.insert(0, AccessToken { text: text.clone(), ends, is_rejected: false });
        tokens.truncate(MAX_PREVIOUS_TOKENS + 1);
        text
    }

    /// All tokens that may have signed a webhook.
    pub(super) fn all(&self) -> Vec<SecretText> {
        let tokens = self.tokens.read();
        tokens.iter().map(|token| token.text.clone()).collect()
    }
}

/// Whether one more fetch is allowed now; counts it if so.
pub(super) fn try_count_fetch(fetched: &mut Vec<Instant>, now: Instant) -> bool {
    fetched.retain(|time| now.duration_since(*time) < FETCH_WINDOW);
    let is_allowed = fetched.len() < MAX_FETCHES;
    if is_allowed {
        fetched.push(now);
    }
    is_allowed
}

impl fmt::Debug for AccessTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessTokens(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fetched(text: &str, expires_at: i64) -> Data<TokenJson> {
        Data { data: TokenJson { access_token: text.to_owned(), expires_at } }
    }

    #[test]
    fn token_fetches_are_rate_limited() {
        let (mut fetched, start) = (Vec::new(), Instant::now());
        let seconds =
            (0..300).filter(|second| try_count_fetch(&mut fetched, start + Duration::from_secs(*second)));
        assert_eq!(seconds.count(), MAX_FETCHES);
        assert!(try_count_fetch(&mut fetched, start + Duration::from_secs(301)), "never for good");
    }

    #[test]
    fn token_is_used_until_it_expires_or_is_rejected() {
        let cache = AccessTokens::default();
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        assert_eq!(cache.valid_token(now), None);
        let first = cache.store(fetched("one", 1_800_600_000), now).unwrap();
        assert_eq!(cache.valid_token(now), Some(first.clone()));
        assert_eq!(
            cache.valid_token(Timestamp::from_second(1_800_597_000).unwrap()),
            None,
            "it ends within the hour"
        );
        cache.mark_rejected(&first);
        assert_eq!(cache.valid_token(now), None);
        let second = cache.store(fetched("two", 1_800_600_000), now).unwrap();
        assert_eq!(cache.valid_token(now), Some(second.clone()));
        assert_eq!(cache.all(), [second, first], "webhooks on their way were signed with the one before");
        let shared = |text: &str, ends| RampToken { text: text.to_owned(), ends };
        assert_eq!(cache.adopt_shared(&shared("one", 1_800_600_000), now), None, "it was refused");
        assert_eq!(cache.adopt_shared(&shared("three", 1_800_000_100), now), None, "it is as good as over");
        let third = cache.adopt_shared(&shared("three", 1_800_600_000), now).unwrap();
        assert_eq!(cache.valid_token(now), Some(third), "another replica has fetched it");
        assert!(cache.store(fetched("", 1_900_000_000), now).is_err());
        assert!(cache.store(fetched("old", 1_700_000_000), now).is_err());
    }
}
