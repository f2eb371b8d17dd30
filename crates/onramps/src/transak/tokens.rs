use std::fmt;
use std::sync::{PoisonError, RwLock};

use causeway_domain::ports::RampError;
use jiff::Timestamp;

use super::wire::{Data, TokenJson};
use crate::secret::SecretText;

/// A token is fetched anew so many seconds before it ends.
const EARLY: i64 = 3_600;

/// How many tokens before the newest still open webhooks: those that were on their way.
const KEPT: usize = 2;

/// The access tokens of a partner. Fetching one ends the one before, here and wherever else the partner's keys are used.
#[derive(Default)]
pub(super) struct Tokens {
    /// The newest first.
    known: RwLock<Vec<Token>>,
    /// So that many who find the token ended fetch one.
    pub(super) fetching: tokio::sync::Mutex<()>,
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
        let text = SecretText::new(access_token);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.retain(|token| token.text != text);
        let ends = expires_at.max(now.as_second().saturating_add(EARLY + 60));
        known.insert(0, Token { text: text.clone(), ends, refused: false });
        known.truncate(KEPT + 1);
        Ok(text)
    }

    /// All that may have signed a webhook.
    pub(super) fn all(&self) -> Vec<SecretText> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().map(|token| token.text.clone()).collect()
    }
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
        assert!(tokens.keep(fetched("", 1_900_000_000), now).is_err());
        assert!(tokens.keep(fetched("old", 1_700_000_000), now).is_err());
    }
}
